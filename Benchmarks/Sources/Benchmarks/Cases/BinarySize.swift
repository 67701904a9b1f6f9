import Foundation
import Measuring

extension Case {
  private static let sizeRow = Row(
    "hello-world daemon, stripped static binary", unit: .bytes)

  /// The program that ``startUp`` runs, with Swift's runtime linked into it and without symbols.
  static let binarySize = Case("static binary", rows: [sizeRow]) { _ -> [Reading] in
    let program = ProcessInfo.processInfo.environment["BENCHMARKS_STATIC_DAEMON"] ?? "HelloDaemon"
    guard FileManager.default.isExecutableFile(atPath: program) else {
      throw Missing(name: program)
    }
    let stripped = FileManager.default.temporaryDirectory
      .appendingPathComponent("bench-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: stripped) }
    try ChildProcess(path: "/usr/bin/env", arguments: ["strip", "-o", stripped, program]).run()
    let bytes = try FileManager.default.attributesOfItem(atPath: stripped)[.size] as? Int ?? 0
    return [Reading(row: sizeRow.name, contestant: Contestant.ours, samples: [Double(bytes)])]
  }
}
