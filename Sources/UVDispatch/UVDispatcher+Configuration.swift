public import TaskDispatch

extension UVDispatcher {
  /// How a dispatcher works. Fixed once it is made.
  public struct Configuration: Sendable {
    /// Names the dispatcher in reports, and the threads that it starts.
    public var label: String
    /// The most background bodies that run at a time, at least 1. Nil for as many as the pool has threads, less one
    /// that stays free for libuv's own file and DNS work. A larger number is lowered to that; see
    /// ``UVDispatcher/effectiveBackgroundWidth``.
    public var backgroundWidth: Int?
    /// The limit of the foreground, of the background and of each queue that has none of its own, each for itself: see
    /// ``QueueOptions/overflow``.
    public var overflow: Overflow
    /// How much of the foreground's queue one iteration of the loop runs before the loop looks at timers and
    /// descriptors again (rule 11).
    public var loopBudget: LoopBudget
    /// How long the first task of a band is passed over before it moves up one band (rule 7). At least a nanosecond.
    public var agingStep: Duration
    /// How long a body may keep its thread before the observer, and code that ``UVDispatcher/watchStalls(_:)`` was
    /// called with, are told that it stalls. Without either they have no effect.
    public var stallThresholds: StallThresholds
    /// How the stack of a thread that stalls is taken, for ``Stall/stack``. Nil, as by default, to take none.
    public var stallStacks: StackCapture?
    /// Keeps what the dispatcher did last: see ``UVDispatcher/recording()``. Nil, as by default, to keep nothing.
    public var recorder: RecorderOptions?
    /// Is told what happens to every task. It makes every task slower.
    public var observer: (any TaskObserver)?

    /// Makes a configuration. ``UVDispatcher/init(_:)`` traps if a value is out of its bounds.
    public init(
      label: String = "uv", backgroundWidth: Int? = nil, overflow: Overflow = .unbounded,
      loopBudget: LoopBudget = LoopBudget(), agingStep: Duration = .milliseconds(100),
      stallThresholds: StallThresholds = StallThresholds(), stallStacks: StackCapture? = nil,
      recorder: RecorderOptions? = nil, observer: (any TaskObserver)? = nil
    ) {
      self.label = label
      self.backgroundWidth = backgroundWidth
      self.overflow = overflow
      self.loopBudget = loopBudget
      self.agingStep = agingStep
      self.stallThresholds = stallThresholds
      self.stallStacks = stallStacks
      self.recorder = recorder
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
        "an iteration of the loop must run something "
          + "(tasks: \(loopBudget.tasks), time: \(loopBudget.time.exactText))")
      stallThresholds.validate()
      recorder?.validate()
      if let refusal = stallStacks?.signal.refusal {
        refuse("no stack can be taken with this signal: \(refusal)")
      }
      require(
        agingStep > .zero,
        "an aging step lasts at least a nanosecond (agingStep: \(agingStep.exactText))")
    }
  }

  /// The most that one iteration of the loop runs: so many tasks, or the tasks that start within so much time.
  ///
  /// Reading the clock costs more than everything else that the loop does for a short body. So the loop reads the
  /// clock after every body, but only after every eighth while bodies are short: all that ran since the last reading
  /// took less than a 64th of `time`. If long bodies follow short ones, up to seven of them start late.
  public struct LoopBudget: Sendable, Hashable {
    /// The most tasks. At least 1.
    public var tasks: Int
    /// How long tasks may start. More than zero.
    public var time: Duration

    /// A budget of `tasks` tasks, which start within `time`.
    public init(tasks: Int = 512, time: Duration = .milliseconds(2)) {
      self.tasks = tasks
      self.time = time
    }
  }

  /// A variable of the environment has a value that makes no sense.
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
