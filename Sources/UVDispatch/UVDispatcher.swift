internal import Synchronization
public import TaskDispatch

/// The real dispatcher: the foreground is a libuv loop, the background is libuv's thread pool.
///
/// ```swift
/// let dispatcher = try UVDispatcher()
/// dispatcher.background {
///   let digest = sha256(of: path)
///   dispatcher.foreground { print(digest) }
/// }
/// let report = dispatcher.run()   // this thread is the foreground until the dispatcher is shut down
/// ```
///
/// It keeps the rules of ``TaskDispatch/TaskDispatcher``. Background work starts at once, before the loop runs and
/// while it is blocked. Foreground work and timers need the loop.
///
/// A dispatcher lives for as long as any of these holds:
///
/// - A queue, a handle or a running body of it exists.
/// - Background work of it can still start.
/// - A Task that prefers one of its queues is not over.
/// - Its loop runs. A dispatcher that was started therefore lives until it is shut down.
///
/// If the last reference goes without a shutdown, the dispatcher cancels the work that it still holds, and reports
/// nothing.
public final class UVDispatcher: TaskDispatcher, @unchecked Sendable {
  // `core` is touched under `monitor`, except for its inboxes, its atomics, its constants, and the members that say
  // so. The other properties do not change.
  let monitor = Monitor()
  private let core: Core
  let loop: EventLoop
  let executors = LaneExecutors()
  /// The configuration that the dispatcher was made with. Any thread.
  public var configuration: Configuration {
    var configuration = settings
    configuration.observer = core.observer
    return configuration
  }
  /// The configuration without the observer. Only the core holds that, so that the end of the dispatcher releases it
  /// with the rest.
  let settings: Configuration
  /// How many threads libuv's pool has. All dispatchers of the process, and libuv itself, share them.
  public let effectivePoolThreads: Int
  /// The most background bodies that run at a time: what the configuration asks for, as far as the pool has threads.
  /// If the pool has two or more, one of them stays free for libuv's own work.
  ///
  /// Fewer run while other dispatchers of the process use the pool, or have used it and may again.
  public let effectiveBackgroundWidth: Int
  private let origin: Int64
  /// Nil without an observer, which is the only one that it reports to.
  private let watchdog: Watchdog?

  /// Makes a dispatcher. The first one of a process also starts libuv's pool. The loop does not run yet. Any thread.
  ///
  /// Traps if the configuration makes no sense: a width, a limit or a budget below 1, or a time that must be positive
  /// and is not.
  ///
  /// - Throws: ``ConfigurationError`` if the environment makes no sense; ``UVError`` if the system has no
  ///   descriptors, memory or threads left. Nothing of the dispatcher is left behind then.
  public init(_ configuration: Configuration = Configuration()) throws {
    configuration.validate()
    let observer = configuration.observer
    var configuration = configuration
    configuration.observer = nil
    settings = configuration
    effectivePoolThreads = try ThreadPool.threads()
    let most = max(1, effectivePoolThreads - 1)
    effectiveBackgroundWidth = min(configuration.backgroundWidth ?? most, most)
    ForkGuard.prepare()
    loop = try EventLoop()
    origin = monotonicNanoseconds()
    core = Core(
      configuration, observer: observer, width: effectiveBackgroundWidth, threads: most,
      origin: origin)
    watchdog = observer == nil ? nil : Watchdog()
    core.dispatcher = ObjectIdentifier(self)
    core.share = makeShare()
    loop.onTurn = { [unowned self] in turn() }
    if let watchdog {
      core.wakeWatchdog = { watchdog.wake() }
      try watchdog.start(named: configuration.label, watching: self)
    }
  }

  deinit {
    // In a forked child the remaining work is the parent's, and a lock may be held by a thread that the child does
    // not have.
    if ForkGuard.isForked { return }
    watchdog?.end()
    core.shutdownDeadline?.end()
    core.share.leave()
    // Running bodies and worker runs hold the dispatcher, so none is left, and no other thread uses it.
    monitor.lock()
    // No variable of this thread holds any of it, since another thread may have to release it.
    let leftovers = Leftovers(
      core.releaseEverything(), core.outbox.isEmpty ? nil : core.outbox.take(),
      observer: core.observer.take())
    monitor.unlock()
    leftovers.end(named: settings.label)
  }

  // MARK: Queues

  public var foreground: TaskQueue { TaskQueue(dispatcher: self, lane: .foreground) }
  public var background: TaskQueue { TaskQueue(dispatcher: self, lane: .background) }

  public func makeQueue(label: String, width: Int) -> TaskQueue {
    QueueView.require(width: width, label: label)
    let view = UVView(
      label: label, width: width, workerWidth: effectiveBackgroundWidth,
      agingStep: settings.agingStep.clampedNanoseconds)
    withCore { $0.add(view) }
    return TaskQueue(dispatcher: self, view: view, lane: .background)
  }

  func view(_ view: QueueView?) -> UVView? {
    guard let view else { return nil }
    guard let mine = view as? UVView else {
      refuse("the queue \"\(view.label)\" belongs to another dispatcher")
    }
    return mine
  }

  // MARK: Time and numbers

  /// The monotonic time since the dispatcher was made. Any thread, without the lock.
  public var now: DispatcherInstant {
    DispatcherInstant(nanoseconds: monotonicNanoseconds() - origin)
  }

  public var ledger: Ledger {
    withCore { core in
      core.collect()
      return core.ledger
    }
  }

  /// Converts a time of this dispatcher, in nanoseconds, to the monotonic clock.
  func monotonic(_ nanoseconds: Int64) -> Int64 { nanoseconds.addingClamped(origin) }

  // MARK: The lock

  /// Runs `body` under the lock, frees the lock, and then does what `body` has left to be done without it.
  func withCore<Result, Failure: Error>(
    _ body: (Core) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock()
    defer { unlock() }
    return try body(core)
  }

  /// The core, without taking the lock. For code that holds the lock, and for those members of the core that need
  /// none: see ``core``.
  var lockedCore: Core { core }

  /// This dispatcher's share of the pool. Any thread, without the lock.
  var share: PoolShare { core.share }

  @discardableResult
  func lock() -> Core {
    monitor.lock()
    core.clock.forget()
    return core
  }

  /// Restores the invariants and frees the lock. Then starts the pending worker runs, wakes the loop if that is
  /// pending, and makes the deferred callbacks.
  ///
  /// - Parameter outsideTasks: Whether the callbacks run in no task, as they do after the end of a task. Otherwise
  ///   they run in the task of the calling code, whose call has caused them.
  func unlock(outsideTasks: Bool = false) {
    core.settle()
    let leases = core.workers.takePending()
    let wakes = core.loop.takePending()
    if leases == 0, !wakes, core.outbox.isEmpty { return free() }
    var contents: Outbox.Contents?
    if !core.outbox.isEmpty {
      contents = core.outbox.take()
      core.deliveries.add(1, ordering: .relaxed)
    }
    let delivers = contents != nil
    let isEnding = delivers && core.shutdown != nil
    if isEnding { core.wakesAtTheEnd.add(1, ordering: .relaxed) }
    free()
    for _ in 0..<leases { Leases.start { self.work() } }
    if wakes { loop.wake() }
    if let contents = contents.take() { deliver(contents, outsideTasks: outsideTasks, isEnding) }
    let isAwaited = delivers && core.endDelivery()
    guard wakes || isAwaited else { return }
    lock()
    if wakes { core.loop.endWake() }
    isAwaited ? unlockDelivered() : free()
  }

  /// Frees the lock after a section that has taken `item` out of its queue, and gives the item its outcome. It does
  /// what ``unlock(outsideTasks:)`` would do with a deferred callback for that, but defers none if nothing else has
  /// to be done.
  @inline(__always) func unlock(ending item: WorkItem, _ outcome: Outcome) {
    guard let telling = item.setOutcome(outcome) else { return unlock() }
    core.settle()
    guard core.workers.pending == 0, !core.loop.isPending, !telling.isAwaited, core.shutdown == nil
    else {
      core.deferTelling(of: item, outcome, telling)
      return unlock()
    }
    assert(core.outbox.isEmpty, "an item without a task was taken out, and callbacks are pending")
    core.deliveries.add(1, ordering: .relaxed)
    free()
    TaskFrame.delivering(for: self, outsideTasks: false) {
      item.wakeThreads(telling)
      item.resume(outcome, telling)
      item.tell(outcome, telling)
    }
    guard core.endDelivery() else { return }
    lock()
    unlockDelivered()
  }

  /// Frees the lock after callbacks were delivered. A shutdown, or a loop that leaves when it is idle, may wait for
  /// that: then the loop gets another iteration.
  @inline(never) private func unlockDelivered() {
    guard core.shutdown != nil || core.leavesWhenIdle else { return free() }
    core.loop.isWanted = true
    unlock()
  }

  /// Frees the lock after a section that has added nothing that could start, and ended nothing that other threads
  /// wait for. So no invariant has to be restored, and no callback is deferred.
  @inline(__always) func free() {
    if core.blocked.isEmpty { monitor.unlock(telling: false) } else { freeAndWake() }
  }

  /// Frees the lock, and wakes the blocked threads that have to check again.
  @inline(never) func freeAndWake() {
    core.blocked.flagThoseThatCheckAlways()
    core.judge()
    guard core.blocked.hasUnwoken else { return monitor.unlock(telling: false) }
    let sleepers = core.blocked.takeSleepers()
    monitor.unlock(telling: false)
    for sleeper in sleepers { sleeper.wake() }
  }

  /// Makes the deferred callbacks. Before it returns, it releases them and the bodies that they hold: the caller
  /// takes the lock after that, and a `deinit` may want the lock too.
  ///
  /// - Parameter isEnding: Whether a shutdown goes on, which may wait for the work that the woken threads bring.
  @inline(never) private func deliver(
    _ contents: consuming Outbox.Contents, outsideTasks: Bool, _ isEnding: Bool
  ) {
    var contents = Optional(contents)
    TaskFrame.delivering(for: self, outsideTasks: outsideTasks) {
      switch contents.take() {
      case .one(let note):
        note.wake()
        note.resume()
        if isEnding { core.wakesAtTheEnd.subtract(1, ordering: .releasing) }
        note.deliver()
      case .several(let notes):
        for note in notes { note.wake() }
        for note in notes { note.resume() }
        if isEnding { core.wakesAtTheEnd.subtract(1, ordering: .releasing) }
        for note in notes { note.deliver() }
      case nil: break
      }
    }
  }

  /// Under the lock, on a thread that has ended a task and holds no other: makes the deferred callbacks, in no task,
  /// with the lock free. Until it returns, another worker run may have this one's place in the width.
  @inline(__always) func tellIfDue(_ core: Core, isWorker: Bool) {
    if !core.outbox.isEmpty { tellNow(core, isWorker: isWorker) }
  }

  @inline(never) private func tellNow(_ core: Core, isWorker: Bool) {
    if isWorker { core.workers.beginTelling() }
    unlock(outsideTasks: true)
    lock()
    if isWorker { core.workers.endTelling() }
  }

  // MARK: Where am I

  /// The task of this dispatcher that the calling code is in, or nil.
  var currentTask: QueuedTask? { TaskFrame.isOutsideTasks ? nil : innermostTask }

  /// The innermost task of this dispatcher on the calling thread. There may be one although the calling code is in no
  /// task: in a callback after the end of a task.
  var innermostTask: QueuedTask? {
    let mine = ObjectIdentifier(self)
    // All running-task contexts of this dispatcher are of this class.
    return TaskFrame.first { $0.queue.dispatcher == mine } as? QueuedTask
  }
}
