public import TaskDispatch

/// Where the jobs of Swift Tasks come from. The two kinds are objects apart: the runtime crashes if
/// a job is run as the kind that it did not come in by.
protocol UVExecutor: AnyObject, Sendable {
  var lane: Lane { get }
  var view: UVView? { get }
  func run(_ job: UnownedJob)
  /// Runs a job that the dispatcher cannot run any more.
  func enqueueElsewhere(_ job: UnownedJob)
}

/// Runs Tasks that prefer a queue.
final class UVTaskExecutor: TaskExecutor, UVExecutor {
  let lane: Lane
  let view: UVView?
  private weak let dispatcher: UVDispatcher?

  init(_ dispatcher: UVDispatcher, lane: Lane, view: UVView?) {
    self.dispatcher = dispatcher
    self.lane = lane
    self.view = view
  }

  func enqueue(_ job: consuming ExecutorJob) {
    UVDispatcher.enqueue(UnownedJob(job), by: self, on: dispatcher)
  }

  func run(_ job: UnownedJob) { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }

  func enqueueElsewhere(_ job: UnownedJob) { globalConcurrentExecutor.enqueue(job) }
}

/// Runs actors that live on a queue.
///
/// The view holds it, so it does not hold the view: an actor keeps its queue, and that the view.
final class UVSerialExecutor: SerialExecutor, UVExecutor {
  let lane: Lane
  private weak let weakView: UVView?
  private let label: String
  var view: UVView? { weakView }
  private weak let dispatcher: UVDispatcher?

  init(_ dispatcher: UVDispatcher, lane: Lane, view: UVView?) {
    self.dispatcher = dispatcher
    self.lane = lane
    weakView = view
    label = view?.label ?? lane.description
  }

  func enqueue(_ job: consuming ExecutorJob) {
    UVDispatcher.enqueue(UnownedJob(job), by: self, on: dispatcher)
  }

  func run(_ job: UnownedJob) { unsafe job.runSynchronously(on: asUnownedSerialExecutor()) }

  func enqueueElsewhere(_ job: UnownedJob) {
    UVDispatcher.enqueueLate(job, by: self, on: dispatcher)
  }

  func checkIsolated() {
    require(isIsolatingCurrentContext() == true, "this code does not run on \(label)")
  }

  func isIsolatingCurrentContext() -> Bool? {
    guard let dispatcher else { return false }
    return dispatcher.isCurrent(TaskQueue(dispatcher: dispatcher, view: view, lane: lane))
  }
}

/// The executors of the lanes, each made when it is first asked for: an object that others refer to
/// weakly, as they do to the dispatcher, is counted more slowly.
///
/// An actor's is asked for at each call of the actor, so there is no lock to take.
struct LaneExecutors<Executor: UVExecutor>: ~Copyable {
  private let foreground = LazyObject<Executor>()
  private let background = LazyObject<Executor>()

  func executor(for lane: Lane, make: () -> Executor) -> Executor {
    lane == .foreground ? foreground.made(by: make) : background.made(by: make)
  }
}

extension UVDispatcher {
  public func taskExecutor(for queue: TaskQueue) -> any TaskExecutor {
    guard let view = view(queue.view) else {
      return taskExecutors.executor(for: queue.lane) {
        UVTaskExecutor(self, lane: queue.lane, view: nil)
      }
    }
    return view.taskExecutor.withLock { known in
      let executor = known.executor ?? UVTaskExecutor(self, lane: .background, view: view)
      known.executor = executor
      return executor
    }
  }

  public func serialExecutor(for queue: TaskQueue) -> any SerialExecutor {
    guard let view = view(queue.view) else {
      return serialExecutors.executor(for: queue.lane) {
        UVSerialExecutor(self, lane: queue.lane, view: nil)
      }
    }
    return view.serialExecutor.made { UVSerialExecutor(self, lane: .background, view: view) }
  }

  /// A job cannot be refused: where the dispatcher is gone or over, it runs elsewhere.
  fileprivate static func enqueue(
    _ job: UnownedJob, by executor: any UVExecutor, on dispatcher: UVDispatcher?
  ) {
    guard let dispatcher, dispatcher.take(job, executor) else {
      globalConcurrentExecutor.enqueue(job)
      return
    }
  }

  fileprivate static func enqueueLate(
    _ job: UnownedJob, by executor: UVSerialExecutor, on dispatcher: UVDispatcher?
  ) {
    guard let dispatcher else { return globalConcurrentExecutor.enqueue(job) }
    dispatcher.withCore { core in
      let task = core.makeTask(
        .job(job, executor), on: executor.lane, executor.view,
        site: CallSite(fileID: "a Swift Task", line: 0), parent: nil)
      _ = dispatcher.takeLate(task, core)
    }
  }

  private func take(_ job: UnownedJob, _ executor: any UVExecutor) -> Bool {
    let band = PriorityBand(ofPriority: job.priority.rawValue)
    let parent = currentTask
    return withCore { core in
      let task = core.makeTask(
        .job(job, executor), on: executor.lane, executor.view,
        site: CallSite(fileID: "a Swift Task", line: 0, band: band), parent: parent?.id)
      if core.loop.isOver { return takeLate(task, core) }
      core.accept(task)
      core.enqueue(task)
      return true
    }
  }
}
