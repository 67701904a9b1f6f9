internal import Foundation
internal import PlantedBugs

/// The programs of the package Interleavings, built with every bug in them.
struct Interleavings {
  private let program: URL
  private let folder: URL

  /// Builds them, and runs them without a bug. Then they have to pass.
  init(_ copy: WorkingCopy) async throws {
    folder = copy.root
    program = copy.root.appending(path: "Interleavings/.build/release/Interleavings")
    say("building the interleavings, with every bug in them and none switched on")
    let build = Trial(
      program: "/usr/bin/env",
      arguments: ["swift", "build", "-c", "release", "--package-path", "Interleavings"],
      folder: copy.root, quiet: .seconds(3600), total: .seconds(3600))
    let (lines, isSuccess) = try await build.lines()
    guard isSuccess else {
      throw WorkingCopy.Problem(
        description: "the copy does not build:\n\(lines.suffix(20).joined(separator: "\n"))")
    }
    if let failure = try await catcher(ofNumber: 0) {
      throw WorkingCopy.Problem(description: "without any bug, this fails: \(failure)")
    }
  }

  /// The program that finds the bug of that number, and how. Nil if none does.
  func catcher(ofNumber number: Int) async throws -> String? {
    // So many schedules, and not so many seconds: then a busy machine finds as much.
    var trial = Trial(
      program: program.path,
      arguments: ["--seconds", "60", "--schedules", "600", "--seed", "1", "--first"],
      folder: folder, quiet: .seconds(1800), total: .seconds(1800))
    trial.environment = [Switchboard.variable: "\(number)", "SWIFT_BACKTRACE": "enable=no"]
    let (lines, isSuccess) = try await trial.lines()
    return isSuccess ? nil : lines.last ?? "a program that ended badly"
  }
}
