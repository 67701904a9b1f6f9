internal import TaskDispatch

/// The object of one task, made before the task starts: it stands for the task while that waits, and is the
/// running-task context of its body.
///
/// Items and plain tasks wait without such an object. One is made when a task starts that cannot run in its thread's
/// ``BatchContext``, or when code asks for what only the object tells: see ``Core/task(for:)`` and
/// ``Core/materialisePlainTasks()``.
final class QueuedTask: RunningTask {
  enum Work {
    case plain(@Sendable () -> Void)
    case item(WorkItem)
    case job(UnownedJob, any UVExecutor)
    /// A caller that is blocked in `sync`. Its thread runs the body. On the foreground the loop's thread does: then the
    /// caller passes the body here.
    case caller(SyncCaller?)
    /// What waits in `DispatchQueue.main`.
    case mainQueue(of: EventLoop)

    /// Whether to release it may run user code. The body of an item is released when its outcome is told.
    var holdsUserCode: Bool { if case .plain = self { true } else { false } }
  }

  private enum Role {
    /// A plain task or an item.
    case submission
    case caller, job
  }

  // Touched by the thread that runs the body from its start on, else under the dispatcher's lock.
  @safe @exclusivity(unchecked) private var work: Work?
  private var role = Role.submission
  private var bandOfJob = PriorityBand.medium
  private(set) var isBarrier = false
  /// Whether its caller was admitted, and whether its body has run.
  var isAdmitted = false
  var hasRun = false
  /// A reply, if it is a plain task: no limit counts it.
  var isExempt = false
  /// A shutdown has rejected its caller.
  var isRejected = false
  private var orderOfSubmission: UInt64 = 0
  private var cameDueAtIfAny = unknown
  private static var unknown: Int64 { .min }
  /// Its position in its queue, if it is no item: an item keeps that itself. Below every position until it has one, so
  /// that a removal by it finds nothing.
  var position = -1
  /// The next object of the free list: see ``FreeList``.
  @safe @exclusivity(unchecked) var nextFree: QueuedTask?

  /// When it came due, if it is a timer's.
  var cameDueAt: Int64? {
    get { cameDueAtIfAny == Self.unknown ? nil : cameDueAtIfAny }
    set { cameDueAtIfAny = newValue ?? Self.unknown }
  }

  /// - Parameter queue: A queue of the dispatcher to which the object belongs for good.
  init(
    _ work: consuming Work, id: UInt64, queue: TaskQueue.Identity, view: consuming UVView?,
    isBarrier: Bool, site: CallSite, parent: UInt64?, at time: Int64?, shutdown: ShutdownFlag,
    order: UInt64? = nil
  ) {
    super.init(on: queue, site: site, shutdown: shutdown)
    adopt(
      work, id: id, queue: queue, view: view, isBarrier: isBarrier, site: site, parent: parent,
      at: time, order: order)
  }

  // The object may go away under the lock, where no value or error of a body may be released.
  deinit { assert(!hasRun || !holdsItem, "a task that has run keeps its item") }

  /// Makes it the object of another submission. Nothing tells it from a new object after that.
  func adopt(
    _ work: consuming Work, id: UInt64, queue: TaskQueue.Identity, view: consuming UVView?,
    isBarrier: Bool, site: CallSite, parent: UInt64?, at time: Int64?, order: UInt64? = nil
  ) {
    switch work {
    case .plain:
      role = .submission
      adopt(nil, of: queue, at: site)
    case .item(let item):
      role = .submission
      adopt(item, of: queue, at: site)
    case .job(let job, _):
      role = .job
      bandOfJob = PriorityBand(ofPriority: job.priority.rawValue)
      adopt(nil, of: queue, at: site)
    case .mainQueue:
      role = .job
      bandOfJob = .medium
      adopt(nil, of: queue, at: site)
    case .caller:
      role = .caller
      adopt(nil, of: queue, at: site)
    }
    // A caller that runs its body itself passes none.
    if case .caller(nil) = work { self.work = nil } else { self.work = work }
    adopt(id: id, on: queue.lane, view, parent: parent, at: time)
    orderOfSubmission = order ?? id
    self.isBarrier = isBarrier
    cameDueAt = nil
    position = -1
    isAdmitted = false
    hasRun = false
    isRejected = false
    isExempt = false
  }

  /// Makes the context of an earlier caller that of another, whose body begins. It has never been anything else, and
  /// refers to nothing.
  @inline(__always) func adoptCaller(
    on queue: TaskQueue.Identity, _ view: consuming UVView?, isBarrier: Bool, site: CallSite,
    id: UInt64, parent: UInt64?, at time: Int64
  ) {
    assert(
      !isBlocked && waitsFor == nil && blockedOn == nil, "the context of a caller that goes on")
    assert(!isAbandoned, "the context of a caller that was given up")
    adopt(noItemOf: queue, at: site)
    adopt(id: id, parent: parent, at: time)
    adopt(view: view)
    self.isBarrier = isBarrier
    orderOfSubmission = id
    startedAt = 0
    runner = .caller
    ranAsBarrier = isBarrier
  }

  /// Drops its view. The context of a caller refers to nothing after that.
  @inline(__always) func leaveView() { adopt(view: nil) }

  override var order: UInt64 { orderOfSubmission }

  override var band: PriorityBand { role == .job ? bandOfJob : super.band }

  override var isCaller: Bool { role == .caller }

  override var isJob: Bool { role == .job }

  /// Whether it is a job of an actor. Such a job must not run beside another of its queue, whatever becomes of the
  /// dispatcher.
  var isJobOfActor: Bool {
    if case .job(_, let executor) = work { executor is UVSerialExecutor } else { false }
  }

  /// Whether the thread that called `sync` runs it: then it needs no worker.
  var runsOnCaller: Bool { isCaller && lane == .background }

  /// Since when its time to live counts.
  var waitsSince: DispatcherInstant {
    DispatcherInstant(nanoseconds: cameDueAt ?? enqueuedAt ?? 0)
  }

  var countsAgainstLimits: Bool {
    switch work {
    case .plain: !isExempt
    case .item(let item): item.countsAgainstLimits
    case .job, .caller, .mainQueue, nil: false
    }
  }

  /// Runs the body, on the thread that has entered this context, and releases it unless it is an item's.
  ///
  /// Never inlined: the caller leaves the context and takes the lock after this, and the optimiser would release the
  /// body only after that.
  @inline(never) func perform() -> Outcome {
    switch work.take() {
    case .plain(let body): body()
    case .item(let item): return item.run()
    case .job(let job, let executor): executor.run(job)
    case .caller(let caller): caller?.body?()
    case .mainQueue(let loop): loop.runMainQueue()
    case nil: refuse("\(record) runs twice")
    }
    return .completed
  }

  /// Hands over the work, which will not run. The caller releases it without the lock: that may run a `deinit` of user
  /// code.
  func release() -> Work? { work.take() }
}

/// A caller that is blocked in `sync` on the foreground.
final class SyncCaller {
  /// Nil once the call returns.
  var body: (() -> Void)?

  init(_ body: @escaping () -> Void) { self.body = body }
}
