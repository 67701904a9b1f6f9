internal import TaskDispatch

/// The scheduler of a ``UVDispatcher``: the lock, what is done when it is freed, the loop's iterations and the worker
/// runs. `Engine/README.md` explains how the parts work together.
///
/// ``core`` holds all that needs the lock. Each section of the lock has a beginning, ``lock()``, and one of these
/// ends:
///
/// - ``unlock(outsideTasks:)`` reconciles first: it derives from the state which wake-ups are due, and performs them
///   and the deferred callbacks once the lock is free.
/// - ``free()`` does not, for a section that has added nothing that could start.
/// - ``park(_:until:)`` reconciles as well, and then blocks the thread.
final class Engine: @unchecked Sendable {
  let monitor = Monitor()
  /// Touched under ``monitor`` only.
  let core: Core
  /// Used without the lock.
  let doors: Doors
  let loop: EventLoop
  /// The configuration without the observer. Only the core holds that, so that the end of the dispatcher releases it
  /// with the rest.
  let settings: UVDispatcher.Configuration
  /// The monotonic time that counts as zero, in nanoseconds.
  private let origin: Int64
  /// The running-task context in which the loop's thread runs plain tasks and simple items. Touched by
  /// that thread.
  lazy var loopContext = core.makeContext(on: .foreground)
  private var owner = Backlink<UVDispatcher>()

  /// - Parameters:
  ///   - settings: Has no observer.
  ///   - width: The most background bodies that run at a time.
  ///   - threads: The most worker runs at a time.
  /// - Throws: ``UVError`` if the system has no descriptors or memory left. Nothing is left behind then.
  init(
    _ settings: UVDispatcher.Configuration, observer: (any TaskObserver)?, width: Int, threads: Int
  ) throws(UVError) {
    self.settings = settings
    loop = try EventLoop()
    origin = monotonicNanoseconds()
    core = Core(settings, observer: observer, width: width, threads: threads, origin: origin)
    doors = core.doors
  }

  /// Says whose engine this is. Once, before other code uses it.
  ///
  /// - Parameter poolThreads: How many threads libuv's pool has.
  func connect(to dispatcher: UVDispatcher, poolThreads: Int) {
    owner.set(dispatcher)
    doors.dispatcher = ObjectIdentifier(dispatcher)
    core.share = makeShare(poolThreads: poolThreads)
    loop.onIteration = { [unowned self] in iterate() }
  }

  /// The dispatcher whose engine this is. Only for code that keeps the dispatcher alive: an engine can outlive it.
  var dispatcher: UVDispatcher { owner.object }

  /// Calls `body` with the engine of a dispatcher that may lose its last reference at any time, and keeps the
  /// dispatcher until `body` has returned. For threads and closures that refer to the dispatcher weakly: the engine
  /// uses its dispatcher, and a reference to the engine alone does not keep that.
  ///
  /// - Returns: Nil if there is no dispatcher any more. Then `body` is not called.
  static func ofLiving<Result>(
    _ dispatcher: UVDispatcher?, _ body: (Engine) -> Result
  ) -> Result? {
    guard let dispatcher else { return nil }
    defer { withExtendedLifetime(dispatcher) {} }
    return body(dispatcher.engine)
  }

  /// This dispatcher's share of the pool. Any thread, without the lock.
  var share: PoolShare { core.share }

  /// Ends everything that is left. The dispatcher calls it when its last reference goes.
  func end() {
    core.closing.endDeadline()
    core.share.leave()
    // Running bodies and worker runs hold the dispatcher, so none is left, and no other thread uses it.
    monitor.lock()
    core.deferReportsOfEnds()
    // No variable of this thread holds any of it, since another thread may have to release it.
    let leftovers = Leftovers(
      core.releaseEverything(), core.callbacks.isEmpty ? nil : core.callbacks.take(),
      observers: core.observation.takeAll())
    monitor.unlock()
    leftovers.end(named: settings.label)
  }

  /// The dispatcher's own class of a queue's view; nil for a lane. Traps if the view belongs to another dispatcher.
  func view(_ view: QueueView?) -> UVView? {
    guard let view else { return nil }
    guard let mine = view as? UVView, mine.owner == doors.name else {
      refuse("the queue \"\(view.label)\" belongs to another dispatcher")
    }
    return mine
  }

  // MARK: Time

  /// The monotonic time since the dispatcher was made. Any thread, without the lock.
  var now: DispatcherInstant { DispatcherInstant(nanoseconds: monotonicNanoseconds() - origin) }

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
    core.reconcile()
    let runs = core.workers.takePending()
    let wakes = core.loop.takePending()
    if runs == 0, !wakes, core.callbacks.isEmpty { return free() }
    var contents: DeferredCallbacks.Contents?
    if !core.callbacks.isEmpty {
      contents = core.callbacks.take()
      doors.callbackCounts.begin()
    }
    let isEnding = contents != nil && core.closing.hasBegun
    if isEnding { doors.callbackCounts.beginWakingAtTheEnd() }
    free()
    if runs > 0 { startWorkers(runs) }
    if wakes { wakeLoop() }
    let delivers = contents != nil
    // In a scope of its own: what the callbacks held is released before they are counted as made.
    if let contents = contents.take() { deliver(contents, outsideTasks: outsideTasks, isEnding) }
    guard delivers, doors.callbackCounts.end() else { return }
    lock()
    unlockDelivered()
  }

  /// Sends a wake-up that was pending. The thread that closes the loop waits for this, so no user code runs before
  /// it has ended.
  @inline(never) private func wakeLoop() {
    loop.wake()
    lock()
    core.loop.endWake()
    free()
  }

  /// Frees the lock after a section that has taken `item` out of its queue, and gives the item its outcome. It does
  /// what ``unlock(outsideTasks:)`` would do with a deferred callback for that, but defers none if nothing else has
  /// to be done.
  ///
  /// - Parameter dispatcher: The dispatcher, which the caller has at hand: ``dispatcher`` would count a reference.
  @inline(__always) func unlock(
    ending item: WorkItem, _ outcome: Outcome, in dispatcher: UVDispatcher
  ) {
    guard let telling = item.setOutcome(outcome) else { return unlock() }
    core.reconcile()
    guard !core.workers.hasPending, !core.loop.hasPending, !telling.isAwaited,
      !core.closing.hasBegun
    else {
      core.deferTelling(of: item, outcome, telling)
      return unlock()
    }
    assert(
      core.callbacks.isEmpty, "an item without a task was taken out, and callbacks are pending")
    doors.callbackCounts.begin()
    free()
    TaskContext.delivering(for: dispatcher, outsideTasks: false) {
      item.wakeThreads(telling)
      item.resume(outcome, telling)
      item.tell(outcome, telling)
    }
    guard doors.callbackCounts.end() else { return }
    lock()
    unlockDelivered()
  }

  /// Frees the lock after callbacks were delivered. A shutdown, or a loop that leaves when it is idle, may wait for
  /// that: then the loop gets another iteration.
  @inline(never) private func unlockDelivered() {
    guard core.closing.hasBegun || core.leavesWhenIdle else { return free() }
    core.loop.want()
    unlock()
  }

  /// Frees the lock after a section that has added nothing that could start, and ended nothing that another thread
  /// waits for without being flagged. So no invariant has to be restored, and no callback is deferred.
  @inline(__always) func free() {
    if core.blocked.isEmpty { monitor.unlock(telling: false) } else { freeAndWake() }
  }

  /// Frees the lock, and wakes the blocked threads that have to check again.
  @inline(never) func freeAndWake() {
    core.blocked.flagThoseThatCheckAlways()
    core.judge()
    let sleepers = core.blocked.takeSleepers()
    monitor.unlock(telling: false)
    for sleeper in sleepers { sleeper.wake() }
  }

  @inline(never) private func startWorkers(_ count: Int) {
    let dispatcher = dispatcher
    for _ in 0..<count { WorkerRuns.start { dispatcher.engine.work() } }
  }

  /// Makes the deferred callbacks. Before it returns, it releases them and the bodies that they hold: the caller
  /// takes the lock after that, and a `deinit` may want the lock too.
  ///
  /// - Parameter isEnding: Whether a shutdown goes on, which may wait for the work that the woken threads bring.
  @inline(never) private func deliver(
    _ contents: consuming DeferredCallbacks.Contents, outsideTasks: Bool, _ isEnding: Bool
  ) {
    var contents = Optional(contents)
    TaskContext.delivering(for: dispatcher, outsideTasks: outsideTasks) {
      switch contents.take() {
      case .one(let note):
        note.wake()
        note.resume()
        if isEnding { doors.callbackCounts.endWakingAtTheEnd() }
        note.deliver()
      case .several(let notes):
        for note in notes { note.wake() }
        for note in notes { note.resume() }
        if isEnding { doors.callbackCounts.endWakingAtTheEnd() }
        for note in notes { note.deliver() }
      case nil: break
      }
    }
  }

  /// Under the lock, on a thread that has ended a task and holds no other: makes the deferred callbacks, in no task,
  /// with the lock free. Until it returns, another worker run may have this one's place in the width.
  ///
  /// - Parameter lane: That of the task. Most often a worker tells for the background, and no other thread does.
  @inline(__always) func tellIfDue(_ core: Core, isWorker: Bool, on lane: Lane? = nil) {
    if !core.callbacks.isEmpty {
      tellNow(core, isWorker: isWorker, on: lane ?? (isWorker ? .background : .foreground))
    }
  }

  @inline(never) private func tellNow(_ core: Core, isWorker: Bool, on lane: Lane) {
    if isWorker { core.workers.beginTelling() }
    let number = core.beginTelling(on: lane)
    unlock(outsideTasks: true)
    lock()
    core.endTelling(number)
    if isWorker { core.workers.endTelling() }
  }

  // MARK: What a thread does outside the lock

  /// Notifies a consumer of an inbox, after a post that says that it has to: wakes the loop, or asks for a worker run.
  @inline(never) func notifyConsumer(of lane: Lane) {
    let isClosed: Bool
    switch lane {
    case .foreground:
      doors.hints.noteWakeForPosts(at: now.nanoseconds)
      loop.wake()
      isClosed = doors.foreground.hasNotified()
    case .background:
      requestWorker()
      isClosed = doors.background.hasNotified()
    }
    // The thread that closes the loop waits until no other thread is about to wake it.
    if isClosed { letBlockedThreadsCheck() }
  }

  /// Has a worker run started for what was posted to the background, if one is needed. The end of the section
  /// reconciles: that starts the first run. ``Core/startAnother()`` may start a second one.
  private func requestWorker() {
    lock().startAnother()
    unlock()
  }

  /// Lets the blocked threads that check after every section of the lock do so: something changed outside it.
  func letBlockedThreadsCheck() {
    lock()
    unlock()
  }

  // MARK: Where am I

  /// The task of this dispatcher that the calling code is in, or nil.
  var currentTask: RunningTask? { TaskContext.isOutsideTasks ? nil : innermostTask }

  /// The innermost task of this dispatcher on the calling thread. There may be one although the calling code is in no
  /// task: in a callback after the end of a task.
  var innermostTask: RunningTask? {
    let mine = doors.dispatcher
    // All running-task contexts of this dispatcher are of this class.
    return TaskContext.first { $0.queue.dispatcher == mine } as? RunningTask
  }
}
