public import TaskDispatch

extension RecordingDispatcher {
  /// When bodies run.
  public enum Policy: Sendable, Hashable, CaseIterable {
    /// Bodies run only in steps. The default.
    case manual
    /// Each body runs inside its submission, nested if bodies submit. For code that injects a queue and wants no steps.
    ///
    /// Barriers, widths and the order of lanes mean nothing here. A suspended queue still holds its tasks back, and
    /// time moves only when a call moves it. A delay of zero is no delay. `sync` runs its body at once. The jobs of
    /// Swift Tasks run when the outermost submission is done.
    case inline
    /// Foreground bodies run before a submission or a step from outside returns. Background bodies run in steps.
    case automaticForeground
    /// All bodies run before a submission from outside returns. They never nest: a task that a body submits runs
    /// after that body.
    case automatic
    /// No body ever runs: any use is a failure of the test, and names the caller. Reading its clock,
    /// ``RecordingDispatcher/now`` and its numbers is allowed. Time stays at the start.
    case unimplemented
  }

  /// What ``RecordingDispatcher/finish()`` says of tasks that never ran.
  public enum Leftovers: Sendable, Hashable, CaseIterable {
    /// They are a failure.
    case fail
    /// They are a failure, repeating timers aside.
    case failExceptRepeating
    /// They are no failure.
    case ignore
  }

  /// When an error that a body threw, and that no code was waiting for, is thrown to the test.
  public enum ThrownErrors: Sendable, Hashable, CaseIterable {
    /// From `finish()`.
    case atFinish
    /// By the step that ran the body. The task has ended, and everything else is untouched.
    case atOnce
    /// Never. The history contains the errors.
    case ignore
  }

  /// How a fake behaves.
  public struct Configuration: Sendable {
    /// The number of workers in the pool: at most so many background tasks are started at a time. At least 1.
    public var width: Int
    /// When bodies run.
    public var policy: Policy
    /// The most steps that one call runs before it gives up. At least 1.
    ///
    /// The steps of calls that wait in its bodies count as well. A call that moves time may run so many steps at each
    /// time where it stops, and ten times as many in all, or 100 000 if that is more.
    ///
    /// A call that waits (`sync`, `wait`, or a submission that blocks its caller) is one such call. At the limit it
    /// throws ``WaitRefusal/nothingCanEndIt(_:)``, or is refused. The same happens if calls that wait inside each other
    /// have nearly used up the stack of their thread.
    public var stepLimit: Int
    /// What `finish()` says of tasks that never ran.
    public var leftovers: Leftovers
    /// When an error that no code was waiting for is thrown to the test.
    public var thrownErrors: ThrownErrors
    /// Whether it is a failure if something that this dispatcher does not control resumed a Swift Task. The dispatcher
    /// notices it only if it keeps the history.
    public var escapesFail: Bool
    /// The limit of the foreground, of the background and of each queue that has none of its own, each for itself: see
    /// ``QueueOptions/overflow``.
    public var overflow: Overflow
    /// How long, in virtual time, the head of a band waits for each band it climbs. At least a nanosecond.
    public var agingStep: Duration
    /// Whether the history is kept. Without it, memory does not grow with finished tasks.
    public var recordsHistory: Bool
    /// Receives every event, as the observer of the real dispatcher does.
    public var observer: (any TaskObserver)?

    /// Makes a configuration. A dispatcher traps if it is made with a width, a limit or an aging step below its least.
    public init(
      width: Int = 3, policy: Policy = .manual, stepLimit: Int = 10_000,
      leftovers: Leftovers = .fail, thrownErrors: ThrownErrors = .atFinish,
      escapesFail: Bool = true, overflow: Overflow = .unbounded,
      agingStep: Duration = .milliseconds(100), recordsHistory: Bool = true,
      observer: (any TaskObserver)? = nil
    ) {
      self.width = width
      self.policy = policy
      self.stepLimit = stepLimit
      self.leftovers = leftovers
      self.thrownErrors = thrownErrors
      self.escapesFail = escapesFail
      self.overflow = overflow
      self.agingStep = agingStep
      self.recordsHistory = recordsHistory
      self.observer = observer
    }

    func validate() {
      require(width >= 1, "a background needs a width of at least 1 (width: \(width))")
      require(stepLimit >= 1, "a step limit must allow a step (stepLimit: \(stepLimit))")
      require(
        agingStep > .zero,
        "an aging step lasts at least a nanosecond (agingStep: \(agingStep.exactText))")
      overflow.validate()
    }
  }
}
