internal import TaskDispatch

/// A thread that is blocked in `sync`, in a wait, or for room in a queue. Touched under the dispatcher's lock.
///
/// What it waits for may come about in any section of the lock. That section then *flags* the thread: it is
/// woken when the lock is free, and checks again.
final class BlockedThread {
  enum Target {
    /// Its turn in `sync`.
    case turn(QueuedTask)
    case item(WorkItem)
    case group(WorkGroup)
    /// Room in the queue of a task.
    case room(QueuedTask)
    /// What every section of the lock may bring.
    case anything
  }

  let sleeper = Sleeper()
  /// The dispatchers of what it waits for.
  var shares: [PoolShare] = []
  /// What has the worker run that it is in, and in which it is blocked nowhere else.
  var run: PoolShare?
  fileprivate(set) var target = Target.anything
  /// The innermost task of the dispatcher on the thread. It does not go on before the thread does.
  fileprivate(set) var task: QueuedTask?
  /// It runs the loop; it is in a worker run.
  fileprivate(set) var isLoop = false
  fileprivate(set) var isWorker = false
  /// It is in a worker run that makes callbacks, and no other wait of it stands for that run.
  fileprivate(set) var isTelling = false
  /// How many callbacks of the dispatcher it is in, those aside in which it was blocked before.
  fileprivate(set) var deliveries = 0
  fileprivate var identity: ExecutionIdentity?
  /// Its wait ends by itself.
  fileprivate(set) var mayTimeOut = false
  /// In the order in which threads were blocked.
  fileprivate(set) var number = 0
  /// It is to check again, and has not yet.
  fileprivate(set) var isFlagged = false
  fileprivate var isWoken = false
  var isAsleep = false

  /// Whether a search for deadlocks looks at it: no time-out ends its wait, and what the dispatcher runs
  /// cannot go on without it.
  fileprivate(set) var isSearched = false
  /// It runs something on top of its wait, and checks after that.
  fileprivate(set) var isBusy = false
  /// A task of the queue that it waits for, which it runs.
  var helped: QueuedTask?
  /// A wait on top of this one, in a callback after that task's end.
  fileprivate(set) weak var inner: BlockedThread?

  /// A verdict: it may run the first task of the queue that it waits for.
  var mayHelp = false
  /// A verdict: only threads that wait could end its wait. What they wait for.
  var refusal: [WaitLink]?
  /// It was given that verdict. When it goes, the search goes on.
  fileprivate var wasRefused = false

  // What the last search found. See ``DeadlockSearch``.
  var isLive = false
  var blocker: DeadlockSearch.Blocker?
  var tasks: [QueuedTask] = []

  /// Whether it waits in `sync` for the turn of `caller`.
  func isWaiting(for caller: QueuedTask) -> Bool {
    if case .turn(let mine) = target { mine === caller } else { false }
  }

  func refuse(_ chain: [WaitLink]) {
    refusal = chain
    wasRefused = true
  }
}

/// The threads of a dispatcher that are blocked. A value under the dispatcher's lock.
struct BlockedThreads {
  private(set) var threads: [BlockedThread] = []
  /// Callers of `sync` that were admitted, and have not noticed yet.
  var admitted = 0
  /// A view goes on that was suspended, or a task of a queue has ended in which callers wait, and are not
  /// next: that may have closed a circle. Or one thread was refused, and there may be more circles.
  var mayCloseCircle = false
  /// Running tasks that cannot go on before something else has: their threads are blocked, or they wait for
  /// the body of their own `sync`.
  var tasks = 0
  /// Callbacks whose threads are blocked in them.
  private(set) var deliveries = 0
  /// Threads that a search looks at.
  private(set) var searched = 0
  private var newlySearched = 0
  /// Threads that were flagged, and have not checked yet.
  private(set) var flagged = 0
  /// Those that check after every section.
  private var checkingAlways = 0
  /// Whether threads have to be woken once the lock is free.
  private(set) var hasUnwoken = false
  private var lastNumber = 0
  private var spares: [BlockedThread] = []
  #if DEBUG
    /// How many searches for deadlocks there were, and how many threads, tasks and entries they have looked at.
    var (searches, looks) = (0, 0)
    /// How many threads were flagged in all.
    private(set) var flags = 0
  #endif

  var isEmpty: Bool { threads.isEmpty }

  /// Whether the loop's thread is blocked, with no time-out.
  var holdsLoop: Bool { threads.contains { $0.isSearched && $0.isLoop } }

  // MARK: Beginning and ending

  /// What a thread is, as far as the dispatcher is concerned.
  struct Standing {
    let task: QueuedTask?
    let isLoop: Bool
    let isWorker: Bool
    let deliveries: Int
    let mayTimeOut: Bool
    var isTelling = false
  }

  mutating func begin(_ target: BlockedThread.Target, _ standing: Standing) -> BlockedThread {
    let thread = spares.popLast() ?? BlockedThread()
    lastNumber += 1
    thread.number = lastNumber
    thread.target = target
    thread.task = standing.task
    thread.isLoop = standing.isLoop
    thread.isWorker = standing.isWorker
    thread.identity = .ofThread
    if case .anything = target { checkingAlways += 1 }
    flagThoseThatCheckAlways()
    threads.append(thread)
    let outer = threads.last { $0.isBusy && $0.identity == thread.identity }
    outer?.inner = thread
    thread.mayTimeOut = standing.mayTimeOut
    let holdsSomething =
      standing.task != nil || standing.isLoop || standing.isWorker || outer?.mayTimeOut == false
    let counted = threads.dropLast().reduce(0) { sum, other in
      other.identity == thread.identity ? sum + other.deliveries : sum
    }
    thread.deliveries = standing.mayTimeOut ? 0 : standing.deliveries - counted
    deliveries += thread.deliveries
    guard !standing.mayTimeOut, holdsSomething else { return thread }
    // Its turn in a queue, on top of which this thread has been blocked again.
    if let outer, !outer.isSearched, !outer.mayTimeOut { search(outer) }
    search(thread)
    thread.isTelling =
      standing.isTelling
      && !threads.contains { $0.isTelling && $0.isSearched && $0.identity == thread.identity }
    if let task = thread.task, !task.isBlocked {
      task.beginWait(on: thread)
      tasks += 1
    }
    return thread
  }

  private mutating func search(_ thread: BlockedThread) {
    thread.isSearched = true
    searched += 1
    newlySearched += 1
  }

  /// How many threads are searched since this was last asked.
  mutating func takeNewlySearched() -> Int {
    defer { newlySearched = 0 }
    return newlySearched
  }

  mutating func end(_ thread: BlockedThread) {
    noteChecked(thread)
    if case .anything = thread.target { checkingAlways -= 1 }
    threads.removeAll { $0 === thread }
    for other in threads where other.inner === thread { other.inner = nil }
    deliveries -= thread.deliveries
    if thread.isSearched {
      searched -= 1
      if let task = thread.task, task.blockedOn === thread {
        task.endWait()
        tasks -= 1
      }
    }
    thread.isSearched = false
    thread.isTelling = false
    thread.target = .anything
    thread.task = nil
    thread.blocker = nil
    thread.tasks = []
    thread.mayHelp = false
    thread.refusal = nil
    if thread.wasRefused { mayCloseCircle = true }
    thread.wasRefused = false
    if spares.count < 16 { spares.append(thread) }
  }

  // MARK: Waking

  /// Lets a thread check again once the lock is free.
  mutating func flag(_ thread: BlockedThread) {
    guard !thread.isFlagged, !thread.isBusy else { return }
    thread.isFlagged = true
    flagged += 1
    #if DEBUG
      flags += 1
    #endif
    hasUnwoken = true
  }

  /// Something changed that any of them may be waiting for.
  mutating func flagAll() {
    for thread in threads { flag(thread) }
  }

  /// The thread runs something on top of its wait.
  mutating func beginBusy(_ thread: BlockedThread) {
    noteChecked(thread)
    thread.isBusy = true
  }

  /// The thread has come back to its wait, and checks.
  func endBusy(_ thread: BlockedThread) { thread.isBusy = false }

  /// The thread is about to check.
  mutating func noteChecked(_ thread: BlockedThread) {
    guard thread.isFlagged else { return }
    thread.isFlagged = false
    thread.isWoken = false
    flagged -= 1
  }

  /// An item has its outcome.
  mutating func flagWaiters(of item: WorkItem) {
    for thread in threads {
      if case .item(let mine) = thread.target, mine === item { flag(thread) }
    }
  }

  mutating func flagWaiters(ofGroup group: ObjectIdentifier) {
    for thread in threads {
      if case .group(let awaited) = thread.target, ObjectIdentifier(awaited) == group {
        flag(thread)
      }
    }
  }

  /// A caller of `sync` was admitted, has run or was turned away.
  mutating func flag(callerOf task: QueuedTask) {
    for thread in threads where thread.isWaiting(for: task) { flag(thread) }
  }

  /// A queue may have room.
  mutating func flagThoseWithoutRoom() {
    for thread in threads { if case .room = thread.target { flag(thread) } }
  }

  /// A section that has changed something ends, or a thread has been blocked.
  mutating func flagThoseThatCheckAlways() {
    guard checkingAlways > 0 else { return }
    for thread in threads where thread.isAsleep {
      if case .anything = thread.target { flag(thread) }
    }
  }

  /// The threads to wake, each once.
  mutating func takeSleepers() -> [Sleeper] {
    hasUnwoken = false
    return threads.filter { $0.isFlagged && !$0.isWoken }.map { thread in
      thread.isWoken = true
      return thread.sleeper
    }
  }
}
