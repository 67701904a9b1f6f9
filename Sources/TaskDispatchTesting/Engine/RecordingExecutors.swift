public import TaskDispatch

/// Where the fake's jobs come from. The two kinds are objects apart: the runtime crashes if a job is
/// run as the kind that it did not come in by.
protocol RecordingExecutor: AnyObject, Sendable {
  var lane: Lane { get }
  var view: QueueView? { get }
  func run(_ job: UnownedJob)
}

/// Runs Tasks that prefer a queue of the fake: each of their jobs is a step.
final class RecordingTaskExecutor: TaskExecutor, RecordingExecutor {
  let lane: Lane
  let view: QueueView?
  private weak let dispatcher: RecordingDispatcher?

  init(_ dispatcher: RecordingDispatcher, lane: Lane, view: QueueView?) {
    self.dispatcher = dispatcher
    self.lane = lane
    self.view = view
  }

  func enqueue(_ job: consuming ExecutorJob) {
    RecordingDispatcher.enqueue(UnownedJob(job), self, on: dispatcher)
  }

  func run(_ job: UnownedJob) {
    unsafe job.runSynchronously(on: asUnownedTaskExecutor())
  }
}

/// Runs actors that live on a queue of the fake: each of their jobs is a step.
final class RecordingSerialExecutor: SerialExecutor, RecordingExecutor {
  let lane: Lane
  let view: QueueView?
  private weak let dispatcher: RecordingDispatcher?

  init(_ dispatcher: RecordingDispatcher, lane: Lane, view: QueueView?) {
    self.dispatcher = dispatcher
    self.lane = lane
    self.view = view
  }

  func enqueue(_ job: consuming ExecutorJob) {
    RecordingDispatcher.enqueue(UnownedJob(job), self, on: dispatcher)
  }

  func run(_ job: UnownedJob) {
    unsafe job.runSynchronously(on: asUnownedSerialExecutor())
  }

  func checkIsolated() {
    require(isIsolatingCurrentContext() == true, "this code does not run on \(name)")
  }

  func isIsolatingCurrentContext() -> Bool? {
    guard let dispatcher else { return false }
    return dispatcher.isCurrent(TaskQueue(dispatcher: dispatcher, view: view, lane: lane))
  }

  private var name: String { view?.label ?? lane.description }
}

extension RecordingDispatcher {
  public func taskExecutor(for queue: TaskQueue) -> any TaskExecutor {
    executors.withLock { executors in
      Self.executor(queue, in: &executors.tasks) {
        RecordingTaskExecutor(self, lane: queue.lane, view: queue.view)
      }
    }
  }

  public func serialExecutor(for queue: TaskQueue) -> any SerialExecutor {
    executors.withLock { executors in
      Self.executor(queue, in: &executors.serials) {
        RecordingSerialExecutor(self, lane: queue.lane, view: queue.view)
      }
    }
  }

  private static func executor<Executor: RecordingExecutor>(
    _ queue: TaskQueue, in known: inout [Executor], _ make: () -> Executor
  ) -> Executor {
    if let found = known.first(where: { $0.lane == queue.lane && $0.view === queue.view }) {
      return found
    }
    let made = make()
    known.append(made)
    return made
  }

  struct Executors {
    var tasks: [RecordingTaskExecutor] = []
    var serials: [RecordingSerialExecutor] = []
  }

  /// A job cannot be refused: where the fake is gone or finished, it runs elsewhere and is not lost.
  fileprivate static func enqueue(
    _ job: UnownedJob, _ executor: some RecordingExecutor, on dispatcher: RecordingDispatcher?
  ) {
    guard let dispatcher, dispatcher.take(job, executor) else {
      globalConcurrentExecutor.enqueue(job)
      return
    }
  }

  private func take(_ job: UnownedJob, _ executor: some RecordingExecutor) -> Bool {
    let frame = TaskFrame.current
    let thread = ThreadIdentity.current
    let band = PriorityBand(TaskPriority(rawValue: job.priority.rawValue))
    // Which Task a job belongs to is only in its description.
    let task = configuration.recordsHistory ? "\(job)" : nil
    let next = withState { state -> State.Next? in
      if state.isFinished { return nil }
      let isKnown = task.map { !state.swiftTasks.insert($0).inserted } ?? false
      let (_, next) = state.admit(
        .job(job, executor), on: executor.lane, state.view(executor.view), isBarrier: false,
        site: CallSite(fileID: "a Swift Task", line: 0, band: band), frame: frame)
      if isKnown, state.runningIndex(frame) == nil, thread != state.driver {
        state.noteEscape(executor.lane, state.view(executor.view))
      }
      return next
    }
    guard let next else { return false }
    if case .runAutomatically = next { runAutomatically() }
    return true
  }
}

extension State {
  /// The newest submission is a job that something outside this dispatcher has resumed.
  fileprivate mutating func noteEscape(_ lane: Lane, _ view: RecordingView?) {
    let record = TaskRecord(
      id: TaskID(lastID), label: nil, lane: lane, queue: label(lane, view),
      site: CallSite(fileID: "a Swift Task", line: 0), parent: nil,
      enqueuedAt: DispatcherInstant(nanoseconds: now))
    escapes.append(record)
    emit(.escaped, record)
  }
}
