import ArgumentParser
import Foundation

/// All programs by all strategies, each in a process of its own.
struct All: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Runs all programs by all strategies.", shouldDisplay: false)

  @Option(help: "How long each strategy may take for a program.") var seconds = 4.0
  @Option(help: "How many schedules each strategy may try of a program.") var schedules = Int.max
  @Option(help: "Only programs whose names contain this.") var only: String?
  @Flag(help: "Stop at the first failure, and say in one line what it is.") var first = false
  @Option(help: "The first of the random numbers.") var seed: UInt64 = .random(in: 1...999_999)

  func run() throws {
    print("interleavings: seed \(seed)")
    let programs = Program.all.filter { only.map($0.name.contains) ?? true }
    let jobs = programs.flatMap { program in
      StrategyName.allCases.filter { !program.isGenerated || $0 != .search }
        .map { Job(program: program, strategy: $0) }
    }
    guard !jobs.isEmpty else {
      throw ValidationError("no program has \"\(only ?? "")\" in its name")
    }
    if first { return try runUntilFirst(jobs) }
    let table = Table()
    DispatchQueue.concurrentPerform(iterations: jobs.count) { index in
      let job = jobs[index]
      table.add(job, job.run(seconds: seconds, schedules: schedules, seed: seed))
    }
    table.printTotals()
    guard table.hasFailed else { return }
    for failure in table.failures() { failure.explain() }
    throw ExitCode(1)
  }
}

extension All {
  /// Runs one strategy after the other, in the order in which they most often fail at once, until a job fails.
  private func runUntilFirst(_ jobs: [Job]) throws {
    for strategy in StrategyName.allCases {
      let found = FirstFailure()
      let ordered = jobs.filter { $0.strategy == strategy }
      DispatchQueue.concurrentPerform(iterations: ordered.count) { index in
        if found.line != nil { return }
        let answer = ordered[index].run(seconds: seconds, schedules: schedules, seed: seed)
        guard let failure = answer.failure else { return }
        found.note(
          "\(ordered[index].program.name), \(strategy), schedule \(answer.schedules): \(failure)")
      }
      guard let line = found.line else { continue }
      print(line)
      throw ExitCode(1)
    }
  }
}

/// The first failure of several processes.
private final class FirstFailure: @unchecked Sendable {
  private let lock = NSLock()
  private var found: String?

  var line: String? { lock.withLock { found } }

  func note(_ line: String) { lock.withLock { if found == nil { found = line } } }
}

struct Job: Hashable {
  let program: Program
  let strategy: StrategyName

  /// Runs it in a process of its own.
  func run(seconds: Double, schedules: Int, seed: UInt64) -> Trial.Answer {
    Child.run([
      "try", program.name, "--strategy", strategy.rawValue, "--seconds", "\(seconds)",
      "--schedules", "\(schedules)", "--seed", "\(seed)",
    ])
  }

  static func == (one: Job, other: Job) -> Bool {
    one.program.name == other.program.name && one.strategy == other.strategy
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(program.name)
    hasher.combine(strategy)
  }
}

/// What came of each job. It prints a row as soon as a job has ended.
final class Table: @unchecked Sendable {
  private let lock = NSLock()
  private var answers: [Job: Trial.Answer] = [:]

  init() {
    printRow(["program", "threads", "calls", "strategy", "schedules", "", "steps", "seconds"])
  }

  func add(_ job: Job, _ answer: Trial.Answer) {
    lock.withLock {
      answers[job] = answer
      let program = job.program
      let bound = answer.failure != nil ? "FAILED" : answer.isExhausted ? "all" : "bound"
      let steps = answer.schedules == 0 ? 0 : answer.steps / answer.schedules
      printRow([
        program.name, "\(program.threads)", "\(program.calls)", job.strategy.rawValue,
        "\(answer.schedules)", bound, "\(steps)", "\(Int(answer.seconds.rounded(.up)))",
      ])
    }
  }

  var hasFailed: Bool { answers.values.contains { $0.failure != nil } }

  func printTotals() {
    let schedules = answers.values.reduce(0) { $0 + $1.schedules }
    let steps = answers.values.reduce(0) { $0 + $1.steps }
    let exhausted = answers.values.count { $0.isExhausted }
    print(
      "interleavings: \(answers.count) rows, \(exhausted) of them exhausted, "
        + "\(schedules) schedules, \(steps) steps")
  }

  private func printRow(_ cells: [String]) {
    let widths = [46, 8, 6, 11, 10, 7, 6, 8]
    let row = zip(cells, widths).map { cell, width in
      cell + String(repeating: " ", count: max(1, width - cell.count))
    }
    print(row.joined())
    fflush(nil)
  }

  /// The failures, the shortest schedule of each program.
  func failures() -> [Failure] {
    let failed = answers.filter { $0.value.failure != nil }
    return Dictionary(grouping: failed, by: \.key.program.name).values.map { found in
      let best = found.min { $0.value.schedule.count < $1.value.schedule.count }!
      return Failure(program: best.key.program, answer: best.value)
    }
  }
}

/// A failing schedule.
struct Failure {
  let program: Program
  var answer: Trial.Answer

  /// Makes the schedule shorter, and prints it.
  func explain() {
    var shortest = answer
    let shrunk = Shrinking(program).shrink(answer)
    if let shrunk { shortest = shrunk }
    let schedule = shortest.schedule.map(String.init).joined(separator: ",")
    print(
      """

      \(program.name): \(shortest.failure ?? "")
        about: \(program.about)
        again: scripts/interleavings replay "\(program.name)" \(schedule)
      """)
  }
}

/// Makes a failing schedule shorter: fewer choices of another thread than the first.
struct Shrinking {
  private let program: Program

  init(_ program: Program) { self.program = program }

  /// - Returns: Nil if the schedule does not fail again.
  func shrink(_ answer: Trial.Answer) -> Trial.Answer? {
    guard var best = again(answer.schedule) else { return nil }
    best.schedule = trimmed(best.schedule)
    var goesOn = true
    while goesOn {
      goesOn = false
      for index in best.schedule.indices.reversed() where index < best.schedule.count {
        guard best.schedule[index] != 0 else { continue }
        var shorter = best.schedule
        shorter[index] = 0
        guard var next = again(shorter) else { continue }
        next.schedule = trimmed(next.schedule)
        // A choice less, or an end that comes earlier: so this comes to an end.
        guard weight(next.schedule) < weight(best.schedule) else { continue }
        best = next
        goesOn = true
      }
    }
    return best
  }

  private func weight(_ schedule: [Int]) -> Int {
    schedule.count { $0 != 0 } * 10_000 + schedule.count
  }

  private func trimmed(_ schedule: [Int]) -> [Int] {
    Array(schedule[..<(schedule.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0)])
  }

  private func again(_ schedule: [Int]) -> Trial.Answer? {
    let numbers = schedule.map(String.init).joined(separator: ",")
    let answer = Child.run(["replay", program.name, numbers, "--json"])
    return answer.failure == nil ? nil : answer
  }
}

/// A process that runs one job.
enum Child {
  static func run(_ arguments: [String]) -> Trial.Answer {
    let process = Process()
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = arguments
    var environment = ProcessInfo.processInfo.environment
    environment["SWIFT_DETERMINISTIC_HASHING"] = "1"
    // A crash is found at once again by a replay, which then shows where.
    environment["SWIFT_BACKTRACE"] = "enable=no"
    process.environment = environment
    let output = Pipe()
    process.standardOutput = output
    do {
      try process.run()
      let data = output.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      if let answer = try? JSONDecoder().decode(Trial.Answer.self, from: data) { return answer }
      let reason = process.terminationReason == .uncaughtSignal ? "by signal" : "with status"
      return Trial.Answer(
        failure:
          "the process has ended \(reason) \(process.terminationStatus): \(arguments.joined(separator: " "))"
      )
    } catch {
      return Trial.Answer(failure: "no process could be started: \(error)")
    }
  }
}
