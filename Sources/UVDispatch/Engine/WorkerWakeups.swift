/// When a worker run has to be started: one `uv_queue_work`, in which a thread of the pool runs one task
/// after the other. A value under the dispatcher's lock.
///
/// It keeps invariant **L**: while a task may start on a worker, a run is *searching*, which means that it
/// will look for a task under the lock before it ends.
struct WorkerWakeups {
  /// The most runs that are busy at a time.
  let width: Int
  /// Runs that will look for a task before they end.
  private(set) var searching = 0
  /// Those of them that were started, and have not come to the lock yet.
  private(set) var arriving = 0
  /// Runs that are to be started once the lock is free.
  private(set) var pending = 0
  /// For how long a run spins before it ends.
  var patience = Patience()

  /// How many runs may search at a time: one is too few if two threads post, and more keep each other
  /// from the processors.
  static let mostSearching = 2

  init(width: Int) { self.width = width }

  /// A run is to be started once the lock is free.
  mutating func start() {
    searching += 1
    arriving += 1
    pending += 1
  }

  /// There are two tasks to start, or a second post asks for a thread. One run on its way keeps the
  /// invariants, but starts only one of two tasks, unless a busy run would go on with the other.
  ///
  /// - Parameter busy: Runs that are in a body.
  mutating func startAnother(busy: Int) {
    guard searching == 1, arriving == 1, busy == 0, width > 1 else { return }
    start()
  }

  mutating func takePending() -> Int {
    defer { pending = 0 }
    return pending
  }

  /// A run that was started has come to the lock.
  mutating func arrive() { arriving -= 1 }

  /// A run will look once more before it ends.
  mutating func beginSearch() { searching += 1 }

  /// A run has looked for a task. What it took or did not find is known now.
  mutating func endSearch() { searching -= 1 }

  /// Whether a run that found nothing may spin, and look once more.
  ///
  /// - Parameter away: For how long other threads had its processor when it last spun, in nanoseconds.
  mutating func maySpin(at now: Int64, away: Int64) -> Bool {
    searching < Self.mostSearching && patience.allowsSearch(at: now, away: away)
  }
}
