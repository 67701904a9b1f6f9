import ArgumentParser
import Foundation
import Scheduling

@main
struct Interleavings: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scripts/interleavings",
    abstract:
      "Runs small programs on the engine's own code, in as many orders as fit into the time.",
    discussion: """
      Each program runs by three strategies: every schedule with at most two preemptions, random \
      priorities (PCT, depth 3), and random choices. A failing schedule is made shorter, and printed \
      with every step.

      Exits with 1 if a program fails.
      """,
    subcommands: [Try.self, Replay.self, All.self], defaultSubcommand: All.self)
}

extension Program: ExpressibleByArgument {
  init?(argument: String) {
    guard let program = Self.all.first(where: { $0.name == argument }) else { return nil }
    self = program
  }

  static var allValueStrings: [String] { all.map(\.name) }
}

enum StrategyName: String, CaseIterable, ExpressibleByArgument {
  case search, priorities, random
}

/// One program by one strategy, in this process.
struct Try: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Runs one program by one strategy.", shouldDisplay: false)

  @Argument var program: Program
  @Option var strategy = StrategyName.priorities
  @Option var seconds = 10.0
  @Option var schedules = Int.max
  @Option var seed: UInt64 = 1
  @Option var preemptions = 2
  @Option var detours = 2

  func run() throws {
    var trial = Trial(program)
    let answer = trial.run(
      strategy, seed: seed, bounds: .init(preemptions: preemptions, detours: detours),
      seconds: seconds, schedules: schedules)
    FileHandle.standardOutput.write(try JSONEncoder().encode(answer))
  }
}

/// One schedule of a program, in this process.
struct Replay: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Runs a program by a schedule, and prints every step.")

  @Argument var program: Program
  @Argument(help: "The numbers, separated by commas.") var schedule = ""
  @Flag(help: "Prints what came of it as JSON, and no steps.") var json = false

  func run() throws {
    let numbers = try schedule.split(separator: ",").map { text in
      guard let number = Int(text), number >= 0 else {
        throw ValidationError(
          "\(text) is no choice: a schedule is numbers with commas between, such as 0,1,0,2")
      }
      return number
    }
    let trial = Trial(program)
    let answer = trial.replay(numbers, traces: !json)
    if json {
      FileHandle.standardOutput.write(try JSONEncoder().encode(answer))
      return
    }
    for (index, step) in Simulation.shared.steps.enumerated() { print("\(index)  \(step)") }
    print(answer.failure ?? "it passes")
    if answer.failure != nil { throw ExitCode(1) }
  }
}
