public import TaskDispatch

extension UVDispatcher {
  public struct Configuration: Sendable {
    /// Names the dispatcher in reports, and its threads.
    public var label: String
    /// The most background bodies that run at a time. Nil for as many as the pool has threads, less
    /// one that stays free for libuv's own file and DNS work. More than that is held to it; see
    /// ``UVDispatcher/effectiveBackgroundWidth``.
    public var backgroundWidth: Int?
    /// What happens to a submission to a queue that is full.
    public var overflow: Overflow
    /// How much of the foreground's queue one turn of the loop runs before it looks at timers and
    /// descriptors again (rule 11).
    public var loopBudget: LoopBudget
    /// How long the head of a band is passed over before it climbs a band (rule 7).
    public var agingStep: Duration
    /// How long a body may hold its thread before the observer is told that it is stalled; and
    /// again each time that this has doubled. Only with an observer.
    public var stallThreshold: Duration
    /// Told of what happens to every task. It costs every task.
    public var observer: (any TaskObserver)?

    public init(
      label: String = "uv", backgroundWidth: Int? = nil, overflow: Overflow = .unbounded,
      loopBudget: LoopBudget = LoopBudget(), agingStep: Duration = .milliseconds(100),
      stallThreshold: Duration = .milliseconds(100), observer: (any TaskObserver)? = nil
    ) {
      self.label = label
      self.backgroundWidth = backgroundWidth
      self.overflow = overflow
      self.loopBudget = loopBudget
      self.agingStep = agingStep
      self.stallThreshold = stallThreshold
      self.observer = observer
    }

    func validate() {
      if let backgroundWidth {
        require(
          backgroundWidth >= 1,
          "a background needs a width of at least 1 (backgroundWidth: \(backgroundWidth))")
      }
      overflow.validate()
      require(
        loopBudget.tasks >= 1 && loopBudget.time > .zero,
        "a turn of the loop must run something "
          + "(tasks: \(loopBudget.tasks), time: \(loopBudget.time.exactText))")
      require(
        stallThreshold > .zero,
        "a body stalls after some time (stallThreshold: \(stallThreshold.exactText))")
      require(
        agingStep > .zero,
        "an aging step lasts at least a nanosecond (agingStep: \(agingStep.exactText))")
    }
  }

  /// The most that one turn of the loop runs: this many tasks, or those that start in this time.
  ///
  /// Reading a clock costs more than the rest of what is done for a short body. So it is read after
  /// every body, but only after the eighth while they are short: less than a 64th of `time` for all
  /// that ran since the last look. If long ones follow short ones, up to seven of them start late.
  public struct LoopBudget: Sendable, Hashable {
    public var tasks: Int
    public var time: Duration

    public init(tasks: Int = 512, time: Duration = .milliseconds(2)) {
      self.tasks = tasks
      self.time = time
    }
  }

  /// The environment makes no sense.
  public enum ConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// `UV_THREADPOOL_SIZE` is not a number from 1 to 1024.
    case threadPoolSize(String)

    public var description: String {
      switch self {
      case .threadPoolSize(let text):
        "UV_THREADPOOL_SIZE is \"\(text)\": it must be a number of threads from 1 to 1024"
      }
    }
  }
}
