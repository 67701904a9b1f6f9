import CPeers
import Foundation
import Measuring

extension Machine {
  /// The machine that this program runs on.
  static func here(poolThreads: [Int], processes: Int) -> Machine {
    func contents(_ path: String) -> String {
      String(decoding: (try? Data(contentsOf: URL(fileURLWithPath: path))) ?? Data(), as: UTF8.self)
    }
    let model =
      contents("/proc/cpuinfo").split(separator: "\n")
      .first { $0.hasPrefix("model name") }?
      .split(separator: ":", maxSplits: 1).last.map { $0.trimmingCharacters(in: .whitespaces) }
    let kernel = contents("/proc/sys/kernel/osrelease").trimmingCharacters(in: .newlines)
    return Machine(
      model: model ?? "unknown", cores: sysconf(Int32(_SC_NPROCESSORS_ONLN)), kernel: kernel,
      swift: swiftVersion, libuv: String(cString: cpeers_libuv_version()),
      poolThreads: poolThreads, processes: processes,
      nice: Int(getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)))
  }

  /// The version of the `swift` on PATH, which is the one that `scripts/bench` builds with.
  private static var swiftVersion: String {
    let output = try? ChildProcess(
      path: "/usr/bin/env", arguments: ["swift", "--version"], timeLimit: 60
    ).run()
    let text = String(decoding: output ?? Data(), as: UTF8.self)
    guard let found = text.range(of: "Swift version ") else { return "unknown" }
    return String(text[found.upperBound...].prefix { !$0.isWhitespace })
  }
}
