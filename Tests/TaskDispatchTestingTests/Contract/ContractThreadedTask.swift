import TaskDispatch
import TaskDispatchTesting

/// A submission to a ``ThreadedDispatcher``: it waits in a queue, and then it is the frame of its body.
final class ThreadedTask: TaskFrame, PoolEntry, @unchecked Sendable {
  // Everything that changes is touched under the dispatcher's monitor.

  enum Work {
    case plain(@Sendable () -> Void)
    case item(WorkItem)
    case job(UnownedJob, any ThreadedExecutor)
    /// Somebody stands in `sync`. On the foreground the loop runs the body for them.
    case caller(ThreadedCaller)
  }

  private(set) var work: Work?
  let id: UInt64
  /// The queue that it was submitted to.
  let home: TaskQueue
  let lane: Lane
  let view: ThreadedView?
  let isBarrier: Bool
  let runsOnCaller: Bool
  let record: TaskRecord
  var position = 0
  var lease: PoolOrder<ThreadedTask>.Lease?
  var ticket: DeadlineTicket?
  /// A caller's turn has come; its body has run.
  var isGranted = false
  var hasRun = false
  var isAbandoned = false
  /// The next tick of a repeating timer.
  var tick: DispatcherInstant?

  init(
    _ work: Work, id: UInt64, queue: TaskQueue, label: String?, site: CallSite,
    parent: UInt64?, at time: DispatcherInstant, shutdown: ShutdownFlag
  ) {
    self.work = work
    self.id = id
    home = queue
    lane = queue.lane
    view = queue.view as? ThreadedView
    isBarrier = queue.isBarrier && queue.lane == .background
    let item: WorkItem?
    if case .item(let some) = work { item = some } else { item = nil }
    if case .caller = work {
      runsOnCaller = queue.lane == .background
    } else {
      runsOnCaller = false
    }
    record = TaskRecord(
      id: TaskID(id), label: label, lane: queue.lane, queue: queue.label, site: site,
      parent: parent.map { TaskID($0) }, enqueuedAt: time)
    super.init(queue: queue.identity, site: site, item: item, shutdown: shutdown)
  }

  override var queueLabel: String { record.queue }

  override var isSwiftTask: Bool { isJob }

  var isJob: Bool { if case .job = work { true } else { false } }

  var isCaller: Bool { if case .caller = work { true } else { false } }

  var countsAgainstLimits: Bool {
    switch work {
    case .plain: true
    case .item(let item): item.countsAgainstLimits
    case .job, .caller, nil: false
    }
  }

  /// Runs the body, in this frame.
  func perform(by dispatcher: ThreadedDispatcher, hidesOuter: Bool) -> Outcome {
    run(by: dispatcher, hidesOuter: hidesOuter) {
      switch work {
      case .plain(let body): body()
      case .item(let item): return item.run()
      case .job(let job, let executor): executor.run(job)
      case .caller(let caller): caller.body?()
      case nil: preconditionFailure("\(record) runs twice")
      }
      return .completed
    }
  }

  /// Lets go of what it would have run, or has.
  func release() -> Work? { work.take() }
}

/// Somebody who stands in `sync`. Lets go of the body before the call returns.
final class ThreadedCaller {
  var body: (() -> Void)?

  init(_ body: @escaping () -> Void) { self.body = body }
}

/// A view of a ``ThreadedDispatcher``.
final class ThreadedView: QueueView, @unchecked Sendable {
  // Touched under the dispatcher's monitor.
  let pool: PoolView<ThreadedTask>

  init(label: String, width: Int, configuration: ContractConfiguration) {
    pool = PoolView(
      width: width, workerWidth: configuration.width,
      agingStep: configuration.agingStep.clampedNanoseconds
    ) { task, position in task.position = position }
    super.init(label: label, width: width)
  }
}

/// Where jobs come from.
protocol ThreadedExecutor: AnyObject, Sendable {
  func run(_ job: UnownedJob)
}

final class ThreadedTaskExecutor: TaskExecutor, ThreadedExecutor {
  private let queue: TaskQueue
  private let dispatcher: ThreadedDispatcher

  init(_ queue: TaskQueue, _ dispatcher: ThreadedDispatcher) {
    self.queue = queue
    self.dispatcher = dispatcher
  }

  func enqueue(_ job: consuming ExecutorJob) {
    dispatcher.enqueue(UnownedJob(job), by: self, on: queue)
  }

  func run(_ job: UnownedJob) { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
}

final class ThreadedSerialExecutor: SerialExecutor, ThreadedExecutor {
  private let queue: TaskQueue
  private let dispatcher: ThreadedDispatcher

  init(_ queue: TaskQueue, _ dispatcher: ThreadedDispatcher) {
    self.queue = queue
    self.dispatcher = dispatcher
  }

  func enqueue(_ job: consuming ExecutorJob) {
    dispatcher.enqueue(UnownedJob(job), by: self, on: queue)
  }

  func run(_ job: UnownedJob) { unsafe job.runSynchronously(on: asUnownedSerialExecutor()) }
}
