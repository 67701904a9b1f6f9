internal import Foundation
internal import Subprocess
internal import Synchronization
internal import SystemPackage

/// A program that runs until it has shown that something is wrong, or has ended.
struct Trial: Sendable {
  let program: String
  let arguments: [String]
  let folder: URL
  var environment: [String: String] = [:]
  /// The program counts as hung if it prints nothing for so long.
  var quiet = Duration.seconds(25)
  /// The program counts as hung if it takes longer.
  var total = Duration.seconds(600)

  enum Result: Sendable {
    case passed
    /// A test has failed.
    case failed(test: String)
    /// The watchdog killed the program. The test that ran then, if it is known.
    case hung(test: String?)
    /// The program ended badly and no test had failed.
    case ended(badlyIn: String?)
  }

  /// Runs the program. Kills it and all processes that it has started as soon as the result is known.
  func result() async throws -> Result {
    let report = TestReport()
    let status = try await run { line in
      report.read(line)
      return report.failure == nil
    }
    if let test = report.failure { return .failed(test: test) }
    switch status {
    case .killed: return .hung(test: report.running)
    case .ended(let isSuccess): return isSuccess ? .passed : .ended(badlyIn: report.running)
    }
  }

  /// Runs the program to its end. Returns what it printed, and whether it succeeded.
  func lines() async throws -> ([String], Bool) {
    let all = Mutex([String]())
    let status = try await run { line in
      all.withLock { $0.append(line) }
      return true
    }
    guard case .ended(let isSuccess) = status else { return (all.withLock { $0 }, false) }
    return (all.withLock { $0 }, isSuccess)
  }

  private enum Status: Sendable {
    case ended(successfully: Bool)
    case killed
  }

  private func run(_ hear: @escaping @Sendable (String) -> Bool) async throws -> Status {
    var options = PlatformOptions()
    // The processes that it starts are killed with it, as one group.
    options.processGroupID = 0
    let values = Dictionary(
      uniqueKeysWithValues: environment.map { (Environment.Key(stringLiteral: $0), $1 as String?) })
    let result = try await Subprocess.run(
      .path(FilePath(program)), arguments: Arguments(arguments),
      environment: .inherit.updating(values), workingDirectory: FilePath(folder.path),
      platformOptions: options, input: .none, output: .sequence, error: .combinedWithOutput
    ) { execution -> Bool in
      let process = execution.processIdentifier.value
      Processes.began(process)
      defer { Processes.kill(process) }
      let watchdog = Watchdog(quiet: quiet, total: total) { Processes.kill(process) }
      defer { watchdog.end() }
      for try await line in execution.standardOutput.strings() {
        watchdog.heard()
        if !hear(line) { break }
      }
      return watchdog.hasBitten
    }
    if result.closureResult { return .killed }
    return .ended(successfully: result.terminationStatus.isSuccess)
  }
}
