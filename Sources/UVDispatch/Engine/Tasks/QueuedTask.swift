internal import TaskDispatch

/// The object of a task of a ``UVDispatcher``: it stands for the task while that waits, and is the running-task context
/// of its body. Or it is the context of a thread, in which the thread runs one plain task or simple item after the
/// other.
///
/// Items and plain tasks wait without such an object. One is made when a task starts that cannot run in its thread's
/// context, or when code asks for what only the object tells: see ``Core/task(for:)`` and ``Core/materialisePlainTasks()``.
///
/// What changes is touched under the dispatcher's lock. From the start to the end of the body, the work and the
/// context belong to the thread that runs it.
final class QueuedTask: TaskContext {
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

  // In an order that leaves few gaps: where many tasks wait with an object, each byte counts many times.
  @safe @exclusivity(unchecked) private var work: Work?
  private(set) var lane: Lane
  private(set) var isBarrier = false
  /// It is the context of a thread. No other code knows of it, so none can ask for its outcome.
  let isThreadContext: Bool
  private(set) var isCaller = false
  /// It runs jobs of Swift Tasks, or the main queue. It cannot be refused or cancelled. A shutdown gives it up only at
  /// its last deadline.
  private(set) var isJob = false
  /// Whether a worker or a caller of `sync` runs it in the background; nil while it has no share of its queue.
  var runner: ViewQueue<Entry>.Runner?
  var ranAsBarrier = false
  private(set) var id: UInt64 = 0
  /// Its place in the order of submission.
  private(set) var order: UInt64 = 0
  private(set) var view: UVView?
  /// The pool's part of its view, for a context of a thread. Stored here, so that a worker that reads it with each task
  /// need not retain the view: submitting threads change the view's reference count all the time.
  @safe @exclusivity(unchecked) private(set) var poolView: PoolView<Entry>?
  /// Zero if there is none: no task has that number.
  private var parentIfAny: UInt64 = 0
  private var enqueuedAtIfAny = unknown
  private var cameDueAtIfAny = unknown
  private static var unknown: Int64 { .min }
  /// When its body began, and after how long the watchdog tells of it (again). In nanoseconds.
  var startedAt: Int64 = 0
  var nextStall: Int64 = 0
  /// Its position in its queue, if it is no item: an item keeps that itself. Below every position until it has one, so
  /// that a removal by it finds nothing.
  var position = -1
  /// Its index among the tasks that run.
  var runningIndex = 0
  /// Whether its caller was admitted, and whether its body has run.
  var isAdmitted = false
  var hasRun = false
  /// A shutdown has rejected its caller.
  var isRejected = false
  private(set) var isAbandoned = false
  /// Other code has got it, and may look at it until what runs in it has ended, and after that.
  var isKnown = false
  /// It does not go on before something else does: see ``blockedOn`` and ``waitsFor``.
  private(set) var isBlocked = false
  /// The thread that it runs on, if that is blocked.
  private(set) var blockedOn: BlockedThread?
  /// The body of its own `sync`, which runs on top of it.
  private(set) var waitsFor: QueuedTask?
  /// The next object of the free list: see ``Spares``.
  @safe @exclusivity(unchecked) var nextFree: QueuedTask?

  private(set) var parent: UInt64? {
    get { parentIfAny == 0 ? nil : parentIfAny }
    set { parentIfAny = newValue ?? 0 }
  }
  /// When it was submitted. For a plain task in the context of a thread: when it was started. Nil for a plain task that
  /// waits.
  private(set) var enqueuedAt: Int64? {
    get { enqueuedAtIfAny == Self.unknown ? nil : enqueuedAtIfAny }
    set { enqueuedAtIfAny = newValue ?? Self.unknown }
  }
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
    isThreadContext = false
    lane = queue.lane
    super.init(queue: queue, site: site, item: nil, shutdown: shutdown)
    adopt(
      work, id: id, queue: queue, view: view, isBarrier: isBarrier, site: site, parent: parent,
      at: time, order: order)
  }

  /// Makes the running-task context of a thread that will run plain tasks of `queue`, which is a lane.
  init(contextOf queue: TaskQueue.Identity, shutdown: ShutdownFlag) {
    isThreadContext = true
    lane = queue.lane
    super.init(
      queue: queue, site: CallSite(fileID: "", line: 0), item: nil, shutdown: shutdown)
  }

  // The object may go away under the lock, where no value or error of a body may be released.
  deinit { assert(!hasRun || !holdsItem, "a task that has run keeps its item") }

  /// Makes it the object of another submission. Nothing tells it from a new object after that.
  func adopt(
    _ work: consuming Work, id: UInt64, queue: TaskQueue.Identity, view: consuming UVView?,
    isBarrier: Bool, site: CallSite, parent: UInt64?, at time: Int64?, order: UInt64? = nil
  ) {
    isJob = false
    isCaller = false
    switch work {
    case .plain: adopt(nil, of: queue, at: site)
    case .item(let item): adopt(item, of: queue, at: site)
    case .job, .mainQueue:
      isJob = true
      adopt(nil, of: queue, at: site)
    case .caller:
      isCaller = true
      adopt(nil, of: queue, at: site)
    }
    // A caller that runs its body itself passes none.
    if case .caller(nil) = work { self.work = nil } else { self.work = work }
    lane = queue.lane
    self.id = id
    self.order = order ?? id
    self.view = view
    self.isBarrier = isBarrier
    self.parent = parent
    enqueuedAt = time
    cameDueAt = nil
    startedAt = 0
    nextStall = 0
    position = -1
    runningIndex = 0
    runner = nil
    ranAsBarrier = false
    isAdmitted = false
    hasRun = false
    isRejected = false
    isAbandoned = false
    isKnown = false
    isBlocked = false
  }

  /// Drops all that it still refers to, once it has ended.
  @inline(__always) func adoptNothing() {
    letGo()
    view = nil
    if blockedOn != nil { blockedOn = nil }
    if waitsFor != nil { waitsFor = nil }
  }

  /// Makes the context of an earlier caller that of another, whose body begins. It has never been anything else, and
  /// refers to nothing.
  @inline(__always) func adoptCaller(
    on queue: TaskQueue.Identity, _ view: consuming UVView?, isBarrier: Bool, site: CallSite,
    id: UInt64, parent: UInt64?, at time: Int64
  ) {
    assert(
      !isBlocked && waitsFor == nil && blockedOn == nil, "the context of a caller that goes on")
    adopt(noItemOf: queue, at: site)
    self.view = view
    self.isBarrier = isBarrier
    self.id = id
    order = id
    parentIfAny = parent ?? 0
    enqueuedAtIfAny = time
    startedAt = 0
    nextStall = 0
    runner = .caller
    ranAsBarrier = isBarrier
    assert(!isAbandoned, "the context of a caller that was given up")
  }

  /// Drops its view. The context of a caller refers to nothing after that.
  @inline(__always) func leaveView() { view = nil }

  /// Makes it the context in which a thread runs plain tasks of `view`, or of its lane if that is nil. Nothing runs in
  /// it.
  @inline(__always) func enter(_ view: consuming UVView?) {
    if view === self.view { return }
    let queue = TaskQueue.Identity(
      dispatcher: queue.dispatcher, view: view.map { ObjectIdentifier($0) }, lane: lane)
    adopt(nil, of: queue, at: site)
    poolView = view?.pool
    self.view = view
  }

  /// Makes it the context of another plain task. Nothing runs in it.
  @inline(__always) func adopt(_ plain: consuming PlainTask, id: UInt64, at time: Int64) {
    adopt(plainAt: plain.site)
    work = .plain(plain.body)
    self.id = id
    enqueuedAt = time
    isAbandoned = false
  }

  /// Makes it the context of an item of its queue. Nothing runs in it.
  @inline(__always) func adopt(_ item: WorkItem) {
    work = .item(item)
    isAbandoned = false
    goOn(with: item)
  }

  /// Makes it the context of no item any more. Nothing runs in it.
  @inline(__always) func leaveItem() {
    letGo()
    parentIfAny = 0
  }

  /// Takes out the plain task that it stands for. Nil if that is an item.
  func takePlain() -> PlainTask? {
    guard case .plain(let body) = work.take() else {
      require(item != nil, "\(record) is the context of nothing")
      return nil
    }
    return PlainTask(body: body, site: site)
  }

  /// Whether it may be the context of another task after this one.
  var mayGoOn: Bool { !isKnown && !isAbandoned }

  /// Makes it the context of the plain task that its thread runs next.
  @inline(__always) func goOn(at site: CallSite, id: UInt64, since time: Int64) {
    adopt(plainAt: site)
    self.id = id
    enqueuedAt = time
  }

  /// Makes it the context of the item that its thread runs next.
  @inline(__always) func goOn(with item: consuming WorkItem) {
    id = item.place.id.number
    parentIfAny = item.place.parent
    enqueuedAtIfAny = item.place.since.nanoseconds
    item.queued = self
    let site = item.site
    adopt(next: item, at: site)
  }

  override var queueLabel: String { view?.label ?? lane.description }

  override var isSwiftTask: Bool { isJob }

  /// Whether it is a job of an actor. Such a job must not run beside another of its queue, whatever becomes of the
  /// dispatcher.
  var isJobOfActor: Bool {
    if case .job(_, let executor) = work { executor is UVSerialExecutor } else { false }
  }

  /// Whether the thread that called `sync` runs it: then it needs no worker.
  var runsOnCaller: Bool { isCaller && lane == .background }

  /// The thread that runs it, as a shutdown's report names it.
  var nameOfThread: String {
    if runsOnCaller { return "the thread that called sync" }
    return lane == .foreground ? "the loop" : "a thread of the pool"
  }

  /// Since when its time to live counts.
  var waitsSince: DispatcherInstant {
    DispatcherInstant(nanoseconds: cameDueAt ?? enqueuedAt ?? 0)
  }

  var countsAgainstLimits: Bool {
    switch work {
    case .plain: true
    case .item(let item): item.countsAgainstLimits
    case .job, .caller, .mainQueue, nil: false
    }
  }

  var record: TaskRecord {
    TaskRecord(
      id: TaskID(id), label: item?.label, lane: lane, queue: queueLabel, site: site,
      parent: parent.map { TaskID($0) }, enqueuedAt: DispatcherInstant(nanoseconds: enqueuedAt ?? 0)
    )
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

  /// The body of its `sync` begins on top of it.
  @inline(__always) func beginWait(for task: QueuedTask) {
    isBlocked = true
    waitsFor = task
  }

  func beginWait(on thread: BlockedThread) {
    isBlocked = true
    blockedOn = thread
  }

  @inline(__always) func endWait() {
    isBlocked = false
    waitsFor = nil
    if blockedOn != nil { blockedOn = nil }
  }

  func abandon() { isAbandoned = true }
}

/// A caller that is blocked in `sync` on the foreground.
final class SyncCaller {
  /// Nil once the call returns.
  var body: (() -> Void)?

  init(_ body: @escaping () -> Void) { self.body = body }
}
