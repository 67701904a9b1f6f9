import Foundation
import Glibc
import Testing

@testable import Spool

@Suite("The program, asked for a snapshot")
struct SnapshotTests {
  private static let page = URL(filePath: #filePath)
    .appending(path: "../../../../../../Documentation/LookingInside.md").standardizedFileURL

  @Test("by SIGUSR2 while it works, writes the text that the documentation shows")
  func underLoad() throws {
    let scratch = Scratch()
    try Shell.run("mkdir \"$1\"", [scratch["spool"]])
    // Files come for as long as the program runs.
    let script: BytePath =
      "n=0; while :; do n=$((n+1)); head -c 3000000 /dev/urandom >\"$1\"/$((n % 50)); done"
    let writer = try Shell.start(["/bin/bash", "-c", script, "writer", scratch["spool"]])
    let process = try Shell.start(
      [try Program.path, "--spool", scratch["spool"], "--manifest", scratch["manifest"]],
      out: "/dev/null", errors: scratch["errors"])
    let wanted = try Self.shownLines()
    #expect(wanted.count > 10)
    let clock = ContinuousClock()
    let end = clock.now.advanced(by: .seconds(60))

    // What runs differs from one moment to the next.
    var missing = Set(wanted)
    var rounds = 0
    var text = ""
    while !missing.isEmpty, clock.now < end, try !Shell.hasEnded(process) {
      // The line that the program writes last of a snapshot.
      while text.components(separatedBy: "threads, 3 at most").count <= rounds, clock.now < end {
        text = String(decoding: try scratch.read("errors"), as: UTF8.self)
        if rounds == 0 { break }
      }
      missing.subtract(Self.shapes(of: text))
      if !missing.isEmpty, try Self.handlesSignal(process) {
        kill(process, SIGUSR2)
        rounds += 1
      }
    }
    kill(writer, SIGKILL)
    _ = try Shell.wait(for: writer)
    kill(process, SIGTERM)
    #expect(try Shell.wait(for: process) == 0)
    #expect(missing.isEmpty, "the program never wrote these lines: \(missing.sorted()); \(text)")
  }

  /// The lines of the snapshot that the page shows, with N for each number.
  private static func shownLines() throws -> [String] {
    let text = try String(contentsOf: page, encoding: .utf8)
    let section = try #require(
      text.components(separatedBy: "\n## ").first { $0.hasPrefix("A snapshot") })
    let blocks = section.components(separatedBy: "```")
    let block = try #require(blocks.first { $0.contains("threads, 3 at most") })
    return shapes(of: block)
  }

  private static func shapes(of text: String) -> [String] {
    text.split(separator: "\n").map { line in
      // The log puts the time, the level and the source in front of the first line.
      let message = line.contains(" notice spoold: ") ? line.split(separator: "] ").last! : line
      return String(message.replacing(#/[0-9]+(\.[0-9]+)?( (ns|us|ms|s|min|h)\b)?/#, with: "N"))
    }
  }

  /// Whether the program has come so far that it handles SIGUSR2. Before that the signal would end it.
  private static func handlesSignal(_ process: pid_t) throws -> Bool {
    let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("SigCgt:") })
    let mask = UInt64(line.split(separator: "\t").last!, radix: 16) ?? 0
    return mask & 1 << UInt64(SIGUSR2 - 1) != 0
  }
}
