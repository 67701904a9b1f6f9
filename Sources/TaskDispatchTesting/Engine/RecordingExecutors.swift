public import TaskDispatch

/// An executor through which jobs reach the fake.
///
/// Task executors and serial executors are separate objects. The runtime crashes if a job is run as the other kind.
protocol RecordingExecutor: AnyObject, Sendable {
  var lane: Lane { get }
  var view: QueueView? { get }
  /// Runs the jobs that the fake cannot run any more. Nil if Swift's own pool runs them.
  var late: LateJobs? { get }
  func run(_ job: UnownedJob)
}

extension RecordingExecutor {
  /// Takes a job that the fake cannot run any more. A job cannot be refused, and must not be lost.
  func runElsewhere(_ job: UnownedJob) {
    if let late { late.add(job, self) } else { globalConcurrentExecutor.enqueue(job) }
  }
}

/// The jobs of one queue that the fake cannot run any more, where one must run at a time: those of actors and those
/// of the foreground. A Task on Swift's own pool runs them in order of arrival.
final class LateJobs: Sendable {
  private struct State {
    var jobs: [(job: UnownedJob, executor: any RecordingExecutor)] = []
    var isRunning = false
  }

  private let state = Locked(State())

  func add(_ job: UnownedJob, _ executor: any RecordingExecutor) {
    let isFirst = state.withLock { state in
      state.jobs.append((job, executor))
      defer { state.isRunning = true }
      return !state.isRunning
    }
    if isFirst { Task.detached { self.runAll() } }
  }

  private func runAll() {
    while let jobs = takeAll() { for (job, executor) in jobs { executor.run(job) } }
  }

  private func takeAll() -> [(job: UnownedJob, executor: any RecordingExecutor)]? {
    state.withLock { state in
      state.isRunning = !state.jobs.isEmpty
      defer { state.jobs = [] }
      return state.isRunning ? state.jobs : nil
    }
  }
}

/// Runs Tasks whose preferred executor is a queue of the fake. Each of their jobs is a step.
final class RecordingTaskExecutor: TaskExecutor, RecordingExecutor {
  let lane: Lane
  let view: QueueView?
  let late: LateJobs?
  private weak let dispatcher: RecordingDispatcher?

  init(_ dispatcher: RecordingDispatcher, lane: Lane, view: QueueView?, late: LateJobs?) {
    self.dispatcher = dispatcher
    self.lane = lane
    self.view = view
    self.late = late
  }

  func enqueue(_ job: consuming ExecutorJob) {
    RecordingDispatcher.enqueue(UnownedJob(job), self, on: dispatcher)
  }

  func run(_ job: UnownedJob) {
    unsafe job.runSynchronously(on: asUnownedTaskExecutor())
  }
}

/// Runs actors that live on a queue of the fake. Each of their jobs is a step.
///
/// The view retains this executor, so this executor references the view weakly. An actor retains its queue, and the
/// queue retains the view.
final class RecordingSerialExecutor: SerialExecutor, RecordingExecutor {
  let lane: Lane
  private weak let weakView: QueueView?
  private let label: String
  var view: QueueView? { weakView }
  let late: LateJobs?
  private weak let dispatcher: RecordingDispatcher?

  init(
    _ dispatcher: RecordingDispatcher, lane: Lane, view: QueueView?, late: LateJobs = LateJobs()
  ) {
    self.dispatcher = dispatcher
    self.lane = lane
    self.late = late
    weakView = view
    label = view?.label ?? lane.description
  }

  func enqueue(_ job: consuming ExecutorJob) {
    RecordingDispatcher.enqueue(UnownedJob(job), self, on: dispatcher)
  }

  func run(_ job: UnownedJob) {
    unsafe job.runSynchronously(on: asUnownedSerialExecutor())
  }

  func checkIsolated() {
    require(isIsolatingCurrentContext() == true, "this code does not run on \(label)")
  }

  func isIsolatingCurrentContext() -> Bool? {
    guard let dispatcher else { return false }
    return dispatcher.isCurrent(TaskQueue(dispatcher: dispatcher, view: view, lane: lane))
  }
}

extension RecordingDispatcher {
  public func taskExecutor(for queue: TaskQueue) -> any TaskExecutor {
    guard let view = viewForExecutor(queue) else {
      return executors.withLock { executors in
        let executor =
          executors.tasks[queue.lane]
          ?? RecordingTaskExecutor(
            self, lane: queue.lane, view: nil,
            late: queue.lane == .foreground ? executors.lateForeground : nil)
        executors.tasks[queue.lane] = executor
        return executor
      }
    }
    return view.executors.withLock { executors in
      let executor =
        executors.task
        ?? RecordingTaskExecutor(self, lane: .background, view: view, late: nil)
      executors.task = executor
      return executor
    }
  }

  public func serialExecutor(for queue: TaskQueue) -> any SerialExecutor {
    guard let view = viewForExecutor(queue) else {
      return executors.withLock { executors in
        let executor =
          executors.serials[queue.lane]
          ?? RecordingSerialExecutor(
            self, lane: queue.lane, view: nil,
            late: queue.lane == .foreground ? executors.lateForeground : LateJobs())
        executors.serials[queue.lane] = executor
        return executor
      }
    }
    return view.executors.withLock { executors in
      let executor =
        executors.serial ?? RecordingSerialExecutor(self, lane: .background, view: view)
      executors.serial = executor
      return executor
    }
  }

  private func viewForExecutor(_ queue: TaskQueue) -> RecordingView? {
    withState { state in
      if !state.hasExecutors {
        state.hasExecutors = true
        state.driver = .current
      }
      return state.view(queue.view)
    }
  }

  struct LaneExecutors {
    var tasks: [Lane: RecordingTaskExecutor] = [:]
    var serials: [Lane: RecordingSerialExecutor] = [:]
    let lateForeground = LateJobs()
  }

  /// Accepts a job. If the dispatcher is gone or finished, the job runs elsewhere: it cannot be refused or lost.
  fileprivate static func enqueue(
    _ job: UnownedJob, _ executor: any RecordingExecutor, on dispatcher: RecordingDispatcher?
  ) {
    guard let dispatcher, dispatcher.take(job, executor) else { return executor.runElsewhere(job) }
  }

  private func take(_ job: UnownedJob, _ executor: any RecordingExecutor) -> Bool {
    let caller = ExecutionIdentity.current
    // Only the description of a job says which Task it belongs to.
    let task = configuration.recordsHistory ? "\(job)" : nil
    let isTaken = withState { state -> Bool in
      if state.isFinished { return false }
      if state.configuration.policy == .unimplemented {
        // A job cannot be refused. If it were kept here, the code that awaits its Task would hang.
        state.noteUnexpectedUse(CallSite(fileID: "a Swift Task", line: 0))
        return false
      }
      let isKnown = task.map { !state.swiftTasks.insert($0).inserted } ?? false
      let isFromOutside = isKnown && state.bodyOfThisThread == nil && caller != state.driver
      let site = CallSite(fileID: "a Swift Task", line: 0)
      let entry = state.admit(
        Job(job, executor), on: executor.lane, state.view(executor.view), site: site,
        swiftTask: task)
      if isFromOutside {
        state.escapes.append(entry.record)
        state.emit(.escaped, entry)
      }
      return true
    }
    if isTaken { runAutomatically() }
    return isTaken
  }
}
