import Foundation
import Oracle

/// The mix of faults. It runs probes in processes of their own, and then this program again, with a
/// preloaded library that refuses, delays and interrupts calls of the system.
enum Faults {
  /// How often each fault happened in this process, by kind; nil if the library is not preloaded.
  static func counts() -> [String: Int]? {
    typealias CountOf = @convention(c) (UnsafePointer<CChar>) -> Int
    guard let symbol = dlsym(nil, "fault_injection_count") else { return nil }
    let count = unsafeBitCast(symbol, to: CountOf.self)
    return Dictionary(
      uniqueKeysWithValues: ["eintr", "spurious", "delay", "full", "jump"].map { ($0, count($0)) })
  }

  /// Runs the probes. They print their table to standard output.
  static func probesHold() throws -> Bool {
    let probes = Foundation.Process()
    probes.executableURL = try beside("FaultProbe")
    try probes.run()
    probes.waitUntilExit()
    return probes.terminationReason == .exit && probes.terminationStatus == 0
  }

  /// Replaces this process by the same program with the library, and does not return.
  static func preload(for plan: Plan, _ arguments: [String]) throws -> Never {
    setenv("LD_PRELOAD", try beside("libFaultInjection.so").path, 1)
    setenv(
      "FAULT_INJECTION",
      "seed=\(plan.seed % 1_000_000),eintr=20,spurious=20,delay=3,full=20,jump=1",
      1)
    var pointers = arguments.map { strdup($0) } + [nil]
    execv("/proc/self/exe", &pointers)
    throw Missing(path: "/proc/self/exe")
  }

  struct Missing: Error, CustomStringConvertible {
    let path: String
    var description: String {
      "\(path) is not there: build the whole package, as scripts/stress does"
    }
  }

  private static func beside(_ name: String) throws -> URL {
    let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    let url = program.deletingLastPathComponent().appendingPathComponent(name)
    guard FileManager.default.isReadableFile(atPath: url.path) else {
      throw Missing(path: url.path)
    }
    return url
  }
}
