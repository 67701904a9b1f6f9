import Episodes
import Foundation
import Testing

@Suite("The program stress", .serialized)
struct CommandTests {
  @Test(
    "names the command that ends in the same failure in the fake", arguments: Episode.Plant.allCases
  )
  func fails(plant: Episode.Plant) throws {
    let folder = try Folder()
    let run = try folder.stress(
      "--mix", "episodes", "--seed", "21", "--seconds", "60", "--plant", plant.rawValue,
      "--failure-folder", folder.path)
    #expect(run.status == 1)
    let prefix = "its order in the fake: scripts/stress "
    let line = try #require(run.lines.first { $0.hasPrefix(prefix) }, "\(run.text)")
    let command = line.dropFirst(prefix.count).split(separator: " ").map(String.init)
    #expect(
      command.contains("--backend") && command.contains("21") && command.contains(plant.rawValue))
    #expect(run.text.contains("nothing is left out"))

    let replay = try folder.stress(command)

    #expect(replay.status == 0, "\(replay.text)")
    #expect(replay.lines.last?.hasPrefix("stress: the same failure, seed 21, round ") == true)
    #expect(replay.lines.contains("now    the same"))
    #expect(replay.lines.contains("It happens when"))
    // The file alone is enough to see the same failure again.
    #expect(try folder.stress("--backend", "fake", "--follow", command.last!).status == 0)
  }

  @Test("finds a mistake in the fake as well, and says what it takes")
  func inTheFake() throws {
    let folder = try Folder()

    let run = try folder.stress(
      "--mix", "episodes", "--backend", "fake", "--seed", "3", "--seconds", "60", "--plant",
      "search", "--failure-folder", folder.path)

    #expect(run.status == 1)
    #expect(run.text.contains("waits for"))
    #expect(!run.text.contains("--follow"))
  }

  @Test("does not follow what is of another run, and says what to do")
  func refuses() throws {
    let folder = try Folder()
    let file = "\(folder.path)/stress-episodes-21.history"
    let history = History(
      seed: 21, plant: .stock, round: 0, width: 3, ending: .init(faults: ["none"]), isWhole: true,
      events: [])
    try history.write(to: file)
    func refusal(_ arguments: String...) throws -> String {
      let run = try folder.stress(["--backend", "fake", "--follow"] + arguments)
      #expect(run.status == 64, "\(run.text)")
      return run.text
    }

    #expect(
      try refusal(file, "--seed", "22").contains("with --seed 21, and not 22: leave out --seed"))
    #expect(try refusal(file, "--width", "2").contains("with --width 3, and not 2"))
    #expect(try refusal(file, "--plant", "search").contains("with --plant stock, and not search"))
    #expect(try refusal(file, "--mix", "burst").contains("for the mix episodes"))
    #expect(
      try refusal("\(folder.path)/none").contains("Give the file that a failed run has named"))
    try Data("{}".utf8).write(to: URL(fileURLWithPath: file))
    #expect(try refusal(file).contains("is no history"))
    let onThreads = try folder.stress("--follow", file)
    #expect(onThreads.status == 64)
    #expect(onThreads.text.contains("--backend fake"))
    #expect(try folder.stress("--plant", "stock").status == 64)
  }

  @Test(
    "says so if the order does not end in the same failure, and what that may mean",
    arguments: [
      ("The fake keeps the rules", Episode.Ending(brokenRules: ["3 in order"]), true),
      ("The history ends before its episode did", .init(brokenRules: ["5 no standstill"]), false),
      ("On one thread this order cannot be had", .init(faults: ["something"]), true),
    ])
  func another(doubt: String, ending: Episode.Ending, isWhole: Bool) throws {
    let folder = try Folder()
    let file = "\(folder.path)/a.history"
    let history = History(
      seed: 21, plant: nil, round: 0, width: 3, ending: ending, isWhole: isWhole, events: [])
    try history.write(to: file)

    let run = try folder.stress("--backend", "fake", "--follow", file)

    #expect(run.status == 1)
    #expect(run.text.contains(doubt), "\(run.text)")
    #expect(run.lines.last == "stress: NOT the same failure, seed 21, round 0")
  }
}

/// A directory in which a run leaves its files. It is deleted with this object.
private final class Folder {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  struct Run {
    let status: Int32
    let text: String
    var lines: [String] { text.split(separator: "\n").map(String.init) }
  }

  func stress(_ arguments: String...) throws -> Run { try stress(arguments) }

  /// Runs the program that is built beside the tests.
  func stress(_ arguments: [String]) throws -> Run {
    let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: tests).deletingLastPathComponent()
      .appendingPathComponent("Stress")
    process.arguments = arguments
    // This variable is meant for tests, and must change nothing here.
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["TASKDISPATCH_REPLAY": "order1:"], uniquingKeysWith: { $1 })
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Run(status: process.terminationStatus, text: String(decoding: data, as: UTF8.self))
  }
}
