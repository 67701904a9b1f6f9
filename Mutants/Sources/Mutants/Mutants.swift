internal import ArgumentParser
internal import Foundation
internal import PlantedBugs

@main
struct Mutants: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scripts/mutants",
    abstract: "Plants one bug after the other in a copy of the library, and has its tests find it.",
    discussion: """
      Every bug of the list goes into the copy at once, each behind a switch that an environment \
      variable sets, so the tests are built once. Each bug first meets the suites that should notice \
      it, then all tests of the library, then the stress program. A test that hangs or crashes has \
      noticed as well. Succeeds only if every bug was noticed.
      """)

  @Flag(help: "Say which bugs there are, and leave it at that.")
  var list = false

  @Option(parsing: .upToNextOption, help: "Plant these bugs only; part of a name is enough.")
  var only: [String] = []

  @Option(help: "How many bugs to try at a time.")
  var jobs = 1

  @Option(help: ArgumentHelp("The repository.", visibility: .hidden))
  var repository = "."

  func validate() throws {
    guard jobs >= 1 else { throw ValidationError("at least one bug is tried at a time") }
    for name in only where !Bug.all.contains(where: { $0.name.contains(name) }) {
      throw ValidationError("there is no bug \(name); scripts/mutants --list shows them")
    }
  }

  func run() async throws {
    let all = Bug.all
    let chosen = all.indices.filter { index in
      only.isEmpty || only.contains { all[index].name.contains($0) }
    }
    if list {
      for index in chosen { say("\(all[index].name): \(all[index].breaks)") }
      return
    }
    Processes.endWithThisOne()
    let began = ContinuousClock.now
    let copy = WorkingCopy(of: URL(filePath: repository).standardizedFileURL)
    try await copy.refresh(with: all)
    let laboratory = try await Laboratory(copy)
    try await laboratory.requireHealth()
    let caught = try await tryAll(chosen, of: all, in: laboratory)
    let minutes = (ContinuousClock.now - began).components.seconds / 60
    say("mutants: \(caught) of \(chosen.count) caught in \(minutes) min")
    if caught < chosen.count { throw ExitCode.failure }
  }

  /// Returns how many were caught.
  private func tryAll(_ chosen: [Int], of all: [Bug], in laboratory: Laboratory) async throws -> Int
  {
    try await withThrowingTaskGroup(of: Bool.self) { group in
      var caught = 0
      for (started, index) in chosen.enumerated() {
        if started >= jobs, try await group.next() == true { caught += 1 }
        group.addTask { try await self.tryOut(all[index], number: index + 1, in: laboratory) }
      }
      while let isCaught = try await group.next() { if isCaught { caught += 1 } }
      return caught
    }
  }

  private func tryOut(_ bug: Bug, number: Int, in laboratory: Laboratory) async throws -> Bool {
    let began = ContinuousClock.now
    let catcher = try await laboratory.catcher(of: bug, number: number)
    let seconds = (ContinuousClock.now - began).components.seconds
    if let catcher {
      say("caught \(bug.name) by \(catcher) in \(seconds) s")
    } else {
      say("SURVIVED \(bug.name) (\(bug.breaks)) in \(seconds) s")
    }
    return catcher != nil
  }
}

/// Writes a line at once, whoever reads it.
func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
