internal import TaskDispatch

/// When an exploration stops although its strategy has more to try.
public struct ExplorationBudget: Sendable, Hashable {
  /// The most schedules that are run. At least 1.
  public var schedules: Int
  /// The most replays that test whether one failing or remarkable order can be shorter. At least 1.
  public var replays: Int
  /// How often time may pass timers that were set at one place while something else could run. Not negative.
  ///
  /// Later timers from that place wait until nothing else can run, and ``Exploration/isExhausted`` is then false.
  public var timersAhead: Int

  public init(schedules: Int = 10_000, replays: Int = 1_000, timersAhead: Int = 2) {
    self.schedules = schedules
    self.replays = replays
    self.timersAhead = timersAhead
  }

  func validate() {
    require(schedules >= 1, "an exploration needs a schedule (schedules: \(schedules))")
    require(replays >= 1, "a failure cannot be looked at without a replay (replays: \(replays))")
    require(timersAhead >= 0, "time cannot pass a timer \(timersAhead) times")
  }
}

/// What an exploration does with runs that fail.
public enum FailureHandling: Sendable, Hashable {
  /// The first failure ends the exploration, which throws it.
  case thrown
  /// Each kind of failure is kept in ``Exploration/failures``, and the exploration goes on.
  case collected
}

extension ExplorationBudget {
  /// The budget for the built-in scenario of ``SelfCheck``.
  static var probe: ExplorationBudget { ExplorationBudget(schedules: 64, replays: 1) }
}
