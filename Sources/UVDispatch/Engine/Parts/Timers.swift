internal import TaskDispatch

/// Items that wait for a time, and repeating timers that have a run. A value under the dispatcher's lock.
struct Timers: ~Copyable {
  private var waiting = DeadlineQueue<WorkItem>()
  /// Repeating timers that have a run. Such a timer itself waits nowhere.
  private(set) var withRun: [ObjectIdentifier: RepeatingItem] = [:]

  /// The first deadline, in nanoseconds; nil if nothing waits.
  var nextDeadline: Int64? { waiting.nextDeadline }

  /// When the loop's thread has to wake up for a timer, with its tolerance; nil if nothing waits.
  var nextWakeUp: Int64? { waiting.nextWakeUp }

  /// How many items wait for a time.
  var count: Int { waiting.count }

  /// Shows the items that come due first to `body`: see ``DeadlineQueue/forEachOfFirst(_:_:)``.
  func forEachOfFirst(_ count: Int, _ body: (WorkItem, _ due: Int64) -> Void) {
    waiting.forEachOfFirst(count) { item, due in body(copy item, due) }
  }

  /// Adds an item. O(log n).
  mutating func add(_ item: WorkItem, due time: DispatcherInstant) {
    item.stage = .timers
    item.place.ticket = waiting.insert(
      item, due: time.nanoseconds, tolerance: item.toleranceInNanoseconds)
  }

  /// Takes the next item that is due by `now`, with its deadline. Nil if none is.
  mutating func takeNext(dueBy now: Int64) -> (item: WorkItem, due: Int64)? {
    guard let (item, due) = waiting.popNext(dueBy: now) else { return nil }
    item.stage = .nowhere
    return (item, due)
  }

  /// Takes out an item that waits here. False if that was another item: then `item` does not wait here. O(log n).
  mutating func remove(_ item: WorkItem) -> Bool { waiting.remove(item.place.ticket) === item }

  /// Takes out every item that waits for a time.
  mutating func removeAll() -> [WorkItem] { waiting.removeAll() }

  // MARK: Repeating timers with a run

  @inline(__always) var hasRuns: Bool { !withRun.isEmpty }

  mutating func addRun(of timer: RepeatingItem) { withRun[ObjectIdentifier(timer)] = timer }

  mutating func endRun(of timer: RepeatingItem) { withRun[ObjectIdentifier(timer)] = nil }

  /// A shutdown has begun: no tick comes any more. A timer that is owed runs still gets them.
  func stopTicks(at now: DispatcherInstant) {
    for timer in withRun.values { timer.ticks.stop(at: now) }
  }

  /// A shutdown has begun to cancel: timers that are owed runs get none.
  func dropOwedRuns() {
    for timer in withRun.values { timer.ticks.dropOwed() }
  }

  /// Takes out every repeating timer that has a run.
  mutating func takeTimersWithRun() -> [RepeatingItem] {
    defer { withRun = [:] }
    return Array(withRun.values)
  }

  /// Calls `body` with every timer: those that wait for a time, and repeating ones that have a run.
  func forEach(_ body: (WorkItem) -> Void) {
    func show(_ timer: borrowing WorkItem, _ due: Int64) { body(copy timer) }
    waiting.forEach(show)
    for timer in withRun.values { body(timer) }
  }
}
