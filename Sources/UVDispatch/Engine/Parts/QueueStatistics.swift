internal import TaskDispatch

/// What is counted of one queue for reports: how its tasks have ended, and since when those have waited that stand in
/// it. Touched under the dispatcher's lock.
final class QueueStatistics {
  private let counts = Owned(OutcomeCounts())
  /// Since when the plain tasks of the medium band have waited.
  private var arrivals = ArrivalMarks()

  private let recordedQueue: Owned<RecordedQueue>
  /// What the recorder counts. Nil if there is no recorder.
  let recorded: Owned<RecordedQueue>.Link?

  /// - Parameter index: That of the queue among ``RecordedQueues``; nil if there is no recorder.
  init(recordedAs index: UInt32? = nil) {
    recordedQueue = Owned(RecordedQueue(index: index ?? 0))
    recorded = index == nil ? nil : recordedQueue.link
  }

  deinit {
    if let recorded { RecordedQueues.shared.remove(recorded.value.index) }
  }

  /// The counts, without those that ``FlowControl/refusals`` has.
  var outcomes: OutcomeCounts { counts.value }

  /// Where the counts are raised.
  var link: Owned<OutcomeCounts>.Link { counts.link }

  /// Entries have moved from the inbox to the medium band of the queue.
  ///
  /// - Parameters:
  ///   - since: When the first of them was posted, in nanoseconds of the monotonic clock.
  ///   - before: The positions of the band before that.
  ///   - after: Its positions now.
  ///   - compactions: How often compaction has moved entries of the band.
  func noteArrival(since: Int64, _ before: Range<Int>, _ after: Range<Int>, _ compactions: Int) {
    let position = before.isEmpty ? after.lowerBound : before.upperBound
    arrivals.note(position, since: since, head: after.lowerBound, compactions)
  }

  /// Since when the plain task at the head of the medium band has waited, in nanoseconds of the monotonic clock.
  func arrival(of head: Int, _ compactions: Int) -> Int64? { arrivals.since(head, compactions) }
}
