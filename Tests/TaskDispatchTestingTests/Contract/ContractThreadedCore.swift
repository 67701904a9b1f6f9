import TaskDispatch
import TaskDispatchTesting

/// Everything a ``ThreadedDispatcher`` knows. Touched under its monitor only.
final class ThreadedCore {
  let configuration: ContractConfiguration
  var now = DispatcherInstant.start
  var ledger = Ledger()
  var foreground: ReadyQueue<ThreadedTask>
  var due: ReadyQueue<ThreadedTask>
  var pool: PoolOrder<ThreadedTask>
  var views: [ThreadedView] = []
  var timers = DeadlineQueue<ThreadedTask>()
  /// Notifications whose group is not empty.
  var held: [ThreadedTask] = []
  var withoutRoom: [ThreadedTask] = []
  var running: [ThreadedTask] = []
  /// Tasks whose threads wait in a call that has no time-out.
  var blocked: Set<UInt64> = []
  /// Callers whose turn has come, and who have not noticed yet.
  var granted = 0
  /// The tasks of items that have not ended.
  var tasks: [ObjectIdentifier: ThreadedTask] = [:]
  /// The repeating timer of a run that has not ended.
  var repeats: [ObjectIdentifier: ThreadedTask] = [:]
  var limited: [TaskQueue.Identity: Int] = [:]
  var flushes: [(remaining: Set<UInt64>, wake: @Sendable () -> Void)] = []
  var taskExecutors: [TaskQueue.Identity: ThreadedTaskExecutor] = [:]
  var serialExecutors: [TaskQueue.Identity: ThreadedSerialExecutor] = [:]
  /// What is done once the monitor is free, and how many threads are at it.
  var outbox: [() -> Void] = []
  var deliveries = 0
  var lastID: UInt64 = 0
  var threads = 0
  var loopRuns = false
  var isFinished = false
  var shutdown: ThreadedShutdown?
  let shutdownFlag = ShutdownFlag()

  init(_ configuration: ContractConfiguration) {
    self.configuration = configuration
    let step = configuration.agingStep.clampedNanoseconds
    func relocated(_ task: borrowing ThreadedTask, _ position: Int) { task.position = position }
    foreground = ReadyQueue(agingStep: step, relocated: relocated)
    due = ReadyQueue(agingStep: step, relocated: relocated)
    pool = PoolOrder(width: configuration.width, agingStep: step, relocated: relocated)
  }

  // MARK: Submitting

  func makeTask(
    _ work: ThreadedTask.Work, on queue: TaskQueue, label: String?, site: CallSite,
    parent: ThreadedTask?
  ) -> ThreadedTask {
    lastID += 1
    return ThreadedTask(
      work, id: lastID, queue: queue, label: label, site: site, parent: parent?.id, at: now,
      shutdown: shutdownFlag)
  }

  func tell(_ kind: TaskEvent.Kind, _ task: ThreadedTask) {
    guard let observer = configuration.observer else { return }
    let event = TaskEvent(kind, task.record, at: now)
    outbox.append { observer.observe(event) }
  }

  /// Ends the item of `task`, if it has one, and lets go of its body: once the monitor is free.
  private func release(_ task: ThreadedTask, _ outcome: Outcome) {
    let work = task.release()
    outbox.append {
      task.item?.finish(outcome)
      withExtendedLifetime(work) {}
    }
    if let item = task.item { tasks[ObjectIdentifier(item)] = nil }
  }

  func refuse(_ task: ThreadedTask, _ refusal: Refusal) {
    ledger.refused += 1
    tell(.refused(refusal), task)
    release(task, .refused(refusal))
  }

  func accept(_ task: ThreadedTask) {
    ledger.accepted += 1
    ledger.waiting += 1
    tell(.enqueued, task)
  }

  func isFull(_ task: ThreadedTask) -> Bool {
    guard let limit = configuration.overflow.limit, task.countsAgainstLimits else { return false }
    return limited[task.queue, default: 0] >= limit
  }

  func poolView(_ view: QueueView?) -> PoolView<ThreadedTask> {
    (view as? ThreadedView)?.pool ?? pool.background
  }

  func enqueue(_ task: ThreadedTask) {
    if task.countsAgainstLimits { limited[task.queue, default: 0] += 1 }
    if task.lane == .foreground {
      task.position = foreground.push(task, in: .medium)
      return
    }
    let time = now.nanoseconds
    task.position = pool.submit(
      task, to: poolView(task.view), in: task.site.band, isBarrier: task.isBarrier, now: { time })
    handOutGrants()
  }

  func handOutGrants() {
    for grant in pool.takeGrants() {
      grant.taken.entry.lease = grant.lease
      grant.taken.entry.isGranted = true
      granted += 1
    }
  }

  // MARK: Taking

  func startOnWorker() -> ThreadedTask? {
    let time = now.nanoseconds
    defer { handOutGrants() }
    while let next = pool.start(now: { time }) {
      if taken(next) { return next.taken.entry }
    }
    return nil
  }

  /// The next task of a view, for a worker that waits in its `sync`.
  func startToHelp(_ queue: TaskQueue) -> ThreadedTask? {
    let time = now.nanoseconds
    defer { handOutGrants() }
    while let next = pool.startToHelp(poolView(queue.view), now: { time }) {
      if taken(next) { return next.taken.entry }
    }
    return nil
  }

  private func taken(_ next: PoolOrder<ThreadedTask>.Started) -> Bool {
    next.taken.entry.lease = next.lease
    if begin(next.taken.entry) { return true }
    let time = now.nanoseconds
    pool.finish(next.lease, now: { time })
    return false
  }

  func takeForeground() -> ThreadedTask? {
    let time = now.nanoseconds
    while let task = due.take(now: { time }) ?? foreground.take(now: { time }) {
      if begin(task) { return task }
    }
    return nil
  }

  /// Counts a task that was taken as started. False if it has expired.
  @discardableResult
  func begin(_ task: ThreadedTask) -> Bool {
    noteTaken(task)
    if let item = task.item {
      if let timeToLive = item.timeToLive, now > item.place.since.advanced(by: timeToLive) {
        endUnstarted(task, .expired)
        return false
      }
      guard item.begin() else { return false }
    }
    ledger.waiting -= 1
    ledger.running += 1
    running.append(task)
    tell(.started, task)
    return true
  }

  func noteTaken(_ task: ThreadedTask) {
    guard task.countsAgainstLimits else { return }
    limited[task.queue, default: 0] -= 1
    for (index, waiting) in withoutRoom.enumerated() where !isFull(waiting) {
      withoutRoom.remove(at: index)
      return enqueue(waiting)
    }
  }

  // MARK: Ending

  func finish(_ task: ThreadedTask, _ outcome: Outcome) {
    if let lease = task.lease {
      let time = now.nanoseconds
      pool.finish(lease, now: { time })
      handOutGrants()
    }
    task.hasRun = true
    running.removeAll { $0 === task }
    guard !task.isAbandoned else { return }
    ledger.running -= 1
    ledger.count(outcome)
    tell(.finished(outcome), task)
    ended(task)
    release(task, outcome)
  }

  func endUnstarted(_ task: ThreadedTask, _ outcome: Outcome) {
    ledger.waiting -= 1
    ledger.count(outcome)
    tell(.finished(outcome), task)
    ended(task)
    release(task, outcome)
  }

  private func ended(_ task: ThreadedTask) {
    for index in flushes.indices { flushes[index].remaining.remove(task.id) }
    settleFlushes()
    endRun(task)
  }

  func settleFlushes() {
    for flush in flushes where flush.remaining.isEmpty { outbox.append(flush.wake) }
    flushes.removeAll { $0.remaining.isEmpty }
  }

  /// Everything of a queue that waits in it or runs.
  func unfinished(on queue: TaskQueue.Identity) -> Set<UInt64> {
    var ids = Set<UInt64>()
    func add(_ task: ThreadedTask) { if task.queue == queue { ids.insert(task.id) } }
    running.forEach(add)
    withoutRoom.forEach(add)
    foreground.forEach(add)
    due.forEach(add)
    pool.background.queue.ready.forEach(add)
    for view in views { view.pool.queue.ready.forEach(add) }
    return ids
  }
}
