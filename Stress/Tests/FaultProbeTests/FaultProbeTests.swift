import Foundation
import Testing

@Suite("A fault ends as it is written", .serialized)
struct FaultProbeTests {
  @Test("in a process of its own", arguments: Program.probes)
  func asWritten(probe: String) throws {
    let result = try Program.run([probe])

    #expect(result.status == 0, "\(result.text)")
  }

  @Test("and there are some of each kind")
  func someOfEachKind() {
    for name in ["pool-refused", "no-memory", "never-returning-worker", "everything"] {
      #expect(Program.probes.contains(name), "there is no \(name)")
    }
  }

  @Test("and one that is not known is refused")
  func unknown() throws {
    let result = try Program.run(["no-such-probe"])

    #expect(result.status == 2)
  }
}

/// The program `FaultProbe`, which is built beside the tests.
private enum Program {
  /// The names of all probes.
  static let probes: [String] =
    ((try? run(["--list"]))?.text ?? "").split(separator: "\n")
    .compactMap { $0.split(separator: "\t").first.map(String.init) }

  static func run(_ arguments: [String]) throws -> (status: Int32, text: String) {
    let me = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: me).deletingLastPathComponent()
      .appendingPathComponent("FaultProbe")
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }
}
