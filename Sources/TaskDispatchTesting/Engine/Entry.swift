internal import TaskDispatch

/// A task of the fake, from its submission to its end: it waits in a queue, and then it is the frame
/// that its body runs in. One object, so that no step copies it.
///
/// What changes is touched under the dispatcher's lock.
final class Entry: TaskFrame, PoolEntry {
  enum Work {
    case plain(@Sendable () -> Void)
    case item(WorkItem)
    case job(Job)
    case caller(SyncCaller)
    case event(PendingEvent)
    /// It stands for a registration of this name, and never runs.
    case registration(String)
    /// It was a plain body, which has begun.
    case ran
  }

  private(set) var work: Work
  let id: UInt64
  /// When it was submitted.
  let enqueuedAt: Int64
  let parent: Lineage?
  /// Keeps its view alive: a queue that nobody holds any more still runs what it was given.
  let view: RecordingView?
  /// Its share of the background, while it has started and not ended.
  var share: Share?
  /// Made when somebody will remember this task: the history, or a task that its body submits.
  private var lineageIfMade: Lineage?
  /// What the body stands still for, while it does.
  var wait: Wait?
  /// A shutdown has given it up: it has its outcome, and its end changes nothing.
  var isAbandoned = false
  let runsOnCaller: Bool

  /// What its view counts for it.
  struct Share {
    let runner: ViewQueue<Entry>.Runner
    let isBarrier: Bool

    init(_ taken: ViewQueue<Entry>.Taken) {
      runner = taken.runner
      isBarrier = taken.isBarrier
    }
  }

  /// Whether it runs on a thread of its own, as far as the frames below are concerned.
  var willHideOuter = false
  /// Whether a worker runs it on top of its wait, for want of another worker: then it is on that one's thread.
  var isHelped = false
  /// Whether it is the body of a caller who stands further below, and stands on that one's frames.
  var standsOnItsCaller = false

  init(
    _ work: consuming Work, id: UInt64, lane: Lane, view: RecordingView?, site: CallSite,
    at time: Int64,
    parent: Lineage?, dispatcher: ObjectIdentifier, shutdown: ShutdownFlag
  ) {
    self.work = work
    self.id = id
    self.view = view
    self.parent = parent
    enqueuedAt = time
    let item: WorkItem?
    if case .item(let some) = work { item = some } else { item = nil }
    if case .caller = work { runsOnCaller = true } else { runsOnCaller = false }
    super.init(
      queue: TaskQueue.Identity(
        dispatcher: dispatcher, view: view.map { ObjectIdentifier($0) }, lane: lane),
      site: site, item: item, shutdown: shutdown)
  }

  var lane: Lane { queue.lane }

  override var queueLabel: String {
    view?.label ?? (lane == .foreground ? "foreground" : "background")
  }

  override var isSwiftTask: Bool {
    if case .job = work { true } else { false }
  }

  /// Whether the limit of its queue counts it.
  var countsAgainstLimits: Bool {
    switch work {
    case .plain: true
    case .item(let item): item.countsAgainstLimits
    case .job, .caller, .event, .registration, .ran: false
    }
  }

  /// Takes out the plain body, so that it is released when it has run, in its own context.
  func takePlain() -> @Sendable () -> Void {
    guard case .plain(let body) = work else { refuse("\(record) has no plain body to run") }
    work = .ran
    return body
  }

  var record: TaskRecord { lineageIfMade?.record ?? makeRecord() }

  private func makeRecord() -> TaskRecord {
    TaskRecord(
      id: TaskID(id), label: label, lane: lane, queue: queueLabel, site: site,
      parent: parent?.record.id, enqueuedAt: DispatcherInstant(nanoseconds: enqueuedAt))
  }

  /// What messages about waiting call it: with its line, also if it has a label.
  var described: String { label.map { "\"\($0)\" (\(site))" } ?? "\(site)" }

  override var label: String? {
    switch work {
    case .item(let item): item.label
    case .event(let event): event.name
    case .registration(let name): name
    case .plain, .job, .caller, .ran: nil
    }
  }

  /// What others remember of it, after it has ended: they do not keep its body.
  var lineage: Lineage {
    if let lineageIfMade { return lineageIfMade }
    let made = Lineage(makeRecord(), parent: parent)
    lineageIfMade = made
    return made
  }
}

/// What a body that does not go on waits for.
final class Wait {
  let name: String
  /// For a turn in `sync`: the caller, and the queue.
  let turn: (caller: SyncCaller, queue: TaskQueue.Identity)?
  /// For an outcome or a group.
  let target: WaitTarget?
  let mayTimeOut: Bool

  init(for name: String, turn: (caller: SyncCaller, queue: TaskQueue.Identity)? = nil) {
    self.name = name
    self.turn = turn
    target = nil
    mayTimeOut = false
  }

  init(for target: WaitTarget, mayTimeOut: Bool) {
    name = target.description
    turn = nil
    self.target = target
    self.mayTimeOut = mayTimeOut
  }

  /// Whether it ends only if `body` does, or not before that.
  func awaits(_ body: Entry) -> Bool { target?.isEnded(by: body) ?? false }
}

extension WaitTarget {
  /// Whether a wait for it ends only if `body` does, or not before that.
  func isEnded(by body: Entry) -> Bool {
    switch self {
    case .item(let item): item === body.item?.handled
    case .group(let group, _): body.item?.handled.group === group
    }
  }
}

/// A job of a Swift Task, and the executor that it came in by.
final class Job {
  let job: UnownedJob
  let executor: any RecordingExecutor

  init(_ job: UnownedJob, _ executor: any RecordingExecutor) {
    self.job = job
    self.executor = executor
  }
}

/// Somebody who stands in `sync`. The fake's one thread is standing there.
final class SyncCaller {
  /// What it brought along, until that runs. Gone before the call returns.
  private var body: (() -> Void)?
  /// Whether that has run: on top of somebody else who stood still, and could not go on before.
  private(set) var hasRun = false
  /// The innermost frame of its thread; and its task, if that is one of this dispatcher.
  let base = TaskFrame.current
  let waiter: Entry?
  /// Its entry, while it waits; and where that stands.
  weak var entry: Entry?
  var id: UInt64 = 0
  var position = 0
  /// A shutdown has taken away its turn.
  var isTurnedAway = false
  /// Set when the caller's turn has come.
  var granted: PoolOrder<Entry>.Started?

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

/// A signal or a descriptor's readiness that waits for the foreground.
final class PendingEvent {
  /// The registration's.
  let number: UInt64
  let name: String
  let isOfSignal: Bool
  /// Where it waits.
  var position = 0
  /// Deliveries that this one call stands for.
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
  // Touched only under the dispatcher's lock, the executors aside, which have their own.
  let pool: PoolView<Entry>
  /// Tasks that wait here and that the limit counts.
  var limited = 0
  let executors = Locked(Executors())

  /// The view's executors. A Task keeps its own, and that keeps the view; an actor keeps the view,
  /// and that keeps the other.
  struct Executors {
    weak var task: RecordingTaskExecutor?
    var serial: RecordingSerialExecutor?
  }

  init(
    label: String, width: Int, workerWidth: Int, agingStep: Int64,
    relocated: @escaping (inout Entry, Int) -> Void
  ) {
    pool = PoolView(
      width: width, workerWidth: workerWidth, agingStep: agingStep, relocated: relocated)
    super.init(label: label, width: width)
  }
}
