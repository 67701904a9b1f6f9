import CPeers
import Foundation
import Measuring

extension Case {
  /// A program that makes a dispatcher, runs a task in the foreground and one in the background, and
  /// ends. The limit is /bin/true.
  static let startUp = Case(
    "hello-world daemon",
    rows: [
      Row("hello-world daemon, start to end"),
      Row("hello-world daemon, resident when idle", unit: .bytes),
    ]
  ) { effort in
    let daemon = Programs.beside("HelloDaemon")
    func start(_ path: String) -> Double {
      Statistics.median(
        (0..<effort.count(20)).map { _ in
          let cost = spawn(path, [])
          precondition(cost > 0, "\(path) failed")
          return cost
        })
    }
    guard FileManager.default.isExecutableFile(atPath: daemon) else { throw Missing(name: daemon) }
    return [
      Contestant(Contestant.ours) { () -> [Double] in
        let output = try! ChildProcess(path: daemon, arguments: ["idle"], timeLimit: 30).run()
        return [start(daemon), Double(String(decoding: output, as: UTF8.self))!]
      },
      Contestant(Contestant.limit) { () -> [Double] in [start("/bin/true"), .nan] },
    ]
  }

  struct Missing: Error, CustomStringConvertible {
    let name: String
    var description: String { "\(name) was not built; run scripts/bench, which builds it" }
  }

  /// Nanoseconds until the program has ended, or -1 if it could not be run or failed.
  static func spawn(_ path: String, _ arguments: [String]) -> Double {
    var texts: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
    defer { for text in texts { free(text) } }
    let nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)
    defer { close(nowhere) }
    return cpeers_spawn(path, &texts, nowhere)
  }
}
