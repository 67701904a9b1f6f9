import Foundation
import Measuring

extension Case {
  private static let spooldRow = Row("spoold --once, /usr/share/doc")

  /// The example program, compared with what a shell would do, on the same files in memory.
  static let spoold = Case("spoold", rows: [spooldRow]) { effort -> [Reading] in
    let program = ProcessInfo.processInfo.environment["BENCHMARKS_SPOOLD"] ?? "spoold"
    guard FileManager.default.isExecutableFile(atPath: program) else {
      throw Missing(name: program)
    }
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let tree = "/usr/share/doc"
    return Interleaving(repetitions: effort.repetitions).readings(
      rows: [spooldRow.name],
      of: [
        Contestant(Contestant.ours) {
          // A new manifest each time, since the program would continue an existing one.
          let manifest = folder.appendingPathComponent("manifest-\(UUID().uuidString)").path
          let cost = spawn(program, ["--once", "--spool", tree, "--manifest", manifest])
          precondition(cost > 0, "spoold failed")
          return cost
        },
        Contestant("xargs -P3 sha256sum") {
          let command = "find . -type f -print0 | xargs -0 -P3 sha256sum > \(folder.path)/sums"
          let cost = spawn("/bin/sh", ["-c", "cd \(tree) && \(command)"])
          precondition(cost > 0, "xargs failed")
          return cost
        },
      ])
  }
}
