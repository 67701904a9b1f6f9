package import Oracle
package import TaskDispatch

/// A small program of some user's, of which nothing but the order of its bodies is left to chance: what
/// it submits, and under which labels, follows from the seed.
///
/// So it is the same program on threads and in a fake, and what happened on threads can be had again in
/// the fake. That is more than can be said of the other mixes: there several threads submit until a time
/// is over, and who went first decides what is submitted next.
package struct Episode: Sendable {
  /// A mistake in an episode, of the kind that people make: it shows in some orders alone.
  package enum Plant: String, Codable, CaseIterable, Sendable {
    /// Shows whatever answer comes, though something else was typed meanwhile.
    case search
    /// Books what was there when it was asked about.
    case stock
    /// Writes lines down in the order in which they come.
    case journal
    /// Takes an answer that comes after the time-out.
    case timeout

    package var purpose: String {
      switch self {
      case .search: "an answer is shown although something else was typed meanwhile"
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

  /// That of one round of a run.
  package init(ofRound round: Int, seed: UInt64, plant: Plant?) {
    self.init(
      seed: Dice.mixed(seed &+ (UInt64(round) &+ 1) &* 0x9E37_79B9_7F4A_7C15), plant: plant)
  }

  /// What it is made of, with everything as it is before it begins.
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

  /// What it does, a line for each of its parts.
  package var program: [String] { makeParts().map(\.purpose) }

  /// How it ended.
  package struct Ending: Codable, Hashable, Sendable {
    /// What is wrong, as the parts themselves see it.
    package var faults: [String] = []
    /// Rules of the dispatcher that did not hold.
    package var brokenRules: [String] = []

    package init(faults: [String] = [], brokenRules: [String] = []) {
      self.faults = faults
      self.brokenRules = brokenRules
    }

    package var isGood: Bool { faults.isEmpty && brokenRules.isEmpty }

    /// For people.
    package var text: String {
      if isGood { return "everything is as it should be" }
      return (faults + brokenRules.map { "the rule \"\($0)\" is broken" }).joined(separator: "; ")
    }
  }

  /// Runs it from its begin to its end.
  ///
  /// - Parameters:
  ///   - dispatcher: A new one. The last body tells it to end.
  ///   - width: That of its background.
  ///   - takesTime: Whether bodies keep their threads for a while, so that they overlap.
  ///   - court: Where violations of the dispatcher's rules are brought.
  ///   - drive: Runs what was submitted, and returns when the dispatcher has ended.
  package func run(
    on dispatcher: any TaskDispatcher, width: Int, takesTime: Bool, court: Court,
    _ drive: () throws -> Void
  ) rethrows -> (ending: Ending, bodies: Int) {
    let parts = makeParts()
    let stage = Stage(dispatcher, width: width, takesTime: takesTime, court: court)
    stage.post(.foreground, "begin") { for part in parts { part.begin(on: stage) } }
    try drive()
    var ending = Ending(
      faults: parts.compactMap(\.fault), brokenRules: court.all.map(\.rule.title))
    // Who is stopped half way has nothing to say of its end.
    if stage.openCount != 0 { ending.faults = ["\(stage.openCount) tasks have not ended"] }
    return (ending, stage.bodyCount)
  }
}

/// A piece of somebody's code, and what must be so when all of it has ended, whatever came first.
protocol Part: Sendable {
  /// What it does, and how much of it: who has another one has another program.
  var purpose: String { get }
  /// Submits what it begins with, to the foreground alone. In a body of it.
  ///
  /// What bodies do at the same time has no order that one thread could have. So one of the background
  /// submits once at most, and as the last thing it does, and nothing to the background itself; and what
  /// bodies share they touch on the foreground, or on the serial queue. Then nothing but their order
  /// matters.
  func begin(on stage: Stage)
  /// What is wrong, now that nothing of it is left; nil if all is well.
  var fault: String? { get }
}
