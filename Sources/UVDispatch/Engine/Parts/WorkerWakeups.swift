/// When a worker run has to be started. A worker run is one `uv_queue_work`, in which a thread of the pool runs one
/// task after the other. A value under the dispatcher's lock.
///
/// It keeps invariant **L**, which `Engine/README.md` states: in short, while a task may start on a worker, a run is
/// *searching*, which means that it will look for a task under the lock before it ends. If the pool has no thread for
/// another run, each run that makes callbacks looks for a task after those. If other dispatchers have the threads, this
/// one is short, and is called when one is free (``PoolShares``).
struct WorkerWakeups {
  /// The most runs that are busy at a time.
  let width: Int
  /// The most runs at a time: as many as the pool has threads for this dispatcher.
  let threads: Int
  /// Runs that are searching: they will look for a task before they end.
  private(set) var searching = 0
  /// Searching runs that were started, and have not come to the lock yet.
  private(set) var arriving = 0
  /// Runs that have to be started once the lock is free.
  private(set) var pending = 0
  /// Runs that make callbacks after the end of a task. Each looks for a task before it ends.
  private(set) var telling = 0
  /// Other dispatchers have the threads of the pool that another run could have.
  var isShort = false
  /// The spin limit of a run.
  var spinLimit = SpinLimit()

  /// How many runs may search at a time. One is too few if two threads post. More take the processors from each other.
  static let mostSearching = 2

  /// - Parameters:
  ///   - width: The most runs that are busy at a time. At least 1.
  ///   - threads: The most runs at a time. At least `width`.
  init(width: Int, threads: Int) {
    self.width = width
    self.threads = threads
  }

  /// Whether another run may start: the width allows it, and the pool has a thread for it.
  ///
  /// - Parameter busy: Runs that are in a body.
  func mayStart(busy: Int) -> Bool { !isShort && hasRoom(busy: busy) }

  /// Whether another run may start once the pool has a thread for it.
  ///
  /// - Parameter busy: Runs that are in a body.
  func hasRoom(busy: Int) -> Bool { busy < width && searching + busy + telling < threads }

  /// How many threads of the pool the runs have, or are about to have, and whether other dispatchers have threads that
  /// another run could have.
  ///
  /// - Parameter busy: Runs that are in a body.
  func usage(busy: Int) -> (used: Int, isShort: Bool) { (searching + busy + telling, isShort) }

  /// Whether a run comes for a task: one is searching, or another may start.
  ///
  /// - Parameter busy: Runs that are in a body.
  func mayCome(busy: Int) -> Bool { searching > 0 || hasRoom(busy: busy) }

  /// A run has to be started once the lock is free.
  mutating func start() {
    searching += 1
    arriving += 1
    pending += 1
  }

  /// Whether a second run is to be started: there are two tasks to start, or a second post asks for a thread.
  /// One run on its way keeps the invariants, but starts only one of two tasks, unless a busy run would go
  /// on with the other.
  ///
  /// - Parameter busy: Runs that are in a body.
  func wantsAnother(busy: Int) -> Bool {
    searching == 1 && arriving == 1 && busy == 0 && width > 1 && mayStart(busy: 0)
  }

  /// Whether runs have to be started once the lock is free.
  @inline(__always) var hasPending: Bool { pending > 0 }

  /// Whether a run is searching.
  @inline(__always) var areSearching: Bool { searching > 0 }

  /// Whether as many runs as may be are in a body.
  ///
  /// - Parameter busy: Runs that are in a body.
  func isFull(busy: Int) -> Bool { busy >= width }

  mutating func takePending() -> Int {
    defer { pending = 0 }
    return pending
  }

  /// A run that was started has come to the lock.
  mutating func arrive() { arriving -= 1 }

  /// A run will look once more before it ends.
  mutating func beginSearch() { searching += 1 }

  /// A run has looked for a task under the lock. What it took or did not find is known now.
  mutating func endSearch() { searching -= 1 }

  /// A run that has ended its task makes callbacks, in which user code may take its time. Until they are made, another
  /// run may have its share of the pool.
  mutating func beginTelling() { telling += 1 }

  mutating func endTelling() { telling -= 1 }

  /// Whether a run that found nothing may spin, and look once more.
  ///
  /// - Parameter away: For how long other threads had its processor when it last spun, in nanoseconds.
  mutating func maySpin(at now: Int64, away: Int64) -> Bool {
    searching < Self.mostSearching && spinLimit.allowsSearch(at: now, away: away)
  }
}
