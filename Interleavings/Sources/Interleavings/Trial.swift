import Foundation
import Scheduling

/// A program that this process runs by many schedules.
struct Trial {
  struct Answer: Codable {
    var schedules = 0
    var steps = 0
    var points = 0
    /// Every schedule within the bounds was tried.
    var isExhausted = false
    var seconds = 0.0
    var failure: String?
    var schedule: [Int] = []
  }

  private let program: Program

  init(_ program: Program) { self.program = program }

  /// Programs that between them use every part of the engine.
  private static let warmUp = [
    "posts", "view", "there and back", "timer alone", "sync on the loop", "cancel", "group", "room",
    "closing", "jobs",
    "main queue", "stuck",
  ]

  /// Runs other programs first. That makes the globals of the process: a thread that is held inside `swift_once` would
  /// hold the others too. And it shows which objects are shared, so that a replay has the same points as the run.
  private func warm() -> Answer? {
    for other in Program.all where Self.warmUp.contains(other.name) && other.name != program.name {
      for seed in 0..<20 {
        let run = other.run(Chooser(seed < 2 ? .first : .random(seed: UInt64(seed))))
        guard let failure = run.failure else { continue }
        return failed("in the program \(other.name), which comes first: \(failure)", Answer())
      }
    }
    return nil
  }

  private func failed(_ failure: String, _ answer: Answer) -> Answer {
    var answer = answer
    answer.failure = failure
    answer.schedule = Simulation.shared.choices
    return answer
  }

  mutating func run(
    _ strategy: StrategyName, seed: UInt64, bounds: Search.Bounds, seconds: Double, schedules: Int
  ) -> Answer {
    let start = ContinuousClock.now
    var seed = seed &* 1_000_003
    var answer = Answer()
    var search = Deepening(to: bounds)
    var length = 100
    if let failed = warm() { return failed }
    var growth = Simulation.shared.sharing.growth
    while answer.schedules < schedules {
      answer.seconds = (ContinuousClock.now - start) / .seconds(1)
      // At least one, however short the time is.
      if answer.schedules > 0, answer.seconds > seconds { break }
      seed &+= 1
      let chooser: Chooser
      switch strategy {
      case .random: chooser = Chooser(.random(seed: seed))
      case .priorities: chooser = Chooser(.priorities(seed: seed, changes: 2, points: length))
      case .search:
        guard let next = search.next else {
          answer.isExhausted = true
          return answer
        }
        chooser = next
      }
      let run = program.run(chooser)
      answer.schedules += 1
      answer.steps += run.steps
      answer.points += run.points
      length = max(1, run.points)
      if let failure = run.failure { return failed(failure, answer) }
      guard strategy == .search else { continue }
      // More objects are shared than the search knew: it begins anew, with more points.
      if Simulation.shared.sharing.growth != growth {
        growth = Simulation.shared.sharing.growth
        search = Deepening(to: bounds)
      } else if !search.note(Simulation.shared) {
        return failed("the program is not the same twice: a search needs that", answer)
      }
    }
    return answer
  }

  func replay(_ schedule: [Int], traces: Bool) -> Answer {
    if let failed = warm() { return failed }
    Simulation.shared.isTracing = traces
    let run = program.run(Chooser(.schedule(schedule)))
    var answer = Answer(schedules: 1, steps: run.steps, points: run.points)
    answer.schedule = Simulation.shared.choices
    answer.failure = run.failure
    return answer
  }
}
