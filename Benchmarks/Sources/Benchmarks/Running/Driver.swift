import Foundation
import Measuring

/// Measures cases, each in processes of its own, and merges what they print.
struct Driver {
  let cases: [Case]
  let effort: Effort
  let processes: Int

  /// Runs all cases once in each round, so that the processes of one case lie far apart: a machine that
  /// is slow for a while then slows only one of them.
  func results(progress: Progress) -> [RowResult] {
    var readings = [[[Reading]]](repeating: [], count: cases.count)
    var failures = [String?](repeating: nil, count: cases.count)
    for round in 1...processes {
      for (index, one) in cases.enumerated() where failures[index] == nil {
        progress.show(
          "process \(round) of \(processes), \(index + 1) of \(cases.count): \(one.name)")
        do {
          readings[index].append(try measure(one))
        } catch {
          failures[index] = "\(error)"
          progress.note("\(one.name): \(error)")
        }
      }
    }
    progress.end()
    return cases.indices.flatMap { index in
      cases[index].rows.map { row in
        failures[index].map { RowResult(row, failure: $0) }
          ?? RowResult(row, processes: readings[index])
      }
    }
  }

  private func measure(_ one: Case) throws -> [Reading] {
    let output = try ChildProcess(
      path: Programs.own,
      arguments: ["--case", one.name] + (effort.isQuick ? ["--quick"] : []),
      environment: ["UV_THREADPOOL_SIZE": "\(one.poolThreads)"]
    ).run()
    return try JSONDecoder().decode([Reading].self, from: output)
  }
}

/// Shows how far a run is: continuously on one line of a terminal, else with a line a minute.
final class Progress {
  private let isTerminal = isatty(STDERR_FILENO) == 1
  private let began = Date()
  private var minute = 0

  func show(_ text: String) {
    let seconds = Int(Date().timeIntervalSince(began))
    if isTerminal { return write("\r\u{1B}[K\(seconds) s  \(text)") }
    guard seconds / 60 > minute else { return }
    minute = seconds / 60
    write("bench: after \(seconds) s: \(text)\n")
  }

  func note(_ text: String) {
    if isTerminal { write("\r\u{1B}[K") }
    write("bench: \(text)\n")
  }

  func end() {
    if isTerminal { write("\r\u{1B}[K") }
  }

  private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
