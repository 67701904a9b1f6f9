internal import TaskDispatch

/// A submission to a ``UVDispatcher``: it waits in a queue, and then it is the frame of its body.
///
/// What changes is touched under the dispatcher's lock, the frame aside, which belongs to the thread
/// that runs the body.
final class QueuedTask: TaskFrame, PoolEntry {
  enum Work {
    case plain(@Sendable () -> Void)
    case item(WorkItem)
    case job(UnownedJob, any UVExecutor)
    /// Somebody stands in `sync`. On the foreground the loop runs the body for them.
    case caller(SyncCaller)
  }

  private(set) var work: Work?
  let id: UInt64
  let view: UVView?
  let isBarrier: Bool
  let runsOnCaller: Bool
  let isJob: Bool
  let parent: UInt64?
  let enqueuedAt: Int64
  /// When its body began, and how long it may have held its thread before that is told (again).
  var startedAt: Int64 = 0
  var nextStall: Int64 = 0
  /// Where it waits.
  var position = 0
  /// Its share of the pool, while it runs there.
  var runner: ViewQueue<QueuedTask>.Runner?
  var ranAsBarrier = false
  var ticket: DeadlineTicket?
  /// The turn of a caller has come; its body has run.
  var isGranted = false
  var hasRun = false
  /// A caller whose turn a shutdown has taken away.
  var isTurnedAway = false
  var isAbandoned = false
  /// The time-out of its caller aside, it stands still until something else has happened.
  var isBlocked = false

  init(
    _ work: consuming Work, id: UInt64, queue: TaskQueue.Identity, view: UVView?, isBarrier: Bool,
    site: CallSite, parent: UInt64?, at time: Int64, shutdown: ShutdownFlag
  ) {
    let item: WorkItem?
    if case .item(let some) = work { item = some } else { item = nil }
    if case .job = work { isJob = true } else { isJob = false }
    if case .caller = work {
      runsOnCaller = queue.lane == .background
    } else {
      runsOnCaller = false
    }
    self.work = work
    self.id = id
    self.view = view
    self.isBarrier = isBarrier && queue.lane == .background
    self.parent = parent
    enqueuedAt = time
    super.init(queue: queue, site: site, item: item, shutdown: shutdown)
  }

  var lane: Lane { queue.lane }

  override var queueLabel: String { view?.label ?? lane.description }

  override var isSwiftTask: Bool { isJob }

  /// Whether it must not run beside another of its queue, whatever becomes of the dispatcher.
  var isJobOfActor: Bool {
    if case .job(_, let executor) = work { executor is UVSerialExecutor } else { false }
  }

  var isCaller: Bool { if case .caller = work { true } else { false } }

  var countsAgainstLimits: Bool {
    switch work {
    case .plain: true
    case .item(let item): item.countsAgainstLimits
    case .job, .caller, nil: false
    }
  }

  var record: TaskRecord {
    TaskRecord(
      id: TaskID(id), label: item?.label, lane: lane, queue: queueLabel, site: site,
      parent: parent.map { TaskID($0) }, enqueuedAt: DispatcherInstant(nanoseconds: enqueuedAt))
  }

  /// Runs the body, in this frame.
  func perform(by dispatcher: UVDispatcher, hidesOuter: Bool) -> Outcome {
    enter(by: dispatcher, hidesOuter: hidesOuter)
    defer { leave() }
    switch work {
    case .plain(let body): body()
    case .item(let item): return item.run()
    case .job(let job, let executor): executor.run(job)
    case .caller(let caller): caller.body?()
    case nil: refuse("\(record) runs twice")
    }
    return .completed
  }

  /// Lets go of what it would have run, or has. The caller releases it without the lock: that may
  /// run anybody's `deinit`.
  func release() -> Work? { work.take() }
}

/// Somebody who stands in `sync`.
final class SyncCaller {
  /// Gone before the call returns.
  var body: (() -> Void)?

  init(_ body: @escaping () -> Void) { self.body = body }
}

/// A view of a ``UVDispatcher``'s background.
final class UVView: QueueView, @unchecked Sendable {
  // Touched under the dispatcher's lock, the executors aside, which have their own.
  let pool: PoolView<QueuedTask>
  var limited = 0
  let executors = Locked(Executors())

  /// A Task keeps its executor, and that the view; an actor keeps the view, and that its executor.
  struct Executors {
    weak var task: UVTaskExecutor?
    var serial: UVSerialExecutor?
  }

  init(label: String, width: Int, workerWidth: Int, agingStep: Int64) {
    pool = PoolView(width: width, workerWidth: workerWidth, agingStep: agingStep) {
      task, position in task.position = position
    }
    super.init(label: label, width: width)
  }
}
