public import TaskDispatch

/// An executor that hands the jobs of Swift Tasks to a dispatcher.
///
/// Task executors and serial executors are separate objects: the runtime crashes if a job runs on an executor of the
/// other kind than the one that it was enqueued on.
protocol UVExecutor: AnyObject, Sendable {
  var lane: Lane { get }
  var view: UVView? { get }
  func run(_ job: UnownedJob)
  /// Enqueues a job again that the dispatcher could not run in its queue.
  func enqueueAgain(_ job: UnownedJob)
}

/// Runs Tasks that prefer a queue. Such a Task holds the executor, which holds the dispatcher and the view.
final class UVTaskExecutor: TaskExecutor, UVExecutor {
  let lane: Lane
  let view: UVView?
  private let dispatcher: UVDispatcher

  init(_ dispatcher: UVDispatcher, lane: Lane, view: UVView?) {
    self.dispatcher = dispatcher
    self.lane = lane
    self.view = view
  }

  func enqueue(_ job: consuming ExecutorJob) {
    UVDispatcher.enqueue(UnownedJob(job), by: self, on: dispatcher)
  }

  func run(_ job: UnownedJob) { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }

  func enqueueAgain(_ job: UnownedJob) { UVDispatcher.enqueue(job, by: self, on: dispatcher) }
}

/// Runs actors that live on a queue.
///
/// The view holds the executor, so the executor does not hold the view. An actor holds its queue, which holds the
/// view.
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

  func enqueueAgain(_ job: UnownedJob) { UVDispatcher.enqueue(job, by: self, on: dispatcher) }

  func checkIsolated() {
    require(isIsolatingCurrentContext() == true, "this code does not run on \(label)")
  }

  func isIsolatingCurrentContext() -> Bool? {
    guard let dispatcher else { return false }
    return dispatcher.isCurrent(TaskQueue(dispatcher: dispatcher, view: view, lane: lane))
  }
}

/// A weak reference to the executor of Tasks that prefer a queue. The Tasks hold that executor. The queue must not
/// hold it: the executor holds the queue and the dispatcher.
struct KnownTaskExecutor {
  private weak var executor: UVTaskExecutor?

  mutating func executor(_ make: () -> UVTaskExecutor) -> UVTaskExecutor {
    if let executor { return executor }
    let new = make()
    executor = new
    return new
  }
}

/// The executors of the lanes, each made when it is first asked for.
///
/// The runtime asks for an actor's executor at each call of the actor, so that takes no lock.
struct LaneExecutors: ~Copyable {
  private let foreground = LazyObject<UVSerialExecutor>()
  private let background = LazyObject<UVSerialExecutor>()
  private let foregroundOfTasks = Locked(KnownTaskExecutor())
  private let backgroundOfTasks = Locked(KnownTaskExecutor())

  func serialExecutor(for lane: Lane, make: () -> UVSerialExecutor) -> UVSerialExecutor {
    lane == .foreground ? foreground.made(by: make) : background.made(by: make)
  }

  func taskExecutor(for lane: Lane, make: () -> UVTaskExecutor) -> UVTaskExecutor {
    lane == .foreground
      ? foregroundOfTasks.withLock { $0.executor(make) }
      : backgroundOfTasks.withLock { $0.executor(make) }
  }
}

extension UVDispatcher {
  public func taskExecutor(for queue: TaskQueue) -> any TaskExecutor {
    guard let view = view(queue.view) else {
      return executors.taskExecutor(for: queue.lane) {
        UVTaskExecutor(self, lane: queue.lane, view: nil)
      }
    }
    return view.taskExecutor.withLock { known in
      known.executor { UVTaskExecutor(self, lane: .background, view: view) }
    }
  }

  public func serialExecutor(for queue: TaskQueue) -> any SerialExecutor {
    guard let view = view(queue.view) else {
      return executors.serialExecutor(for: queue.lane) {
        UVSerialExecutor(self, lane: queue.lane, view: nil)
      }
    }
    return view.serialExecutor.made { UVSerialExecutor(self, lane: .background, view: view) }
  }

  /// Hands a job to the dispatcher. A job cannot be refused: if the dispatcher is gone or over, it runs on Swift's
  /// own pool.
  fileprivate static func enqueue(
    _ job: UnownedJob, by executor: any UVExecutor, on dispatcher: UVDispatcher?
  ) {
    if let dispatcher {
      // The engine uses its dispatcher, which may lose its last other reference now.
      defer { withExtendedLifetime(dispatcher) {} }
      if dispatcher.engine.take(job, executor) { return }
    }
    globalConcurrentExecutor.enqueue(job)
  }
}

extension Engine {
  /// Takes a job of a Swift Task into the queue of its executor. False if it has to run elsewhere.
  fileprivate func take(_ job: UnownedJob, _ executor: any UVExecutor) -> Bool {
    let parent = currentTask
    lock()
    defer { unlock() }
    let task = core.makeTask(
      .job(job, executor), on: executor.lane, executor.view,
      site: CallSite(fileID: "a Swift Task", line: 0), parent: parent?.id)
    if core.strandsJobs(on: executor.lane, executor.view) {
      let isTaken = takeLate(task, core)
      // The call above may have made late jobs of those that waited in the view.
      if !core.late.isEmpty { startLateThread(core) }
      return isTaken
    }
    core.accept(task)
    core.enqueue(task)
    return true
  }
}
