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
      it, then all tests of the library, then the stress program, then the programs of Interleavings. A \
      test that hangs or crashes has noticed as well. Succeeds only if every bug was noticed.
      """)

  @Flag(help: "Say which bugs there are, and leave it at that.")
  var list = false

  @Option(parsing: .upToNextOption, help: "Plant these bugs only; part of a name is enough.")
  var only: [String] = []

  @Option(help: "How many bugs to try at a time.")
  var jobs = 1

  @Flag(help: "Have the programs of Interleavings alone find them.")
  var interleavings = false

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
    let left = try await tryInterleavings(
      interleavings ? chosen : tryTestsAndStress(chosen, of: copy), of: copy)
    for index in left { say("SURVIVED \(all[index].name) (\(all[index].breaks))") }
    let minutes = (ContinuousClock.now - began).components.seconds / 60
    say("mutants: \(chosen.count - left.count) of \(chosen.count) caught in \(minutes) min")
    if !left.isEmpty { throw ExitCode.failure }
  }

  /// Returns the bugs that neither a test nor the stress program has noticed.
  private func tryTestsAndStress(_ chosen: [Int], of copy: WorkingCopy) async throws -> [Int] {
    let laboratory = try await Laboratory(copy)
    try await laboratory.requireHealth()
    return try await tryStress(tryTests(chosen, in: laboratory), in: laboratory)
  }

  /// Returns the bugs that no program of the package Interleavings has noticed.
  private func tryInterleavings(_ chosen: [Int], of copy: WorkingCopy) async throws -> [Int] {
    if chosen.isEmpty { return [] }
    let interleavings = try await Interleavings(copy)
    var left: [Int] = []
    for index in chosen {
      let isCaught = try await tell(Bug.all[index]) {
        try await interleavings.catcher(ofNumber: index + 1)
      }
      if !isCaught { left.append(index) }
    }
    return left
  }

  /// Returns the bugs that no test has noticed.
  private func tryTests(_ chosen: [Int], in laboratory: Laboratory) async throws -> [Int] {
    try await withThrowingTaskGroup(of: Int?.self) { group in
      var left: [Int] = []
      for (started, index) in chosen.enumerated() {
        if started >= jobs, let survivor = try await group.next() ?? nil { left.append(survivor) }
        group.addTask {
          let isCaught = try await tell(Bug.all[index]) {
            try await laboratory.catcher(of: Bug.all[index], number: index + 1)
          }
          return isCaught ? nil : index
        }
      }
      while let survivor = try await group.next() { if let survivor { left.append(survivor) } }
      return left.sorted()
    }
  }

  /// Tries one bug after the other, since each run needs the whole machine.
  private func tryStress(_ chosen: [Int], in laboratory: Laboratory) async throws -> [Int] {
    guard laboratory.hasStress, !chosen.isEmpty else { return chosen }
    try await laboratory.requireHealthUnderStress()
    var left: [Int] = []
    for index in chosen {
      let isCaught = try await tell(Bug.all[index]) {
        try await laboratory.catcherUnderStress(ofNumber: index + 1)
      }
      if !isCaught { left.append(index) }
    }
    return left
  }
}

/// Prints what has noticed a bug, or that nothing has. Returns whether it was noticed.
private func tell(
  _ bug: Bug, _ catcher: () async throws -> String?
) async throws -> Bool {
  let began = ContinuousClock.now
  guard let catcher = try await catcher() else {
    say("not caught yet: \(bug.name)")
    return false
  }
  let seconds = (ContinuousClock.now - began).components.seconds
  say("caught \(bug.name) by \(catcher) in \(seconds) s")
  return true
}

/// Writes a line at once, also into a pipe or a file.
func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
