internal import TaskDispatch

/// The tasks that run, the calls of `flush` that wait for tasks, and the free lists of objects for tasks. A value under
/// the dispatcher's lock.
struct RunningTasks: ~Copyable {
  /// Tasks that run, on any thread, in no particular order.
  @safe private(set) var all: [RunningTask] = []
  /// Threads that make callbacks after the end of a task, in no particular order.
  private(set) var telling: [Telling] = []
  private var lastTelling: UInt64 = 0
  private(set) var flushes: [Flush] = []
  /// Objects of ended tasks.
  private(set) var freeTasks = FreeList()
  /// Running-task contexts of callers of `sync`, which hold nothing.
  private(set) var freeCallers = FreeList()

  /// A thread that makes callbacks after the end of a task.
  struct Telling {
    let number: UInt64
    let lane: Lane
    let thread: ThreadID
  }

  /// A call of `flush`, and the numbers of the tasks that it waits for.
  struct Flush {
    var remaining: Set<UInt64>
    let resume: @Sendable () -> Void
  }

  var count: Int { all.count }

  var isEmpty: Bool { all.isEmpty }

  @inline(__always) mutating func add(_ task: RunningTask) {
    task.runningIndex = all.count
    all.append(task)
  }

  /// Takes out a task that runs. O(1).
  @inline(__always) mutating func remove(_ task: RunningTask) {
    let last = all.removeLast()
    if last !== task {
      all[task.runningIndex] = last
      last.runningIndex = task.runningIndex
    }
  }

  func contains(where matches: (RunningTask) -> Bool) -> Bool { all.contains(where: matches) }

  func filter(_ isWanted: (RunningTask) -> Bool) -> [RunningTask] { all.filter(isWanted) }

  func contains(_ task: RunningTask) -> Bool {
    task.runningIndex < all.count && all[task.runningIndex] === task
  }

  // MARK: Callbacks

  /// A thread makes callbacks after the end of a task, until ``endTelling(_:)``.
  ///
  /// - Returns: Its number, which no other such thread gets.
  mutating func beginTelling(on lane: Lane, by thread: ThreadID) -> UInt64 {
    lastTelling += 1
    telling.append(Telling(number: lastTelling, lane: lane, thread: thread))
    return lastTelling
  }

  mutating func endTelling(_ number: UInt64) -> Telling {
    let index = telling.lastIndex { $0.number == number }!
    telling.swapAt(index, telling.count - 1)
    return telling.removeLast()
  }

  func mapTelling<Result>(_ body: (Telling) -> Result) -> [Result] { telling.map(body) }

  // MARK: Flushes

  var hasFlushes: Bool { !flushes.isEmpty }

  mutating func add(_ flush: Flush) { flushes.append(flush) }

  /// The task with this number has ended.
  ///
  /// - Returns: The calls of `flush` that have no task left to wait for. They are taken out.
  mutating func endedFlushes(by number: UInt64? = nil) -> [Flush] {
    if let number {
      for index in flushes.indices { flushes[index].remaining.remove(number) }
    }
    let ended = flushes.filter(\.remaining.isEmpty)
    flushes.removeAll(where: \.remaining.isEmpty)
    return ended
  }

  // MARK: Free lists

  mutating func takeFreeTask() -> QueuedTask? { freeTasks.take() }

  /// Keeps the object of an ended task for a later one, unless other code still refers to it.
  mutating func keep(_ task: consuming QueuedTask) {
    guard freeTasks.count < FreeList.most, isKnownUniquelyReferenced(&task) else { return }
    task.dropAll()
    freeTasks.add(task)
  }

  @inline(__always) mutating func takeFreeCaller() -> QueuedTask? { freeCallers.take() }

  /// Keeps the context of a caller whose body has ended, unless other code still refers to it.
  @inline(__always) mutating func keep(caller context: consuming QueuedTask) {
    guard freeCallers.count < FreeList.most, isKnownUniquelyReferenced(&context) else { return }
    context.leaveView()
    freeCallers.add(context)
  }
}
