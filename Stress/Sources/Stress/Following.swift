import ArgumentParser
import Episodes
import TaskDispatchTesting

/// The order of a failed run, followed in the fake, and how that ended.
struct Following {
  let path: String
  let history: History

  /// - Parameter command: Its options must agree with the recorded run.
  init(_ path: String, _ command: StressCommand) throws(HistoryError) {
    self.path = path
    history = try History.read(from: path)
    func same(_ option: String, _ recorded: String, _ given: String?) throws(HistoryError) {
      guard let given, given != recorded else { return }
      throw .otherRun(path, option: option, recorded: recorded, given: given)
    }
    try same("--seed", "\(history.seed)", command.seed.map { "\($0)" })
    try same("--width", "\(history.width)", command.width.map { "\($0)" })
    try same("--plant", history.plant?.rawValue ?? "(none)", command.plant?.rawValue)
  }

  /// - Returns: Whether the episode has ended in the same failure.
  func run() throws -> Bool {
    print(
      "stress: seed \(history.seed), mix episodes, round \(history.round), backend fake, "
        + "width \(history.width), in the order of \(path)")
    for part in history.program { print("  \(part)") }
    let replay = try history.replay()
    row("then", history.ending.text)
    row("now", replay.ending == history.ending ? "the same" : replay.ending.text)
    row("order", order(replay))
    for line in (replay.cause.map(report) ?? []) { print(line) }
    guard replay.isSame else {
      for line in doubts(replay) { print(line) }
      print("stress: NOT the same failure, seed \(history.seed), round \(history.round)")
      return false
    }
    print("stress: the same failure, seed \(history.seed), round \(history.round)")
    return true
  }

  private func row(_ name: String, _ text: String) {
    print("\(name)\(String(repeating: " ", count: 7 - name.count))\(text)")
  }

  private func order(_ replay: Replay) -> String {
    guard let difference = replay.difference else { return "the same, \(history.steps) steps" }
    return "the same for \(replay.followed) steps of \(history.steps); then "
      + "\(difference.then ?? "nothing more"), and now \(difference.now ?? "nothing more")"
  }

  /// The lines about a cause. They leave out how to repeat it in a test, since an episode is in none,
  /// and the last events, which are mostly those of other parts: the file has all of them.
  private func report(_ cause: ScheduleWitness) -> [String] {
    cause.summary + [
      "(\(cause.facts.count) of \(cause.factsBeforeShrinking) facts matter, as \(cause.replays) "
        + "replays showed)"
    ]
  }

  /// What it may mean that the episode did not fail again.
  private func doubts(_ replay: Replay) -> [String] {
    if !history.isWhole {
      return [
        "The history ends before its episode did, which stood still: what came last is not in it."
      ]
    }
    if !history.ending.brokenRules.isEmpty {
      return [
        "The fake keeps the rules of a dispatcher, so a fault that breaks them on threads does",
        "not show here: look for it in the dispatcher, and run the same program on threads again.",
      ]
    }
    if replay.difference != nil {
      return [
        "On one thread this order cannot be had: bodies overlapped, and their steps count as one here."
      ]
    }
    return [
      "The order was the same, and it was not to blame: look for what bodies do at the same time, or",
      "for what else they depend on.",
    ]
  }
}

extension ScheduleWitness {
  /// What matters about the order.
  var summary: [String] {
    facts.isEmpty
      ? ["It happens in the order that the fake prefers."]
      : ["It happens when"] + facts.map { "  - \($0)" }
  }
}
