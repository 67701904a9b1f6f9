import Foundation
import Testing

/// Runs some tests of this package in a process of its own, where an environment variable makes them fail.
///
/// The process is the executable that this test is part of, started as `swift test` starts it. So the test
/// frameworks are set up and report as they do for any user. The tests compare only what a user sees: the exit
/// status and the text.
struct ProcessOfItsOwn {
  enum Framework { case swiftTesting, xctest }

  let status: CInt
  let output: String

  /// Set where tests have to fail; in any other run the same tests pass.
  private static let variable = "TASKDISPATCH_TESTS_FAIL"
  static let isThis = ProcessInfo.processInfo.environment[variable] != nil

  /// - Parameters:
  ///   - test: As `Suite/test`, in this module.
  ///   - failing: Whether the test is told to fail.
  init(_ framework: Framework, _ test: String, failing: Bool) async throws {
    let module = try #require(#fileID.split(separator: "/").first)
    let process = Process()
    process.executableURL = URL(
      filePath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
    process.arguments =
      switch framework {
      case .swiftTesting: ["--testing-library", "swift-testing", "--filter", "\(module).\(test)"]
      case .xctest: ["\(module).\(test)"]
      }
    var environment = ProcessInfo.processInfo.environment
    environment[Self.variable] = failing ? "1" : nil
    // The leak checker would report XCTest's own objects, and change the exit status.
    environment["ASAN_OPTIONS"] = "\(environment["ASAN_OPTIONS"] ?? ""):detect_leaks=0"
    process.environment = environment
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    process.standardInput = FileHandle.nullDevice

    (status, output) = try await Self.result(of: process, pipe)
  }

  /// Waits on a thread of its own: the threads of Swift's Tasks are few, and other tests need them.
  private static func result(of process: Process, _ pipe: Pipe) async throws -> (CInt, String) {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { [process, pipe] in
        do {
          try process.run()
          let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
          process.waitUntilExit()
          continuation.resume(
            returning: (process.terminationStatus, String(decoding: data, as: UTF8.self)))
        } catch {
          continuation.resume(throwing: error)
        }
      }
    }
  }

  /// Whether some line of the output contains each of `parts`, in that order.
  func says(_ parts: String...) -> Bool {
    output.split(whereSeparator: \.isNewline).contains { $0.mentions(parts) }
  }
}

extension ProcessOfItsOwn: CustomTestStringConvertible {
  /// Short, because where the output matters it is the comment of the expectation, in readable lines.
  var testDescription: String { "the process that ended with \(status)" }
}
