package import Oracle
package import TaskDispatch

/// A small program as a user could write it, in which only the order of the bodies is left to chance:
/// the seed decides what it submits, and under which labels.
///
/// So the same program runs on threads and in a fake, and a failure on threads can be repeated in the
/// fake. The other mixes cannot be repeated like that: several of their threads submit until a time is
/// over, and the order in which these threads submit decides what they submit next.
package struct Episode: Sendable {
  /// A mistake in an episode, of the kind that people make: only some orders show it.
  package enum Plant: String, Codable, CaseIterable, Sendable {
    /// Shows each answer that arrives, although another query was typed while it was fetched.
    case search
    /// Books a sale because something was left when the buyer asked, without looking again.
    case stock
    /// Writes lines in the order in which they arrive.
    case journal
    /// Takes an answer that arrives after its time-out.
    case timeout

    package var purpose: String {
      switch self {
      case .search: "an answer is shown although something else was typed after it was asked for"
      case .stock: "what was asked about is booked without looking again"
      case .journal: "lines are written in the order in which they come"
      case .timeout: "an answer is taken after its time-out"
      }
    }
  }

  package let seed: UInt64
  package let plant: Plant?

  package init(seed: UInt64, plant: Plant?) {
    self.seed = seed
    self.plant = plant
  }

  /// The episode of one round of a run.
  package init(ofRound round: Int, seed: UInt64, plant: Plant?) {
    self.init(
      seed: Dice.mixed(seed &+ (UInt64(round) &+ 1) &* 0x9E37_79B9_7F4A_7C15), plant: plant)
  }

  /// The parts of the episode, each in its first state.
  private func makeParts() -> [any Part] {
    var dice = Dice(seed: seed)
    var kinds = (0..<2 + dice.roll(4)).map { _ in Plant.allCases[dice.roll(Plant.allCases.count)] }
    if let plant, !kinds.contains(plant) { kinds.append(plant) }
    return kinds.enumerated().map { index, kind -> any Part in
      let name = "\(kind.rawValue) \(index + 1)"
      let isHasty = kind == plant
      switch kind {
      case .search: return Search(name, isHasty: isHasty, &dice)
      case .stock: return Stock(name, isHasty: isHasty, &dice)
      case .journal: return Journal(name, isHasty: isHasty, &dice)
      case .timeout: return TimeOuts(name, isHasty: isHasty, &dice)
      }
    }
  }

  /// What the episode does, a line for each of its parts.
  package var program: [String] { makeParts().map(\.purpose) }

  /// How an episode ended.
  package struct Ending: Codable, Hashable, Sendable {
    /// What is wrong, as the parts themselves see it.
    package var faults: [String] = []
    /// The rules of the dispatcher that were broken.
    package var brokenRules: [String] = []

    package init(faults: [String] = [], brokenRules: [String] = []) {
      self.faults = faults
      self.brokenRules = brokenRules
    }

    package var isGood: Bool { faults.isEmpty && brokenRules.isEmpty }

    /// The ending as a text for people.
    package var text: String {
      if isGood { return "everything is as it should be" }
      return (faults + brokenRules.map { "the rule \"\($0)\" is broken" }).joined(separator: "; ")
    }
  }

  /// Runs the episode from its beginning to its end.
  ///
  /// - Parameters:
  ///   - dispatcher: A new one. The last body to end shuts it down.
  ///   - width: The width of its background.
  ///   - takesTime: Whether bodies keep their threads for a while, so that they overlap.
  ///   - violations: The log for broken rules of the dispatcher.
  ///   - drive: Runs what was submitted, and returns when the dispatcher has ended.
  package func run(
    on dispatcher: any TaskDispatcher, width: Int, takesTime: Bool, violations: ViolationLog,
    _ drive: () throws -> Void
  ) rethrows -> (ending: Ending, bodies: Int) {
    let parts = makeParts()
    let stage = Stage(dispatcher, width: width, takesTime: takesTime, violations: violations)
    stage.post(.foreground, "begin") { for part in parts { part.begin(on: stage) } }
    try drive()
    var ending = Ending(
      faults: parts.compactMap(\.fault), brokenRules: violations.all.map(\.rule.title))
    // The parts can tell nothing of an episode that was stopped half way.
    if stage.openCount != 0 { ending.faults = ["\(stage.openCount) tasks have not ended"] }
    return (ending, stage.bodyCount)
  }
}

/// A part of an episode: what it submits, and what must be true when all of it has ended, in whatever
/// order it ran.
protocol Part: Sendable {
  /// What the part does, and how much of it. Two programs are the same if all their parts have the same
  /// purpose.
  var purpose: String { get }
  /// Submits the first bodies, all of them to the foreground. Called inside a body of the foreground.
  ///
  /// Bodies that run at the same time have no order that one thread could repeat. So a body of the
  /// background submits at most once, as the last thing it does, and never to the background; and
  /// bodies share only what they touch on the foreground or on the serial queue. Then only the order of
  /// the bodies matters.
  func begin(on stage: Stage)
  /// What is wrong when the episode has ended; nil if all is well.
  var fault: String? { get }
}
