internal import TaskDispatch

/// The running-task context in which one thread runs plain tasks and simple items, one after the other. Neither needs
/// an object of its own for that.
///
/// The thread that runs the loop has one for all its iterations, and a worker run has one for as long as it lasts. If
/// other code has got the context (``isKnown``), the thread takes another after that task.
final class BatchContext: RunningTask {
  /// The body of the plain task that it has begun, until the thread takes it out to run it.
  @safe @exclusivity(unchecked) private var plain: (@Sendable () -> Void)?
  /// Other code has got it, and may look at it until what runs in it has ended, and after that.
  var isKnown = false
  /// The pool's part of its view. Stored here, so that a worker that reads it with each task need not retain the view:
  /// submitting threads change the view's reference count all the time.
  @safe @exclusivity(unchecked) private(set) var poolView: PoolView<Entry>?

  /// Note that tasks leave the queue whose tasks run here, and that they leave its lane: see ``FlowControl``. Nil if
  /// there is no limit.
  @safe @exclusivity(unchecked) private(set) var departures: PaddedCount.Link?
  private let departuresOfLane: PaddedCount.Link?
  /// Counts the ends of the tasks that run here, for the queue.
  @safe @exclusivity(unchecked) private(set) var counts: Owned<OutcomeCounts>.Link
  private let countsOfLane: Owned<OutcomeCounts>.Link

  /// What the recorder counts of the queue. Nil if there is no recorder.
  @safe @exclusivity(unchecked) private(set) var recorded: Owned<RecordedQueue>.Link?
  private let recordedOfLane: Owned<RecordedQueue>.Link?

  /// - Parameters:
  ///   - queue: The lane whose plain tasks the thread will run.
  ///   - flow: The limit of the lane.
  ///   - counts: Those of the lane.
  ///   - recorded: What the recorder counts of the lane.
  init(
    of queue: TaskQueue.Identity, _ flow: FlowControl?, _ counts: Owned<OutcomeCounts>.Link,
    _ recorded: Owned<RecordedQueue>.Link?, shutdown: ShutdownFlag
  ) {
    self.recorded = recorded
    recordedOfLane = recorded
    self.counts = counts
    countsOfLane = counts
    departures = flow?.departures
    departuresOfLane = flow?.departures
    super.init(on: queue, site: CallSite(fileID: "", line: 0), shutdown: shutdown)
  }

  /// Makes it the context in which a thread runs plain tasks of `view`, or of its lane if that is nil. Nothing runs in
  /// it.
  @inline(__always) func enter(_ view: consuming UVView?) {
    if view === self.view { return }
    let queue = TaskQueue.Identity(
      dispatcher: queue.dispatcher, view: view.map { ObjectIdentifier($0) }, lane: lane)
    adopt(nil, of: queue, at: site)
    poolView = view?.pool
    departures = view == nil ? departuresOfLane : view?.flow?.departures
    counts = view?.counts ?? countsOfLane
    if recordedOfLane != nil { recorded = view?.statistics.recorded ?? recordedOfLane }
    adopt(view: view)
  }

  /// Makes it the context of a plain task that begins. Nothing runs in it.
  @inline(__always) func begin(_ plain: consuming PlainTask, id: UInt64, at time: Int64) {
    self.plain = plain.body
    goOn(at: plain.site, id: id, since: time)
    isAbandoned = false
  }

  /// Makes it the context of an item that begins. Nothing runs in it.
  @inline(__always) func begin(_ item: WorkItem) {
    goOn(with: item)
    isAbandoned = false
  }

  /// Takes out the body of the plain task that it has begun. Nil if it has begun an item.
  func takePlain() -> PlainTask? {
    guard let body = plain.take() else {
      require(holdsItem, "\(record) is the context of nothing")
      return nil
    }
    // It was counted when it left its queue.
    return PlainTask(body: body, site: site, counts: false)
  }

  /// Whether it may be the context of another task after this one.
  var mayGoOn: Bool { !isKnown && !isAbandoned }

  /// Whether the end of what runs in it needs more than a count: submissions wait for its room, or the watchdog
  /// has to learn of it.
  @inline(__always) var mustEndAlone: Bool { departures?.isMarked == true || isWatched }

  /// Makes it the context of the plain task that its thread runs next.
  @inline(__always) func goOn(at site: CallSite, id: UInt64, since time: Int64) {
    adopt(plainAt: site)
    adopt(id: id, at: time)
  }

  /// Makes it the context of the item that its thread runs next.
  @inline(__always) func goOn(with item: consuming WorkItem) {
    adopt(numberOf: item)
    item.queued = self
    let site = item.site
    adopt(next: item, at: site)
  }

  /// Makes it the context of no item any more. Nothing runs in it.
  @inline(__always) func leaveItem() {
    letGo()
    leaveParent()
  }
}
