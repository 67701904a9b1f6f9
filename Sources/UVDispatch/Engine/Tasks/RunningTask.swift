internal import TaskDispatch

/// The running-task context of a body of a ``UVDispatcher``: what the dispatcher knows of a task while that runs.
///
/// - A ``BatchContext`` belongs to a thread, which runs one plain task or simple item after the other in it.
/// - A ``QueuedTask`` is of one task, and is made before that starts.
///
/// What changes is touched under the dispatcher's lock. From the start to the end of the body, the context belongs to
/// the thread that runs it.
class RunningTask: TaskContext {
  // In an order that leaves few gaps: where many tasks wait with an object, each byte counts many times.
  final private(set) var lane: Lane
  final var ranAsBarrier = false
  /// Whether a worker or a caller of `sync` runs it in the background; nil while it has no share of its queue.
  final var runner: ViewQueue<Entry>.Runner?
  /// A shutdown has given it up: it has its outcome, and nothing waits for its body.
  final var isAbandoned = false
  /// It does not go on before something else does: see ``blockedOn`` and ``waitsFor``.
  final private(set) var isBlocked = false
  /// The watchdog relies on being told of its end: it has told of its stall, or sleeps. See ``StallWatch``.
  final var isWatched = false
  final private(set) var id: UInt64 = 0
  final private(set) var view: UVView?
  /// Zero if there is none: no task has that number.
  final private var parentIfAny: UInt64 = 0
  final private var enqueuedAtIfAny = unknown
  private static var unknown: Int64 { .min }
  /// When its body began, in nanoseconds. Known only if there is an observer.
  final var startedAt: Int64 = 0
  /// Its index among the tasks that run.
  final var runningIndex = 0
  /// The thread that it runs on, if that is blocked.
  final private(set) var blockedOn: BlockedThread?
  /// The body of its own `sync`, which runs on top of it.
  final private(set) var waitsFor: QueuedTask?

  /// The task whose body has submitted it.
  final var parent: UInt64? { parentIfAny == 0 ? nil : parentIfAny }

  /// When it was submitted. For a plain task in the context of a thread: when it was started. Nil for a plain task that
  /// waits.
  final var enqueuedAt: Int64? { enqueuedAtIfAny == Self.unknown ? nil : enqueuedAtIfAny }

  /// - Parameter queue: A queue of the dispatcher to which the object belongs for good.
  init(on queue: TaskQueue.Identity, site: CallSite, shutdown: ShutdownFlag) {
    lane = queue.lane
    super.init(queue: queue, site: site, item: nil, shutdown: shutdown)
  }

  // MARK: Becoming the context of another task

  /// Makes it the context of another submission. Nothing tells it from a new one after that.
  final func adopt(
    id: UInt64, on lane: Lane, _ view: consuming UVView?, parent: UInt64?, at time: Int64?
  ) {
    self.lane = lane
    adopt(id: id, parent: parent, at: time ?? Self.unknown)
    adopt(view: view)
    ranAsBarrier = false
    runner = nil
    isAbandoned = false
    isBlocked = false
    isWatched = false
    startedAt = 0
    runningIndex = 0
  }

  @inline(__always) final func adopt(id: UInt64, parent: UInt64?, at time: Int64) {
    adopt(id: id, at: time)
    parentIfAny = parent ?? 0
  }

  @inline(__always) final func adopt(id: UInt64, at time: Int64) {
    self.id = id
    enqueuedAtIfAny = time
  }

  @inline(__always) final func adopt(numberOf item: WorkItem) {
    id = item.place.id.number
    parentIfAny = item.place.parent
    enqueuedAtIfAny = item.place.since.nanoseconds
  }

  @inline(__always) final func adopt(view: consuming UVView?) { self.view = view }

  @inline(__always) final func leaveParent() { parentIfAny = 0 }

  /// Drops all that it still refers to, once it has ended.
  @inline(__always) final func dropAll() {
    letGo()
    view = nil
    if blockedOn != nil { blockedOn = nil }
    if waitsFor != nil { waitsFor = nil }
  }

  // MARK: What it is

  /// Its place in the order of submission.
  var order: UInt64 { id }

  /// The band that it waits in. Plain tasks, and callers of `sync`, wait in the medium one.
  var band: PriorityBand { item?.band ?? .medium }

  /// Whether it is the body of a `sync`.
  var isCaller: Bool { false }

  /// Whether it runs jobs of Swift Tasks, or the main queue. It cannot be refused or cancelled. A shutdown gives it up
  /// only at its last deadline.
  var isJob: Bool { false }

  override final var isSwiftTask: Bool { isJob }

  override final var queueLabel: String { view?.label ?? lane.description }

  /// The thread that runs it, as a shutdown's report names it.
  final var nameOfThread: String {
    if isCaller, lane == .background { return "the thread that called sync" }
    return lane == .foreground ? "the loop" : "a thread of the pool"
  }

  final var record: TaskRecord {
    TaskRecord(
      id: TaskID(id), label: item?.label, lane: lane, queue: queueLabel, site: site, band: band,
      parent: parent.map { TaskID($0) }, enqueuedAt: DispatcherInstant(nanoseconds: enqueuedAt ?? 0)
    )
  }

  // MARK: Waiting

  /// The body of its `sync` begins on top of it.
  @inline(__always) final func beginWait(for task: QueuedTask) {
    isBlocked = true
    waitsFor = task
  }

  final func beginWait(on thread: BlockedThread) {
    isBlocked = true
    blockedOn = thread
  }

  @inline(__always) final func endWait() {
    isBlocked = false
    waitsFor = nil
    if blockedOn != nil { blockedOn = nil }
  }
}
