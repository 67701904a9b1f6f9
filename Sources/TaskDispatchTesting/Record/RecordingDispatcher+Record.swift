public import TaskDispatch

extension RecordingDispatcher {
  // MARK: What waits

  /// Every task that has not run, and what keeps it from running, in the order of submission.
  public var pendingTasks: [PendingTask] { withState { $0.pendingTasks() } }

  /// The tasks that a step may run now, in the order of submission.
  public var runnableTasks: [PendingTask] { pendingTasks.filter { $0.obstacle == nil } }

  /// Whether no step can run anything now. Timers that are not due do not count.
  public var isIdle: Bool { withState { !$0.hasMore(.everything) } }

  /// The next time at which something happens. Nil if nothing waits for a time.
  public var nextDeadline: DispatcherInstant? { withState { $0.nextDeadlineInstant } }

  // MARK: What runs

  /// The task whose body is running: the innermost, if bodies wait for others. Nil between steps.
  public var currentTask: TaskRecord? { withState { $0.running.last?.record } }

  /// The tasks whose bodies are on the stack, the outermost first. Each but the last waits in a `sync` or a `wait`, or,
  /// with the policy `.inline`, in a submission.
  public var runningTasks: [TaskRecord] { withState { $0.running.map(\.record) } }

  // MARK: What happened

  /// Everything that happened, in order. Empty if the configuration keeps no history.
  public var history: [TaskEvent] { withState { $0.history } }

  /// The tasks that have started, in the order in which they did: the label of each, or its file and line. Needs the
  /// history.
  ///
  /// The bodies of `sync` and the jobs of Swift Tasks are among them. *Started* means taken by a worker or by the loop.
  /// A step that runs a task further back also starts the tasks before it, whose bodies run in later steps:
  /// ``PendingTask/isStarted`` tells which they are.
  public var ran: [String] { started { _ in true } }

  /// The tasks of `queue` that have started, under the names and in the order of ``ran``. Needs the history.
  public func ran(on queue: TaskQueue) -> [String] {
    let label = queue.label
    return started { $0.lane == queue.lane && $0.queue == label }
  }

  /// Whether a task with this label has started. Needs the history. See ``ran``.
  public func hasRun(_ label: String) -> Bool { started { $0.label == label }.isEmpty == false }

  /// What happened to the tasks with this label, in order. Needs the history.
  public func events(of label: String) -> [TaskEvent.Kind] {
    requireHistory("events(of:)")
    return history.filter { $0.task.label == label }.map(\.kind)
  }

  /// The ancestors of a task, its parent first. Needs the history.
  public func ancestors(of id: TaskID) -> [TaskRecord] {
    requireHistory("ancestors(of:)")
    var records: [TaskID: TaskRecord] = [:]
    for event in history { records[event.task.id] = event.task }
    var chain: [TaskRecord] = []
    var next = records[id]?.parent
    while let parent = next, let record = records[parent] {
      chain.append(record)
      next = record.parent
    }
    return chain
  }

  private func started(_ isWanted: (TaskRecord) -> Bool) -> [String] {
    requireHistory("ran")
    return history.filter { $0.kind == .started && isWanted($0.task) }
      .map { $0.task.label ?? "\($0.task.site)" }
  }

  private func requireHistory(_ query: String) {
    require(
      configuration.recordsHistory,
      "\(query) needs the history: make the dispatcher with recordsHistory: true")
  }
}
