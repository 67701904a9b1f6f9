internal import TaskDispatch

/// A submission to a ``UVDispatcher`` as the frame of its body, or as what stands for it before that. Or
/// the frame of a thread, in which it runs one plain body after the other.
///
/// Items and plain bodies wait without one. It is made for them when they start, or when somebody asks
/// for what only it tells: see ``Core/task(for:)`` and ``Core/promotePlain()``.
///
/// What changes is touched under the dispatcher's lock. The work and the frame belong, from the start
/// to the end of the body, to the thread that runs it.
final class QueuedTask: TaskFrame {
  enum Work {
    case plain(@Sendable () -> Void)
    case item(WorkItem)
    case job(UnownedJob, any UVExecutor)
    /// Somebody stands in `sync`, and runs the body. On the foreground the loop does for them: then
    /// they give it here.
    case caller(SyncCaller?)
    /// What waits in `DispatchQueue.main`.
    case mainQueue(of: EventLoop)

    /// Whether to release it may run user code. That of an item is released when it is told.
    var holdsUserCode: Bool { if case .plain = self { true } else { false } }
  }

  // In an order that leaves few gaps: where many wait with a task, each byte is theirs many times.
  @safe @exclusivity(unchecked) private var work: Work?
  private(set) var lane: Lane
  private(set) var isBarrier = false
  /// It is the frame of a thread: nobody knows of it who could ask for its outcome.
  let isFrame: Bool
  private(set) var isCaller = false
  /// It is of Swift Tasks: it cannot be refused, cancelled or given up.
  private(set) var isJob = false
  /// Its share of the pool, while it runs there.
  var runner: ViewQueue<Entry>.Runner?
  var ranAsBarrier = false
  private(set) var id: UInt64 = 0
  /// Where it stands among others in the order of submission.
  private(set) var order: UInt64 = 0
  private(set) var view: UVView?
  /// As the view's, for who looks at it with each body: the view itself is counted by those who post.
  @safe @exclusivity(unchecked) private(set) var poolView: PoolView<Entry>?
  /// Zero if there is none: no task has that for its id.
  private var parentIfAny: UInt64 = 0
  private var enqueuedAtIfAny = unknown
  private var cameDueAtIfAny = unknown
  private static var unknown: Int64 { .min }
  /// When its body began, and how long it may have held its thread before that is told (again).
  var startedAt: Int64 = 0
  var nextStall: Int64 = 0
  /// Where it waits, if it is no item, which knows that itself.
  /// Below every position of a queue, until it has one: what stands nowhere must remove nobody.
  var position = -1
  /// Where it stands among those that run.
  var runningIndex = 0
  /// The turn of a caller has come; its body has run.
  var isGranted = false
  var hasRun = false
  /// A caller whose turn a shutdown has taken away.
  var isTurnedAway = false
  private(set) var isAbandoned = false
  /// Somebody was shown it who may look at it until what runs in it has ended, and after that.
  var isKnown = false
  /// It does not go on before something else has: see ``blockedOn`` and ``waitsFor``.
  private(set) var isBlocked = false
  /// Its thread is blocked.
  private(set) var blockedOn: BlockedThread?
  /// The body of its own `sync`, which runs on top of it.
  private(set) var waitsFor: QueuedTask?
  /// The next of the ``Spares``.
  @safe @exclusivity(unchecked) var nextSpare: QueuedTask?

  private(set) var parent: UInt64? {
    get { parentIfAny == 0 ? nil : parentIfAny }
    set { parentIfAny = newValue ?? 0 }
  }
  /// When it was submitted; when it was started for a plain body in the frame of a thread; nil for a
  /// plain body that waits.
  private(set) var enqueuedAt: Int64? {
    get { enqueuedAtIfAny == Self.unknown ? nil : enqueuedAtIfAny }
    set { enqueuedAtIfAny = newValue ?? Self.unknown }
  }
  /// When it came due, if it is a timer's.
  var cameDueAt: Int64? {
    get { cameDueAtIfAny == Self.unknown ? nil : cameDueAtIfAny }
    set { cameDueAtIfAny = newValue ?? Self.unknown }
  }

  /// - Parameter queue: Of the dispatcher that it will belong to for good.
  init(
    _ work: consuming Work, id: UInt64, queue: TaskQueue.Identity, view: consuming UVView?,
    isBarrier: Bool, site: CallSite, parent: UInt64?, at time: Int64?, shutdown: ShutdownFlag,
    order: UInt64? = nil
  ) {
    isFrame = false
    lane = queue.lane
    super.init(queue: queue, site: site, item: nil, shutdown: shutdown)
    hold(
      work, id: id, queue: queue, view: view, isBarrier: isBarrier, site: site, parent: parent,
      at: time, order: order)
  }

  /// The frame of a thread that will run plain bodies of `queue`, which is a lane.
  init(framesOf queue: TaskQueue.Identity, shutdown: ShutdownFlag) {
    isFrame = true
    lane = queue.lane
    super.init(
      queue: queue, site: CallSite(fileID: "", line: 0), item: nil, shutdown: shutdown)
  }

  // It may end under the lock, where no value or error of a body may be released.
  deinit { assert(!hasRun || !holdsItem, "a task that has run keeps its item") }

  /// Makes it another submission, which nothing tells from a new object.
  func hold(
    _ work: consuming Work, id: UInt64, queue: TaskQueue.Identity, view: consuming UVView?,
    isBarrier: Bool, site: CallSite, parent: UInt64?, at time: Int64?, order: UInt64? = nil
  ) {
    isJob = false
    isCaller = false
    switch work {
    case .plain: hold(nil, of: queue, at: site)
    case .item(let item): hold(item, of: queue, at: site)
    case .job, .mainQueue:
      isJob = true
      hold(nil, of: queue, at: site)
    case .caller:
      isCaller = true
      hold(nil, of: queue, at: site)
    }
    // A caller that runs its body itself has given nothing here.
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
    isGranted = false
    hasRun = false
    isTurnedAway = false
    isAbandoned = false
    isKnown = false
    isBlocked = false
  }

  /// Lets go of all that it still holds, once it has ended.
  @inline(__always) func holdNothing() {
    letGo()
    view = nil
    if blockedOn != nil { blockedOn = nil }
    if waitsFor != nil { waitsFor = nil }
  }

  /// Makes the frame of a caller that of another, who begins. It has been nothing else, and holds nothing.
  @inline(__always) func holdCaller(
    on queue: TaskQueue.Identity, _ view: consuming UVView?, isBarrier: Bool, site: CallSite,
    id: UInt64, parent: UInt64?, at time: Int64
  ) {
    assert(!isBlocked && waitsFor == nil && blockedOn == nil, "the frame of a caller who goes on")
    hold(noItemOf: queue, at: site)
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
    assert(!isAbandoned, "the frame of a caller that was given up")
  }

  /// It holds nothing any more, if it was a caller's.
  @inline(__always) func leaveView() { view = nil }

  /// Makes it the frame of a thread that runs plain bodies of `view`, or of its lane if that is nil.
  /// Nothing runs in it.
  @inline(__always) func enter(_ view: consuming UVView?) {
    if view === self.view { return }
    let queue = TaskQueue.Identity(
      dispatcher: queue.dispatcher, view: view.map { ObjectIdentifier($0) }, lane: lane)
    hold(nil, of: queue, at: site)
    poolView = view?.pool
    self.view = view
  }

  /// Makes it the frame of another plain body. Nothing runs in it.
  @inline(__always) func hold(_ plain: consuming PlainTask, id: UInt64, at time: Int64) {
    hold(plainAt: plain.site)
    work = .plain(plain.body)
    self.id = id
    enqueuedAt = time
    isAbandoned = false
  }

  /// Makes it the frame of an item of its queue. Nothing runs in it.
  @inline(__always) func hold(_ item: WorkItem) {
    work = .item(item)
    isAbandoned = false
    goOn(with: item)
  }

  /// Makes it no item's frame any more. Nothing runs in it.
  @inline(__always) func leaveItem() {
    letGo()
    parentIfAny = 0
  }

  /// Takes out the plain body that it holds. Nil if that is an item.
  func takePlain() -> PlainTask? {
    guard case .plain(let body) = work.take() else {
      require(item != nil, "\(record) is the frame of nothing")
      return nil
    }
    return PlainTask(body: body, site: site)
  }

  /// Whether it may be the frame of another body after this one.
  var mayGoOn: Bool { !isKnown && !isAbandoned }

  /// Makes it the frame of the plain body that its thread runs next.
  @inline(__always) func goOn(at site: CallSite, id: UInt64, since time: Int64) {
    hold(plainAt: site)
    self.id = id
    enqueuedAt = time
  }

  /// Makes it the frame of the item that its thread runs next.
  @inline(__always) func goOn(with item: consuming WorkItem) {
    id = item.place.id.number
    parentIfAny = item.place.parent
    enqueuedAtIfAny = item.place.since.nanoseconds
    item.queued = self
    let site = item.site
    hold(next: item, at: site)
  }

  override var queueLabel: String { view?.label ?? lane.description }

  override var isSwiftTask: Bool { isJob }

  /// Whether it must not run beside another of its queue, whatever becomes of the dispatcher.
  var isJobOfActor: Bool {
    if case .job(_, let executor) = work { executor is UVSerialExecutor } else { false }
  }

  /// Its caller needs no worker.
  var runsOnCaller: Bool { isCaller && lane == .background }

  /// What runs it, as a shutdown's report says that.
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

  /// Runs the body, on the thread that has entered this frame, and lets go of it unless it is an item's.
  ///
  /// Never inlined: the caller leaves the frame and takes the lock after this, and the optimiser would let go
  /// of the body after that.
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

  /// Hands over what will not run. The caller releases it without the lock: that may run anybody's
  /// `deinit`.
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

/// Somebody who stands in `sync` on the foreground.
final class SyncCaller {
  /// Gone before the call returns.
  var body: (() -> Void)?

  init(_ body: @escaping () -> Void) { self.body = body }
}
