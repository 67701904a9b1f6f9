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
/// let report = dispatcher.run()   // this thread is the foreground until somebody shuts down
/// ```
///
/// It keeps the rules of ``TaskDispatch/TaskDispatcher``. Background work starts at once, before the
/// loop runs and while it is blocked; foreground work and timers need the loop.
///
/// A dispatcher lives until its last queue, handle and running body are gone, the background work that can
/// start has run, and the last Task that prefers one of its queues is over; and while its loop runs: one that was
/// started lives until it is shut down. One that is let go of without a shutdown cancels what it still holds, and
/// says nothing.
public final class UVDispatcher: TaskDispatcher, @unchecked Sendable {
  // `core` is touched under `monitor` only; the rest does not change.
  let monitor = Monitor()
  private let core: Core
  let loop: EventLoop
  let executors = LaneExecutors()
  public var configuration: Configuration {
    var configuration = settings
    configuration.observer = core.observer
    return configuration
  }
  /// Without the observer, which the core has alone: it goes with what else is let go of at the end.
  let settings: Configuration
  /// How many threads libuv's pool has. The whole process shares them.
  public let effectivePoolThreads: Int
  /// How many background bodies run at a time: what the configuration asks for, as far as the pool
  /// has threads, one of them left free for others if it has two or more. Fewer while other dispatchers of
  /// the process use the pool, or have used it and may again.
  public let effectiveBackgroundWidth: Int
  private let origin: Int64
  /// Nil without an observer: there would be nobody to tell.
  private let watchdog: Watchdog?

  /// - Throws: ``ConfigurationError`` if the environment makes no sense; ``UVError`` if the system
  ///   has no descriptors or memory left. Nothing is left behind then.
  ///
  /// Traps if the configuration makes no sense: a width, a limit or a budget below 1.
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
    // What is left is the parent's, and so are the locks.
    if ForkGuard.isForked { return }
    watchdog?.end()
    core.shutdownDeadline?.end()
    core.share.leave()
    // Nobody else holds it, so nothing runs: bodies and leases hold it.
    monitor.lock()
    // No variable of this thread holds any of it: it may be released by another one.
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

  /// Nanoseconds of monotonic time since the dispatcher was made.
  public var now: DispatcherInstant {
    DispatcherInstant(nanoseconds: monotonicNanoseconds() - origin)
  }

  public var ledger: Ledger {
    withCore { core in
      core.collect()
      return core.ledger
    }
  }

  /// That time of this dispatcher on the monotonic clock.
  func monotonic(_ nanoseconds: Int64) -> Int64 { nanoseconds.addingClamped(origin) }

  // MARK: The lock

  /// Runs `body` under the lock, and then does what it has left to be done without it.
  func withCore<Result, Failure: Error>(
    _ body: (Core) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock()
    defer { unlock() }
    return try body(core)
  }

  /// What ``lock()`` returned, for those who are under it.
  var lockedCore: Core { core }

  /// Any thread.
  var share: PoolShare { core.share }

  @discardableResult
  func lock() -> Core {
    monitor.lock()
    core.clock.forget()
    return core
  }

  /// Frees the lock: starts the leases and wakes the loop if they are owed, and makes the deferred
  /// callbacks.
  ///
  /// - Parameter outsideTasks: Whether callbacks run in no task's context, as they do after the end of a
  ///   task. What a call of user code ends is told in the context of that code.
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

  /// Frees the lock after a section that has taken `item` out, and gives that its outcome: what ``unlock()``
  /// does with a note of that, without the note if there is nothing else to be done.
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

  /// Frees the lock after what has been delivered: others may wait for that.
  @inline(never) private func unlockDelivered() {
    guard core.shutdown != nil || core.leavesWhenIdle else { return free() }
    core.loop.isWanted = true
    unlock()
  }

  /// Frees the lock after a section in which nothing was added that could start, nor ended that others
  /// waited for: so there is nothing to settle, and nothing to tell.
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

  /// Makes the deferred callbacks, and releases them and the bodies that they hold before it returns: the
  /// lock is taken again after it, and a `deinit` may want it too.
  ///
  /// - Parameter isEnding: Whether a shutdown may wait for what the wakes bring.
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

  /// Under the lock, on a thread that has ended a task and holds no other one: makes the callbacks that
  /// are due, in no task's context, with the lock free. Its share of the pool is free for other threads
  /// until it returns.
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

  /// The task of this dispatcher that runs innermost on this thread: also if the calling code is in none,
  /// because a dispatcher calls back after the end of one.
  var innermostTask: QueuedTask? {
    let mine = ObjectIdentifier(self)
    // Frames of this dispatcher are all tasks.
    return TaskFrame.first { $0.queue.dispatcher == mine } as? QueuedTask
  }
}
