public import TaskDispatch

/// Why a step did not do what it was asked to. No task is lost: what has not run still waits.
public enum StepError: Error, Sendable {
  /// Nothing waits where the step looked.
  case nothingQueued(String, elsewhere: [PendingTask], nextDeadline: DispatcherInstant?)
  /// Tasks wait where the step looked, and none of them can run.
  case nothingRunnable(String, [PendingTask], nextDeadline: DispatcherInstant?)
  /// The task that was asked for cannot run now.
  case notRunnable(PendingTask)
  /// No waiting task has this label. `hasRun` is a started task that had it, if the history knows one.
  case unknownLabel(
    String, nearMisses: [String], pending: [PendingTask], hasRun: TaskRecord? = nil)
  /// Several waiting tasks have this label. Run one of them by its id.
  case ambiguousLabel(String, [PendingTask])
  /// No waiting task has this id.
  case unknownTask(TaskID, pending: [PendingTask])
  /// The call ran `limit` steps, and there was no end.
  case stepLimitReached(limit: Int, recurring: [Recurrence])
  /// A step was requested while a step runs.
  case reentrantStep(String, running: TaskRecord?)
  /// Virtual time does not go back.
  case timeBackwards(now: DispatcherInstant, requested: DispatcherInstant)
  /// The body threw, and no code was waiting for it.
  case taskThrew(TaskRecord, any Error)
  /// Nothing is left to run, and the condition does not hold.
  case conditionNotMet(pending: [PendingTask], nextDeadline: DispatcherInstant?)
  /// An operation waits for something outside this dispatcher's control: no task that waits here could let it go on.
  case escaped(String, pending: [PendingTask], nextDeadline: DispatcherInstant?)
  /// An operation has not ended, and nothing can run now.
  case notEnded(String, pending: [PendingTask], nextDeadline: DispatcherInstant?)
  /// No handler is registered for this event.
  case noRegistration(String, registered: [String])

  /// A place in the source that submitted many of the tasks that a call ran.
  public struct Recurrence: Sendable, Hashable {
    public let label: String?
    public let site: CallSite
    public let count: Int
  }
}

extension StepError: Equatable {
  /// Equal in case and in all values. Errors that bodies threw are equal if they have the same type and
  /// the same description.
  public static func == (lhs: StepError, rhs: StepError) -> Bool {
    switch (lhs, rhs) {
    case (.taskThrew(let task, let error), .taskThrew(let other, let otherError)):
      task == other && Outcome.failed(error) == Outcome.failed(otherError)
    case (.taskThrew, _), (_, .taskThrew): false
    default: lhs.values == rhs.values
    }
  }

  /// All values of a case, except an error: see `==`.
  private var values: [AnyHashable] {
    switch self {
    case .nothingQueued(let place, let elsewhere, let deadline):
      [0, place, elsewhere, deadline]
    case .nothingRunnable(let place, let pending, let deadline): [1, place, pending, deadline]
    case .notRunnable(let task): [2, task]
    case .unknownLabel(let label, let nearMisses, let pending, let hasRun):
      [3, label, nearMisses, pending, hasRun]
    case .ambiguousLabel(let label, let tasks): [4, label, tasks]
    case .unknownTask(let id, let pending): [5, id, pending]
    case .stepLimitReached(let limit, let recurring): [6, limit, recurring]
    case .reentrantStep(let call, let running): [7, call, running]
    case .timeBackwards(let now, let requested): [8, now, requested]
    case .taskThrew(let task, _): [9, task]
    case .conditionNotMet(let pending, let deadline): [10, pending, deadline]
    case .escaped(let what, let pending, let deadline): [11, what, pending, deadline]
    case .notEnded(let what, let pending, let deadline): [12, what, pending, deadline]
    case .noRegistration(let event, let registered): [13, event, registered]
    }
  }
}

extension StepError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .nothingQueued(let place, let elsewhere, let deadline):
      Self.lines("nothing is queued on \(place)", "queued elsewhere:", elsewhere, deadline)
    case .nothingRunnable(let place, let pending, let deadline):
      Self.lines("nothing on \(place) can run now", "queued there:", pending, deadline)
    case .notRunnable(let task):
      "this task cannot run now: \(task)"
        + (task.obstacle?.isOtherTasks == true ? "; run what is in its way, or runUntilIdle()" : "")
    case .unknownLabel(let label, let nearMisses, let pending, let hasRun):
      Self.lines(Self.unknown(label, nearMisses, hasRun), "waiting:", pending, nil)
    case .ambiguousLabel(let label, let tasks):
      Self.lines(
        "\(tasks.count) waiting tasks are labelled \"\(label)\"; run one by its id with runTask(_:)",
        "they are:", tasks, nil)
    case .unknownTask(let id, let pending):
      Self.lines(
        "no task \(id) is waiting; it has run, or was never here", "waiting:", pending, nil)
    case .stepLimitReached(let limit, let recurring):
      Self.gaveUp(after: limit, recurring)
    case .reentrantStep(let call, let running):
      "\(call) was called while "
        + (running.map { "\($0) is running" } ?? "another thread is stepping this dispatcher")
        + "; a step cannot run inside a step. Submit what should happen, and step from the test."
    case .timeBackwards(let now, let requested):
      "virtual time is \(now) and cannot go back to \(requested)"
    case .taskThrew(let task, let error):
      "\(task) threw: \(error)"
    case .conditionNotMet(let pending, let deadline):
      Self.lines(
        "nothing is left to run, and the condition does not hold", "waiting:", pending, deadline)
    case .escaped(let operation, let pending, let deadline):
      Self.lines(
        "\(operation) waits for something that this dispatcher does not control",
        "waiting here:", pending, deadline)
        + "\nIt may be another executor, a real sleep, or a continuation that no code resumes: run "
        + "that on this dispatcher, or use its clock."
    case .notEnded(let operation, let pending, let deadline):
      Self.lines("\(operation) has not ended, and nothing can run now", "waiting:", pending, nil)
        + (deadline.map {
          "\nThe next deadline is at \($0): let the call move time, with runAsync(movingTime: true)."
        } ?? "")
    case .noRegistration(let event, let registered):
      "no handler is registered for \(event): call onSignal or onReady first; "
        + (registered.isEmpty
          ? "nothing is registered at all" : "registered: \(registered.joined(separator: ", "))")
    }
  }

  private static func unknown(
    _ label: String, _ nearMisses: [String], _ hasRun: TaskRecord?
  ) -> String {
    var text = "no task labelled \"\(label)\" is waiting"
    if let hasRun {
      text += "; \(hasRun.id) from \(hasRun.site) had that label, and has started already"
    }
    if nearMisses.isEmpty { return text }
    return text + "; did you mean "
      + nearMisses.map { "\"\($0)\"" }.joined(separator: " or ") + "?"
  }

  private static func gaveUp(after limit: Int, _ recurring: [Recurrence]) -> String {
    let first =
      "gave up after \(limit) steps: something submits work for ever. What ran most often of late:"
    let last = """
      Let it end, step by hand, or give a higher limit.
      If it is a timer that ticks while time moves far: skipTime(by:) moves time alone; with .all it owes each tick.
      If it polls until a timer has come, or a task of a lower band has run: virtual time, and with it aging, \
      stands still while anything can run.
      """
    return ([first] + recurring.map { "  \($0)" } + [last]).joined(separator: "\n")
  }

  private static func lines(
    _ what: String, _ heading: String, _ tasks: [PendingTask], _ deadline: DispatcherInstant?
  ) -> String {
    let shown = 12
    var lines = [what]
    if tasks.isEmpty {
      lines[0] += ", and nothing waits in this dispatcher"
    } else {
      lines.append(heading)
      lines += tasks.prefix(shown).map { "  \($0)" }
      if tasks.count > shown { lines.append("  and \(tasks.count - shown) more") }
    }
    if let deadline {
      lines.append(
        "the next deadline is at \(deadline), and time moves only when it is told to: "
          + "advanceToNextDeadline()")
    }
    return lines.joined(separator: "\n")
  }
}

extension StepError.Recurrence: CustomStringConvertible {
  public var description: String {
    "\(count) times \(label.map { "\"\($0)\", " } ?? "")\(site)"
  }
}
