internal import TaskDispatch

/// A thread that is blocked in `sync`, in a wait, or for room in a queue. Touched under the dispatcher's lock.
///
/// Any section of the lock may bring what the thread waits for. That section then *flags* the thread. The thread that
/// frees the lock wakes it, and it checks again.
final class BlockedThread {
  enum Target {
    /// Its admission in `sync`; on the foreground, that the loop's thread has run the body.
    case admission(QueuedTask)
    case item(WorkItem)
    case group(WorkGroup)
    /// Room in the queue of a task.
    case room(QueuedTask)
    /// Anything: it checks after every section of the lock.
    case anything
  }

  let sleeper = Sleeper()
  /// The pool shares of the dispatchers that it waits for.
  var shares: [PoolShare] = []
  /// The pool share of the worker run that the thread is in. Nil if it is in none, or if another wait of the thread
  /// stands for that run.
  var run: PoolShare?
  fileprivate(set) var target = Target.anything
  /// The innermost task of the dispatcher on the thread. It does not go on before the thread does.
  fileprivate(set) var task: RunningTask?
  /// Whether it runs the loop, and whether it is in a worker run of this dispatcher.
  fileprivate(set) var isLoop = false
  fileprivate(set) var isWorker = false
  /// Whether it is in a worker run that makes callbacks, and no other wait of the thread stands for that run.
  fileprivate(set) var isTelling = false
  /// How many callbacks of the dispatcher it is in, without those in which it was blocked before.
  fileprivate(set) var deliveries = 0
  fileprivate var identity: ExecutionIdentity?
  /// Its wait ends by itself, or counts as one that does.
  fileprivate(set) var mayTimeOut = false
  /// Grows in the order in which threads were blocked.
  fileprivate(set) var number = 0
  /// It has to check again, and has not done so yet.
  fileprivate(set) var isFlagged = false
  fileprivate var isWoken = false
  var isAsleep = false

  /// Whether a search for deadlocks looks at it: its wait does not end by itself, and what the dispatcher runs cannot
  /// go on without it.
  fileprivate(set) var isSearched = false
  /// It runs something on top of its wait, and checks again after that.
  fileprivate(set) var isBusy = false
  /// The task that it runs on top of its wait, out of the queue that it waits for.
  var helped: QueuedTask?
  /// A wait of the same thread on top of this one, which began while the thread was busy.
  fileprivate(set) weak var inner: BlockedThread?

  /// It waited for room in a queue, and has got it.
  fileprivate(set) var hasRoom = false
  /// A verdict: it may run the first task of the queue that it waits for.
  var mayHelp = false
  /// A verdict: only threads that wait could end its wait. This is what those wait for.
  var refusal: [WaitLink]?
  /// It was refused. When it stops waiting, the dispatcher searches again.
  fileprivate var wasRefused = false

  // What the last search found. See ``DeadlockSearch``.
  var isLive = false
  var blocker: DeadlockSearch.Blocker?
  var tasks: [RunningTask] = []

  /// The place in the order of submission of the task that it waits with for room. Zero if it waits for something else.
  var orderOfSubmission: UInt64 { if case .room(let task) = target { task.order } else { 0 } }

  /// Whether it waits in `sync` for the admission of `caller`.
  func isWaiting(for caller: QueuedTask) -> Bool {
    if case .admission(let mine) = target { mine === caller } else { false }
  }

  func refuse(_ chain: [WaitLink]) {
    refusal = chain
    wasRefused = true
  }
}

/// The blocked threads of a dispatcher. A value under the dispatcher's lock.
struct BlockedThreads {
  private(set) var threads: [BlockedThread] = []
  /// Callers of `sync` that were admitted, and whose threads have not noticed yet.
  private(set) var admitted = 0
  /// A circle may have been closed by something else than a thread that is about to be blocked. A suspended view goes
  /// on; or a barrier has come into a queue; or a task has ended in a queue where callers wait that are not next; or one thread was refused, and more
  /// circles may be left.
  private(set) var mayCloseCircle = false
  /// Running tasks that cannot go on before something else does: their threads are blocked, or they wait for the body
  /// of their own `sync`.
  private(set) var tasks = 0
  /// Callbacks whose threads are blocked in them.
  private(set) var deliveries = 0
  /// Threads that a search for deadlocks looks at.
  private(set) var searched = 0
  /// Threads that were flagged, and have not checked yet.
  private(set) var flagged = 0
  /// Threads that check after every section of the lock.
  private var checkingAlways = 0
  /// See ``mustWake``.
  private var hasUnwoken = false
  private var lastNumber = 0
  private var spares: [BlockedThread] = []
  #if DEBUG
    var counts = Counts()

    struct Counts {
      /// How many searches for deadlocks there were, and how many threads, tasks and entries they have looked at.
      var (searches, looks) = (0, 0)
      /// How many threads were flagged in all.
      var flags = 0
    }
  #endif

  var isEmpty: Bool { threads.isEmpty }

  /// The threads, and what they wait for, in words.
  var links: [WaitLink] { threads.map(\.link) }

  /// Whether the loop's thread is blocked, with no time-out.
  var holdsLoop: Bool { threads.contains { $0.isSearched && $0.isLoop } }

  // MARK: Beginning and ending

  /// What a thread is to the dispatcher when it is about to be blocked.
  struct Waiter {
    let task: RunningTask?
    let isLoop: Bool
    let isWorker: Bool
    let deliveries: Int
    let mayTimeOut: Bool
    var isTelling = false
  }

  /// Adds a thread that is about to be blocked.
  ///
  /// - Returns: The thread, and how many threads a search looks at because of it: the thread itself, and perhaps an
  ///   outer wait of it.
  mutating func begin(
    _ target: BlockedThread.Target, _ waiter: Waiter
  ) -> (thread: BlockedThread, searched: Int) {
    let before = searched
    let thread = spares.popLast() ?? BlockedThread()
    lastNumber += 1
    thread.number = lastNumber
    thread.target = target
    thread.task = waiter.task
    thread.isLoop = waiter.isLoop
    thread.isWorker = waiter.isWorker
    thread.identity = .ofThread
    if case .anything = target { checkingAlways += 1 }
    flagThoseThatCheckAlways()
    threads.append(thread)
    let outer = threads.last { $0.isBusy && $0.identity == thread.identity }
    outer?.inner = thread
    thread.mayTimeOut = waiter.mayTimeOut
    let holdsSomething =
      waiter.task != nil || waiter.isLoop || waiter.isWorker || outer?.mayTimeOut == false
    let counted = threads.dropLast().reduce(0) { sum, other in
      other.identity == thread.identity ? sum + other.deliveries : sum
    }
    thread.deliveries = waiter.mayTimeOut ? 0 : waiter.deliveries - counted
    deliveries += thread.deliveries
    guard !waiter.mayTimeOut, holdsSomething else { return (thread, 0) }
    // The outer wait was not searched while its thread had nothing that others need. Now the thread is blocked again
    // on top of it.
    if let outer, !outer.isSearched, !outer.mayTimeOut { search(outer) }
    search(thread)
    thread.isTelling =
      waiter.isTelling
      && !threads.contains { $0.isTelling && $0.isSearched && $0.identity == thread.identity }
    if let task = thread.task, !task.isBlocked {
      task.beginWait(on: thread)
      tasks += 1
    }
    return (thread, searched - before)
  }

  private mutating func search(_ thread: BlockedThread) {
    thread.isSearched = true
    searched += 1
  }

  mutating func end(_ thread: BlockedThread) {
    noteChecked(thread)
    if case .anything = thread.target { checkingAlways -= 1 }
    thread.hasRoom = false
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

  // MARK: What the search needs to know

  /// Whether callers of `sync` were admitted whose threads have not noticed yet.
  var hasAdmitted: Bool { admitted > 0 }

  /// Those callers.
  var admittedCallers: [QueuedTask] {
    threads.compactMap {
      guard case .admission(let caller) = $0.target, caller.isAdmitted, !caller.isRejected else {
        return nil
      }
      return caller
    }
  }

  /// A caller of `sync` was admitted. Its thread checks once the lock is free.
  mutating func admit(_ caller: QueuedTask) {
    caller.isAdmitted = true
    admitted += 1
    flag(callerOf: caller)
  }

  /// The thread of a caller that was admitted has noticed it, or a shutdown has rejected the caller.
  mutating func noticeAdmission() { admitted -= 1 }

  /// A running task waits for the body of its own `sync`, which runs on top of it.
  mutating func addTask() { tasks += 1 }

  mutating func removeTask() { tasks -= 1 }

  /// A circle may have been closed by something else than a thread that is about to be blocked.
  mutating func suspectCircle() { mayCloseCircle = true }

  /// Whether a circle may have been closed since this was last asked.
  mutating func takeSuspicion() -> Bool {
    defer { mayCloseCircle = false }
    return mayCloseCircle
  }

  // MARK: Waking

  /// Lets a thread check again once the lock is free. No effect while the thread is busy.
  mutating func flag(_ thread: BlockedThread) {
    guard !thread.isFlagged, !thread.isBusy else { return }
    thread.isFlagged = true
    flagged += 1
    #if DEBUG
      counts.flags += 1
    #endif
    hasUnwoken = true
  }

  /// Something changed that any of the threads may be waiting for.
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
    for thread in waiters(ofGroup: group) { flag(thread) }
  }

  /// The threads that wait until a group is empty.
  func waiters(ofGroup group: ObjectIdentifier) -> [BlockedThread] {
    threads.filter {
      if case .group(let awaited) = $0.target { ObjectIdentifier(awaited) == group } else { false }
    }
  }

  /// The caller of `sync` that `task` stands for was admitted, has run or was rejected.
  mutating func flag(callerOf task: QueuedTask) {
    for thread in threads where thread.isWaiting(for: task) { flag(thread) }
  }

  /// The thread that has waited the longest for room in a queue, and has not got it. Nil if none waits. O(what is
  /// blocked).
  func firstWithoutRoom(in lane: Lane, _ view: UVView?) -> BlockedThread? {
    threads.first { thread in
      guard !thread.hasRoom, case .room(let task) = thread.target else { return false }
      return task.lane == lane && task.view === view
    }
  }

  /// A task has left a queue that was full, and `thread` gets its room.
  mutating func giveRoom(to thread: BlockedThread) {
    thread.hasRoom = true
    flag(thread)
  }

  /// A section of the lock that has changed something ends, or a thread has been blocked.
  mutating func flagThoseThatCheckAlways() {
    guard checkingAlways > 0 else { return }
    for thread in threads where thread.isAsleep {
      if case .anything = thread.target { flag(thread) }
    }
  }

  /// Whether threads have to be woken once the lock is free.
  var mustWake: Bool { hasUnwoken }

  /// The sleepers of the threads that have to be woken, each once.
  mutating func takeSleepers() -> [Sleeper] {
    guard hasUnwoken else { return [] }
    hasUnwoken = false
    return threads.filter { $0.isFlagged && !$0.isWoken }.map { thread in
      thread.isWoken = true
      return thread.sleeper
    }
  }
}
