public import TaskDispatch

extension RecordingDispatcher {
  /// When bodies run.
  public enum Policy: Sendable, Hashable, CaseIterable {
    /// Only in steps. The default.
    case manual
    /// Inside the submission, nested if bodies submit: for code that injects a queue and wants no
    /// steps. Barriers, widths and the order of lanes mean nothing then. A suspended queue still
    /// holds, and time still has to be moved. A delay of zero is no delay, `sync` runs its body at
    /// once, and the jobs of Swift Tasks run when the outermost submission is done.
    case inline
    /// The foreground by itself, before a submission or step from outside returns; the background
    /// in steps.
    case automaticForeground
    /// Everything by itself, before a submission from outside returns, and never nested: what a body
    /// submits runs after it.
    case automatic
    /// Never: any use is a failure of the test, and names the caller. Its clock, ``RecordingDispatcher/now``, and
    /// its numbers may be read: time stands at the start.
    case unimplemented
  }

  /// What ``RecordingDispatcher/finish()`` says of tasks that never ran.
  public enum Leftovers: Sendable, Hashable, CaseIterable {
    /// They are a failure.
    case fail
    /// They are a failure, repeating timers aside.
    case failExceptRepeating
    /// They are nobody's business.
    case ignore
  }

  /// When an error that a body threw, and that nobody was waiting for, comes back.
  public enum ThrownErrors: Sendable, Hashable, CaseIterable {
    /// From `finish()`.
    case atFinish
    /// From the step that ran the body; the task has ended, and everything else is untouched.
    case atOnce
    /// Never. They are in the history.
    case ignore
  }

  /// How a fake behaves.
  public struct Configuration: Sendable {
    /// The most background tasks that are started at a time: the workers of the pool. At least 1.
    public var width: Int
    /// When bodies run.
    public var policy: Policy
    /// The most steps that one call runs before it gives up, those of calls that wait in its bodies included; a call
    /// that moves time, at each time where it stops, and ten times as many in all, or 100 000 if that is more. At
    /// least 1. A call that waits (`sync`, `wait`, a submission that blocks its caller) is one such call: it throws
    /// ``WaitRefusal/nothingCanEndIt(_:)``, or is refused; so it does if the stack of its thread is nearly used up
    /// by calls that wait inside each other.
    public var stepLimit: Int
    /// What `finish()` says of tasks that never ran.
    public var leftovers: Leftovers
    /// When an error that nobody was waiting for comes back.
    public var thrownErrors: ThrownErrors
    /// Whether a Task that was resumed by something this dispatcher does not control is a failure.
    /// Noticed only if the history is kept.
    public var escapesFail: Bool
    /// What happens to a submission to a queue that is full.
    public var overflow: Overflow
    /// How long a head waits in virtual time for each band it climbs. At least a nanosecond.
    public var agingStep: Duration
    /// Whether the history is kept. Without it, memory does not grow with finished tasks.
    public var recordsHistory: Bool
    /// Told of everything that happens, as the real dispatcher's is.
    public var observer: (any TaskObserver)?

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
