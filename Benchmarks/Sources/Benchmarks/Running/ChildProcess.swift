import Foundation

/// A program that is run to its end.
struct ChildProcess {
  enum Failure: Error, CustomStringConvertible {
    case ended(Int32, isSignal: Bool, errors: String)
    case tookTooLong(seconds: Double)

    var description: String {
      switch self {
      case .ended(let status, let isSignal, let errors):
        "ended with \(isSignal ? "signal" : "status") \(status)"
          + (errors.isEmpty ? "" : ": \(errors)")
      case .tookTooLong(let seconds): "was not done after \(Int(seconds)) s"
      }
    }
  }

  let path: String
  var arguments: [String] = []
  /// Added to the environment of this process.
  var environment: [String: String] = [:]
  var timeLimit = 600.0

  /// Runs the program, and returns what it printed.
  @discardableResult
  func run() throws -> Data {
    // Files and not pipes: a full pipe that is not read would stop the program.
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let output = folder.appendingPathComponent("output")
    let errors = folder.appendingPathComponent("errors")
    try Data().write(to: output)
    try Data().write(to: errors)

    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: errors)
    let ended = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in ended.signal() }
    try process.run()
    guard ended.wait(timeout: .now() + timeLimit) == .success else {
      kill(process.processIdentifier, SIGKILL)
      ended.wait()
      throw Failure.tookTooLong(seconds: timeLimit)
    }
    guard process.terminationReason == .exit, process.terminationStatus == 0 else {
      let said = String(decoding: (try? Data(contentsOf: errors)) ?? Data(), as: UTF8.self)
      throw Failure.ended(
        process.terminationStatus, isSignal: process.terminationReason == .uncaughtSignal,
        errors: String(
          said.split(separator: "\n").suffix(3).joined(separator: " / ").suffix(400)))
    }
    return try Data(contentsOf: output)
  }
}

/// The paths of this program and of the programs that are built beside it.
enum Programs {
  static let own =
    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
    ?? CommandLine.arguments[0]

  static func beside(_ name: String) -> String {
    URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent(name).path
  }
}
