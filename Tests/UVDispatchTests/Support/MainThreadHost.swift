import Foundation

/// A program of `Tests/MainThreadHost`, in a process of its own: the main thread of this one is the
/// test runner's.
final class MainThreadHost {
  private let process = Process()
  private let output = Foundation.Pipe()
  private let input = Foundation.Pipe()

  /// Starts the program of this name.
  init(_ program: String) throws {
    // It is built beside the tests.
    let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.executableURL = tests.deletingLastPathComponent().appendingPathComponent(
      "MainThreadHost")
    process.arguments = [program]
    process.standardOutput = output
    process.standardError = output
    process.standardInput = input
    // Not on a thread of Dispatch's: there, Foundation leaves memory of the thread's run loop behind.
    let thread = OtherThread { [process] in try? process.run() }
    guard thread.join(), process.processIdentifier > 0 else { throw NotStarted(program: program) }
  }

  private struct NotStarted: Error { let program: String }

  var identifier: Int32 { process.processIdentifier }

  /// The next line that it prints.
  func readLine() -> String {
    var line: [UInt8] = []
    while let byte = try? output.fileHandleForReading.read(upToCount: 1)?.first,
      byte != UInt8(ascii: "\n")
    {
      line.append(byte)
    }
    return String(decoding: line, as: UTF8.self)
  }

  func write(_ line: String) { input.fileHandleForWriting.write(Data("\(line)\n".utf8)) }

  /// Waits for its end.
  ///
  /// - Returns: What it printed, if that was not all that it has to say when everything is as it
  ///   should be.
  func complaint() throws -> String? {
    let text = String(
      decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    if process.terminationReason == .exit, process.terminationStatus == 0, text == "ok\n" {
      return nil
    }
    return "\(process.terminationReason) \(process.terminationStatus): \(text)"
  }
}
