internal import Foundation
internal import PlantedBugs

/// A copy that was built, and the programs that should notice a bug in it.
struct Laboratory {
  private let copy: WorkingCopy
  private let tests: URL
  let hasStress: Bool

  /// Builds the copy.
  init(_ copy: WorkingCopy) async throws {
    self.copy = copy
    try await Self.build(copy)
    let folder = copy.root.appending(path: ".build/debug")
    let bundles = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    guard let bundle = bundles.first(where: { $0.hasSuffix(".xctest") }) else {
      throw WorkingCopy.Problem(description: "there are no tests in \(folder.path)")
    }
    tests = folder.appending(path: bundle)
    hasStress = FileManager.default.fileExists(
      atPath: copy.root.appending(path: "scripts/stress").path)
  }

  private static func build(_ copy: WorkingCopy) async throws {
    say("building the tests, with every bug in them and none switched on")
    let swift = Trial(
      program: "/usr/bin/env",
      // UVDaemon is built only with its trait.
      arguments: ["swift", "build", "--build-tests", "--enable-all-traits"], folder: copy.root,
      quiet: .seconds(3600), total: .seconds(3600))
    let (lines, isSuccess) = try await swift.lines()
    guard isSuccess else {
      // The compiler prints each error more than once.
      let reasons = Set(lines.filter { $0.contains(" error: ") }).sorted()
      let text = (reasons.isEmpty ? lines.suffix(20) : reasons.prefix(20)).joined(separator: "\n")
      throw WorkingCopy.Problem(description: "the copy does not build:\n\(text)")
    }
  }

  /// Runs every test while no bug is switched on. They have to pass, or a failure would mean nothing.
  func requireHealth() async throws {
    say("running every test without a bug")
    try await require(allTests, "the tests")
  }

  /// Runs the stress program while no bug is switched on, and builds it for that.
  func requireHealthUnderStress() async throws {
    say("running the stress program without a bug")
    try await require(stress, "the stress program")
  }

  private func require(_ trial: Trial, _ name: String) async throws {
    guard let catcher = Self.catcher(try await trial.result(), name) else { return }
    throw WorkingCopy.Problem(description: "without any bug, this fails: \(catcher)")
  }

  /// The test that notices `bug`, and how. Nil if none does.
  func catcher(of bug: Bug, number: Int) async throws -> String? {
    var suites = test("[./](\(bug.suites.joined(separator: "|")))/")
    // These suites take a second.
    suites.quiet = .seconds(20)
    for var trial in [suites, allTests] {
      trial.environment[Switchboard.variable] = "\(number)"
      if let catcher = Self.catcher(try await trial.result(), "a test") { return catcher }
    }
    return nil
  }

  /// How the stress program notices the bug of that number. Nil if it does not.
  func catcherUnderStress(ofNumber number: Int) async throws -> String? {
    var trial = stress
    trial.environment[Switchboard.variable] = "\(number)"
    return Self.catcher(try await trial.result(), "the stress program")
  }

  private var allTests: Trial { test("^(UVDispatchTests|TaskDispatchTests|UVDaemonTests)[.]") }

  private func test(_ filter: String) -> Trial {
    Trial(
      program: tests.path,
      arguments: ["--testing-library", "swift-testing", "--filter", filter], folder: copy.root,
      environment: [
        // A crash is enough to know; its backtrace would take seconds.
        "SWIFT_BACKTRACE": "enable=no",
        // A test that fails because all others run at the same time catches no bug.
        "SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH": "4",
      ])
  }

  private var stress: Trial {
    Trial(
      program: copy.root.appending(path: "scripts/stress").path,
      arguments: ["--seconds", "3", "--mix", "default"], folder: copy.root,
      environment: ["SWIFT_BACKTRACE": "enable=no"],
      // The program may have to be built first.
      quiet: .seconds(600), total: .seconds(600))
  }

  private static func catcher(_ result: Trial.Result, _ name: String) -> String? {
    switch result {
    case .passed: nil
    case .failed(let test): test
    case .hung(let test): "\(test ?? name), which hung,"
    case .ended(let test): "\(test ?? name), which ended badly,"
    }
  }
}
