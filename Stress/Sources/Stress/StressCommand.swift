import ArgumentParser
import Episodes
import Foundation
import Oracle
import UVDispatch

@main struct StressCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stress",
    abstract: "Loads dispatchers with random work, and watches whether the rules hold.",
    discussion: """
      Prints its seed first. Exits with 0 only if every rule held; else it says which did not, with \
      what led there, and writes a file for --replay: the same program again. What threads do when \
      is not repeated.

      Of the mix episodes what threads did is repeated, too: a run of it that failed also writes the \
      history of the episode that did, and names the command that runs that in the fake, in the same \
      order. The rounds before it had dispatchers of their own, so nothing of them is needed. A \
      mistake of the program's is seen again there (--plant makes one); one of the dispatcher's is \
      not, since the fake keeps the rules. The other mixes keep no history: their threads submit \
      until a time is over, and no fake would run the same program.

      Mixes:
      \(Mix.allCases.map { "  \($0.rawValue): \($0.purpose)" }.joined(separator: "\n"))

      Mistakes that --plant makes in every episode:
      \(Episode.Plant.allCases.map { "  \($0.rawValue): \($0.purpose)" }.joined(separator: "\n"))
      """)

  @Option(help: "How long it submits, in seconds.") var seconds = 10.0
  @Option(help: "What the program is made from. A random one if not given.") var seed: UInt64?
  @Option(help: "What is done.") var mix = Mix.default
  @Option(help: "How many threads submit (the fake and the mix episodes have one).") var threads = 4
  @Option(help: "How many background bodies run at a time; what the pool allows if not given.")
  var width: Int?
  @Option(help: "How many threads libuv's pool has; as UV_THREADPOOL_SIZE says if not given.")
  var pool: Int?
  @Option(help: "Which dispatcher: uv or fake.") var backend = Plan.Backend.uv
  @Option(help: "Where to write all figures, as JSON.", completion: .file()) var json: String?
  @Option(help: "Where to draw the run, as SVG.", completion: .file()) var plot: String?
  @Flag(help: "Until it is interrupted or a rule is broken.") var forever = false
  @Option(help: "Repeats the program of a run that failed.", completion: .file())
  var replay: String?
  @Option(
    help: "Runs the episode of a run that failed in the fake, in the order that threads had.",
    completion: .file())
  var follow: String?
  @Option(help: "A mistake in every program of the mix episodes, which shows in some orders.")
  var plant: Episode.Plant?
  @Option(
    help: "What the mix entangled leaves out, with commas: \(Deed.Family.names).")
  var without: String?
  @Flag(
    inversion: .prefixedNo,
    help: "Whether the mix of faults begins with the probes, one process each.")
  var probes = true
  @Option(help: .hidden) var failureFolder = "."

  func validate() throws {
    guard seconds > 0 else { throw ValidationError("--seconds must be above 0") }
    guard (1...64).contains(threads) else { throw ValidationError("--threads must be 1 to 64") }
    if let width, width < 1 { throw ValidationError("--width must be at least 1") }
    if let pool, !(1...64).contains(pool) { throw ValidationError("--pool must be 1 to 64") }
    for path in [json, plot].compactMap({ $0 }) {
      let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
      if !FileManager.default.isWritableFile(atPath: folder) {
        throw ValidationError(
          "\(path) cannot be written: there is no such folder, or it is not yours")
      }
    }
    if backend == .fake, mix.needsThreads {
      throw ValidationError("the mix \(mix.rawValue) needs threads, and the fake has none")
    }
    if plant != nil, mix != .episodes, follow == nil {
      throw ValidationError("--plant is for --mix episodes")
    }
    if without != nil, mix != .entangled {
      throw ValidationError("--without is for --mix entangled")
    }
    if let name = without?.split(separator: ",").first(where: {
      Deed.Family(rawValue: String($0)) == nil
    }) {
      throw ValidationError("--without: there is no \(name), only \(Deed.Family.names)")
    }
    guard follow != nil else { return }
    if backend != .fake {
      throw ValidationError("--follow needs --backend fake: threads cannot follow a recording")
    }
    if mix != .default, mix != .episodes {
      throw ValidationError("--follow is for the mix episodes, and not for \(mix.rawValue)")
    }
    if replay != nil {
      throw ValidationError("--replay repeats on threads, and --follow in the fake")
    }
  }

  private func makePlan() throws -> Plan {
    if let replay {
      do { return try Plan.read(from: replay) } catch is DecodingError {
        throw ValidationError(
          "\(replay) is not a file that a failed run of this program has written")
      } catch {
        throw ValidationError("\(replay) cannot be read: \(error.localizedDescription)")
      }
    }
    var plan = Plan(seed: seed ?? UInt64.random(in: 1...UInt64(1 << 48)))
    plan.mix = mix
    plan.seconds = seconds
    plan.threads = threads
    plan.width = width
    plan.pool = pool
    plan.backend = backend
    plan.isForever = forever
    plan.plant = plant
    plan.without = without.map {
      Set($0.split(separator: ",").compactMap { Deed.Family(rawValue: String($0)) })
    }
    return plan
  }

  func run() throws {
    // It is the order of a test, and every exploration of this process would run it instead of its own.
    unsetenv("TASKDISPATCH_REPLAY")
    if let follow {
      let following: Following
      do { following = try Following(follow, self) } catch { throw ValidationError("\(error)") }
      let isSame = try following.run()
      fflush(nil)
      _exit(isSame ? 0 : 1)
    }
    let plan = try makePlan()
    let isSecondTime = Faults.counts() != nil
    if let pool = plan.pool { setenv("UV_THREADPOOL_SIZE", "\(pool)", 1) }
    if !isSecondTime { announce(plan) }
    let runner = Runner(plan)
    if plan.mix == .fault, !isSecondTime {
      if probes, try !Faults.probesHold() {
        Swift.print("stress: FAILED, a probe did not end as it should")
        throw ExitCode(1)
      }
      try Faults.preload(
        for: plan, CommandLine.arguments + (seed == nil ? ["--seed", "\(plan.seed)"] : []))
    }
    run(plan, runner)
  }

  private func announce(_ plan: Plan) {
    Swift.print(
      "stress: seed \(plan.seed), mix \(plan.mix.rawValue), backend \(plan.backend.rawValue), "
        + (plan.backend == .fake || plan.mix == .episodes ? "" : "\(plan.threads) threads, ")
        + (plan.backend == .fake ? "" : "\(width(of: plan)), ")
        + (plan.isForever ? "until it is interrupted" : "\(plan.seconds) s"))
    fflush(nil)
  }

  /// The widths that the background and the pool get.
  private func width(of plan: Plan) -> String {
    guard let dispatcher = try? UVDispatcher(.init(backgroundWidth: plan.width)) else {
      return "no dispatcher to be had"
    }
    let width = dispatcher.effectiveBackgroundWidth
    let held = plan.width.map { $0 > width } == true ? " (not \(plan.width!))" : ""
    return "width \(width)\(held) on a pool of \(dispatcher.effectivePoolThreads)"
  }

  private func run(_ plan: Plan, _ runner: Runner) {
    let began = monotonicNanoseconds()
    let finish = Finish(command: self, runner: runner, began: began)
    let monitor = Monitor(runner) { text in
      runner.violations.report(.noStandstill, nil, text + "\n" + runner.state)
      finish.end(status: 1)
    }
    finish.monitor = monitor
    runner.monitorEnds = { finish.end(status: 1) }
    let watcher = OwnThread { monitor.run() }
    let interrupts = Interrupts { runner.isStopped.raise() }
    do {
      try runner.run()
    } catch {
      runner.violations.report(.fault, nil, "the run threw \(error)")
    }
    withExtendedLifetime(interrupts) {}
    if let counts = Faults.counts(), counts.values.contains(0) {
      runner.violations.report(.fault, nil, "not every fault has come: \(counts)")
    }
    monitor.stop()
    _ = watcher.join(seconds: 10)
    finish.end(status: runner.violations.hasFindings ? 1 : 0)
  }
}

extension Mix: ExpressibleByArgument {}
extension Plan.Backend: ExpressibleByArgument {}
extension Episode.Plant: ExpressibleByArgument {}

/// The end of a run, which any thread may call.
final class Finish: @unchecked Sendable {
  private let command: StressCommand
  private let runner: Runner
  private let began: Int64
  var monitor: Monitor?

  init(command: StressCommand, runner: Runner, began: Int64) {
    self.command = command
    self.runner = runner
    self.began = began
  }

  /// Prints the report, and leaves the process.
  func end(status: Int32) -> Never {
    let report = Report(
      runner, seconds: Double(monotonicNanoseconds() - began) / 1e9,
      samples: monitor?.samples.withLock { $0 } ?? [])
    report.print()
    var isGood = status == 0 && report.isGood
    do {
      if let json = command.json { try report.write(to: json) }
      if let path = command.plot {
        try Plot(
          samples: report.samples,
          title: "stress, mix \(report.plan.mix.rawValue), seed \(report.plan.seed)"
        ).write(to: path)
      }
    } catch {
      runner.violations.report(.fault, nil, "cannot write: \(error.localizedDescription)")
      Swift.print("stress: cannot write: \(error.localizedDescription)")
      isGood = false
    }
    let rate = report.seconds > 0 ? Int(Double(report.bodies) / report.seconds) : 0
    let figures =
      "\(grouped(report.bodies)) bodies in \(Int(report.seconds.rounded())) s, "
      + "\(grouped(rate)) a second, seed \(report.plan.seed)"
    if isGood {
      Swift.print("stress: ok, \(figures)")
      fflush(nil)
      _exit(0)
    }
    let path =
      "\(command.failureFolder)/stress-\(report.plan.mix.rawValue)-\(report.plan.seed).json"
    do {
      try report.plan.write(to: path)
      Swift.print("the same program again: scripts/stress --replay \(path)")
    } catch {
      Swift.print("stress: cannot write \(path): \(error.localizedDescription)")
    }
    nameHistory(report.plan)
    let broken = runner.violations.all.map(\.rule.title).joined(separator: "; ")
    Swift.print("stress: FAILED, \(broken), \(figures)")
    fflush(nil)
    // `_exit` does not wait for bodies that still stand on some thread.
    _exit(1)
  }

  /// Writes the history of the round that failed, and says how to run it in the fake.
  private func nameHistory(_ plan: Plan) {
    guard let history = runner.history else { return }
    let path = "\(command.failureFolder)/stress-\(plan.mix.rawValue)-\(plan.seed).history"
    do {
      try history.write(to: path)
      let plant = plan.plant.map { " --plant \($0.rawValue)" } ?? ""
      Swift.print(
        "its order in the fake: scripts/stress --backend fake --mix \(plan.mix.rawValue) "
          + "--seed \(plan.seed)\(plant) --follow \(path)")
      Swift.print(
        "  (round \(history.round), \(history.steps) steps, "
          + (history.isWhole ? "nothing is left out)" : "up to where it stood still)"))
    } catch {
      Swift.print("stress: cannot write \(path): \(error.localizedDescription)")
    }
  }
}

/// Ends a run on the first interrupt, and the process on the second.
final class Interrupts {
  private let source: any DispatchSourceSignal

  init(_ onFirst: @escaping @Sendable () -> Void) {
    signal(SIGINT, SIG_IGN)
    source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
    source.setEventHandler {
      onFirst()
      signal(SIGINT, SIG_DFL)
    }
    source.resume()
  }
}
