internal import TaskDispatch

/// A task of the fake, from its submission to its end.
///
/// While it waits, it is an entry of a queue. While its body runs, it is the body's running-task context. One
/// object serves as both, so that no step copies it.
///
/// The dispatcher's lock guards what changes. One exception: ``body``.
final class Entry: TaskContext, PoolEntry {
  enum Work {
    case plain(@Sendable () -> Void)
    case item(WorkItem)
    case job(Job)
    case caller(SyncCaller)
    case event(PendingEvent)
    /// It stands for a registration of this name, and never runs.
    case registration(String)
    /// A plain body, which stands in ``Entry/body``.
    case body
  }

  let work: Work
  /// The plain body. From its start on only the thread that runs it touches it, without the lock, while other threads
  /// may look at `work`.
  private var body: (@Sendable () -> Void)?
  private var hasBegun = false
  let id: UInt64
  /// When it was submitted.
  let enqueuedAt: Int64
  let parent: Lineage?
  /// Keeps its view alive: a queue that no other code references still runs what was submitted to it.
  let view: RecordingView?
  /// Its share of the background, from its start to its end.
  var share: Share?
  /// Made when the history records this task, or when its body submits another.
  private var lineageIfMade: Lineage?
  /// What the body waits for, while it does.
  var wait: Wait?
  /// A shutdown has abandoned it: it has its outcome, and the end of its body changes nothing.
  var isAbandoned = false
  let runsOnCaller: Bool

  /// What its view counts for it while it runs.
  struct Share {
    let runner: ViewQueue<Entry>.Runner
    let isBarrier: Bool

    init(_ taken: ViewQueue<Entry>.Taken) {
      runner = taken.runner
      isBarrier = taken.isBarrier
    }
  }

  /// Whether its context hides those below it, as if the body ran on a thread of its own.
  var willHideOuter = false
  /// Whether a blocked worker runs it on top of its own wait, because no other worker is free. On threads the two
  /// would share that worker's thread.
  var isHelped = false
  /// Whether it is the body of a `sync` whose caller waits further down this stack. Its context is then placed on
  /// the contexts of that caller.
  var runsAboveItsCaller = false

  private let bandOfJob: PriorityBand

  init(
    _ work: consuming Work, id: UInt64, lane: Lane, view: RecordingView?, site: CallSite,
    at time: Int64,
    parent: Lineage?, dispatcher: ObjectIdentifier, shutdown: ShutdownFlag
  ) {
    if case .plain(let plain) = work {
      body = plain
      self.work = .body
    } else {
      self.work = work
    }
    self.id = id
    self.view = view
    self.parent = parent
    enqueuedAt = time
    let item: WorkItem?
    if case .item(let some) = work { item = some } else { item = nil }
    if case .job(let job) = work {
      bandOfJob = PriorityBand(TaskPriority(rawValue: job.job.priority.rawValue))
    } else {
      bandOfJob = .medium
    }
    if case .caller = work { runsOnCaller = true } else { runsOnCaller = false }
    super.init(
      queue: TaskQueue.Identity(
        dispatcher: dispatcher, view: view.map { ObjectIdentifier($0) }, lane: lane),
      site: site, item: item, shutdown: shutdown)
  }

  var lane: Lane { queue.lane }

  /// The band that it waits in. Plain bodies, and callers of `sync`, wait in the medium one.
  var band: PriorityBand { item?.band ?? bandOfJob }

  override var queueLabel: String {
    view?.label ?? (lane == .foreground ? "foreground" : "background")
  }

  override var isSwiftTask: Bool {
    if case .job = work { true } else { false }
  }

  /// Whether the calling code is in this task. A body that runs on top of another one's wait hides that one.
  var isOfThisThread: Bool { TaskContext.first { $0 === self } != nil }

  /// Whether it is the call of a handler of a signal or a descriptor.
  var isEvent: Bool {
    if case .event = work { true } else { false }
  }

  /// Its position among the due tasks of the foreground, if it stands there.
  var duePosition: Int {
    switch work {
    case .event(let event): event.position
    case .item(let item): item.place.position
    case .plain, .body, .job, .caller, .registration: refuse("\(record) never comes due")
    }
  }

  /// Whether the limit of its queue counts it.
  var countsAgainstLimits: Bool {
    switch work {
    case .plain, .body: true
    case .item(let item): item.countsAgainstLimits
    case .job, .caller, .event, .registration: false
    }
  }

  /// The body is about to run. Under the lock.
  func begin() { hasBegun = true }

  /// The plain body of an entry whose body has not begun. Under the lock.
  var waitingBody: (@Sendable () -> Void)? { hasBegun ? nil : body }

  /// Takes out the plain body, so that the body is released in its own context when it has run.
  func takePlain() -> @Sendable () -> Void {
    guard let body = body.take() else { refuse("\(record) has no plain body to run") }
    return body
  }

  var record: TaskRecord { lineageIfMade?.record ?? makeRecord() }

  private func makeRecord() -> TaskRecord {
    TaskRecord(
      id: TaskID(id), label: label, lane: lane, queue: queueLabel, site: site, band: band,
      parent: parent?.record.id, enqueuedAt: DispatcherInstant(nanoseconds: enqueuedAt))
  }

  /// The name of the task in messages about waiting: its place in the source, and its label if it has one.
  var described: String { label.map { "\"\($0)\" (\(site))" } ?? "\(site)" }

  override var label: String? {
    switch work {
    case .item(let item): item.label
    case .event(let event): event.name
    case .registration(let name): name
    case .plain, .job, .caller, .body: nil
    }
  }

  /// What later tasks and the history keep of it after it has ended. It does not retain the body.
  var lineage: Lineage {
    if let lineageIfMade { return lineageIfMade }
    let made = Lineage(makeRecord(), parent: parent)
    lineageIfMade = made
    return made
  }
}

/// What a waiting body waits for.
final class Wait {
  let name: String
  /// For a blocked `sync`: the caller and its queue.
  let admission: (caller: SyncCaller, queue: TaskQueue.Identity)?
  /// For a wait for an outcome or a group.
  let target: WaitTarget?
  let mayTimeOut: Bool

  init(for name: String, admission: (caller: SyncCaller, queue: TaskQueue.Identity)? = nil) {
    self.name = name
    self.admission = admission
    target = nil
    mayTimeOut = false
  }

  init(for target: WaitTarget, mayTimeOut: Bool) {
    name = target.description
    admission = nil
    self.target = target
    self.mayTimeOut = mayTimeOut
  }

  /// Whether this wait ends only when `body` ends, or later.
  func awaits(_ body: Entry) -> Bool { target?.isEnded(by: body) ?? false }
}

extension WaitTarget {
  /// Whether a wait for this target ends only when `body` ends, or later.
  func isEnded(by body: Entry) -> Bool {
    switch self {
    case .item(let item): item === body.item?.handled
    case .group(let group, _): body.item?.handled.group === group
    }
  }
}

/// A job of a Swift Task, and the executor through which it came in.
final class Job {
  let job: UnownedJob
  let executor: any RecordingExecutor

  init(_ job: UnownedJob, _ executor: any RecordingExecutor) {
    self.job = job
    self.executor = executor
  }
}

/// A blocked caller of `sync`. In the fake its thread is the one that steps.
final class SyncCaller {
  /// The body that the call brought, until it has run. Released before the call returns.
  private var body: (() -> Void)?
  /// Whether the body has run. Another blocked call on top of this one may have run it.
  private(set) var hasRun = false
  /// The innermost running-task context of the calling thread. `waiter` is the innermost task of this dispatcher there.
  let base = TaskContext.current
  let waiter: Entry?
  /// The entry of the call while it waits. `position` is its place in the queue.
  weak var entry: Entry?
  var id: UInt64 = 0
  var position = 0
  /// A shutdown has rejected the call.
  var isRejected = false
  /// Set when the call is admitted.
  var admission: PoolOrder<Entry>.Started?

  init(_ body: @escaping () -> Void, in waiter: Entry?) {
    self.body = body
    self.waiter = waiter
  }

  /// Runs the body for it.
  func run() {
    guard let body = body.take() else { refuse("the body of a sync runs twice") }
    body()
    hasRun = true
  }

  func dropBody() { body = nil }
}

/// A call of a handler, for a signal or a ready descriptor, that waits for the foreground.
final class PendingEvent {
  /// The number of the registration.
  let number: UInt64
  let name: String
  let isOfSignal: Bool
  /// Its place in the queue of events.
  var position = 0
  /// How many deliveries this one call stands for.
  var deliveries = 1
  var readiness: Readiness = []
  let perform: @Sendable (PendingEvent) -> Void

  init(
    number: UInt64, name: String, isOfSignal: Bool,
    perform: @escaping @Sendable (PendingEvent) -> Void
  ) {
    self.number = number
    self.name = name
    self.isOfSignal = isOfSignal
    self.perform = perform
  }
}

/// A view of the fake's background.
final class RecordingView: QueueView, @unchecked Sendable {
  // The dispatcher's lock guards everything here, except `executors`, which has a lock of its own.
  let pool: PoolView<Entry>
  let executors = Locked(Executors())
  @safe @exclusivity(unchecked) var limit: CountedLimit?
  @safe @exclusivity(unchecked) var counts = OutcomeCounts()
  /// The dispatcher that has made the view.
  let owner: WorkItem.DispatcherName

  /// The view's executors.
  ///
  /// A Task retains its executor, and that retains the view, so the view references it weakly. An actor retains its
  /// queue, and that retains the view, so the view may retain the serial executor.
  struct Executors {
    weak var task: RecordingTaskExecutor?
    var serial: RecordingSerialExecutor?
  }

  init(
    label: String, width: Int, overflow: Overflow, workerWidth: Int, agingStep: Int64,
    of owner: WorkItem.DispatcherName, relocated: @escaping (inout Entry, Int) -> Void
  ) {
    self.owner = owner
    limit = CountedLimit(overflow)
    pool = PoolView(
      width: width, workerWidth: workerWidth, agingStep: agingStep, relocated: relocated)
    super.init(label: label, width: width)
  }
}
