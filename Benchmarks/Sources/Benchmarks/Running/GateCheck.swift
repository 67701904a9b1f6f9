import Foundation
import Measuring

/// Counts what the gates limit, in programs that are made for it.
struct GateCheck {
  let file: String

  /// Prints every gate, and what to do about those that are broken. Returns whether all are passed.
  func run() throws -> Bool {
    let gates = try Gates(contentsOf: URL(fileURLWithPath: file))
    let progress = Progress()
    var counts: [String: Double] = [:]
    for (name, count) in Self.counters {
      progress.show("gates: \(name)")
      do { counts[name] = try count() } catch { progress.note("\(name): \(error)") }
    }
    progress.end()
    show(gates.table(counts) + [""])
    let breaches = gates.breaches(by: counts)
    let unheld = gates.unheld(counts)
    show(breaches.map { "bench: gate broken: \($0)" })
    show(unheld.map { "bench: no gate in \(file) holds \($0), which is \(counts[$0]!); add one" })
    show(["bench: \(gates.gates.count - breaches.count) of \(gates.gates.count) gates passed"])
    return breaches.isEmpty && unheld.isEmpty
  }

  private func show(_ lines: [String]) {
    FileHandle.standardOutput.write(Data(lines.map { $0 + "\n" }.joined().utf8))
  }

  private static var counters: [(name: String, count: () throws -> Double)] {
    var all: [(String, () throws -> Double)] = []
    for kind in kinds {
      all.append(("mallocs a task, \(kind)", { try counted(["mallocs", kind]) }))
    }
    for way in ways {
      all.append(("mallocs a submission, \(way)", { try counted(["submission", way]) }))
    }
    for kind in kinds {
      all.append(
        ("bytes more held after 10 000 tasks, \(kind)", { try counted(["growth", kind]) }))
    }
    all.append(("eventfd writes for 1000 posts", { try counted(["wakes"]) }))
    all.append(("leases for 1000 tasks, width 3", { try counted(["leases"], poolThreads: 4) }))
    all.append(("context switches in an idle second", { try counted(["idle"]) }))
    let floor = Once { try instructions("floor") }
    all.append(("instructions a task, floor", { try toTen(floor.value()) }))
    for kind in [
      "foreground", "background", "view", "foreground-limited", "background-limited",
      "view-limited", "foreground-inspected", "background-inspected", "view-inspected",
      "background-handle", "sync",
    ] {
      all.append(
        (
          "instructions a task above the floor, \(kind)",
          { try toTen(instructions(kind) - floor.value()) }
        ))
    }
    return all
  }

  private static let kinds = [
    "foreground", "background", "foreground-handle", "background-handle", "foreground-label",
    "background-label",
  ]

  private static let ways = [
    "label", "group", "barrier", "time-to-live", "group-of-view", "handle-label", "handle-group",
    "handle-time-to-live", "handle-group-of-view", "timer", "timer-label", "timer-tolerance",
    "repeating",
  ]

  /// What the program prints with the counter preloaded.
  private static func counted(_ arguments: [String], poolThreads: Int = 2) throws -> Double {
    let output = try ChildProcess(
      path: Programs.beside("CountedTasks"), arguments: arguments,
      environment: [
        "LD_PRELOAD": Programs.beside("libCallCounter.so"), "UV_THREADPOOL_SIZE": "\(poolThreads)",
      ], timeLimit: 60
    ).run()
    return try number(in: String(decoding: output, as: UTF8.self))
  }

  /// Instructions a task, by callgrind. Only the difference between many and few tasks counts, so that
  /// what a process does once is left out.
  private static func instructions(_ kind: String) throws -> Double {
    let program = FileManager.default.temporaryDirectory
      .appendingPathComponent("bench-counted-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: program) }
    // Without symbols: valgrind does not get through Swift's.
    try ChildProcess(
      path: "/usr/bin/env",
      arguments: ["strip", "-o", program, Programs.beside("CountedTasks")]
    ).run()
    func collected(_ batches: Int) throws -> Double {
      let log = program + ".log"
      defer { try? FileManager.default.removeItem(atPath: log) }
      try ChildProcess(
        path: "/usr/bin/env",
        arguments: [
          "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--log-file=\(log)",
          program, "run", kind, "\(batches)",
        ],
        // Without it, hashing differs from process to process.
        environment: ["UV_THREADPOOL_SIZE": "2", "SWIFT_DETERMINISTIC_HASHING": "1"],
        timeLimit: 120
      ).run()
      let text = try String(contentsOfFile: log, encoding: .utf8)
      guard let found = text.range(of: "Collected : ") else { throw NotANumber(text: text) }
      return try number(in: String(text[found.upperBound...].prefix { $0.isNumber }))
    }
    // The median of five runs: when a worker spins and when its run ends depends on time, and valgrind
    // distorts time. One run may be off by twenty instructions a task to either side.
    func usual(_ batches: Int) throws -> Double {
      Statistics.median(try (0..<5).map { _ in try collected(batches) })
    }
    let (few, many) = (4, 20)
    return (try usual(many) - usual(few)) / Double((many - few) * 1_000)
  }

  /// Rounds to ten: a few instructions still depend on time.
  private static func toTen(_ count: Double) -> Double { (count / 10).rounded() * 10 }

  private static func number(in text: String) throws -> Double {
    guard let number = Double(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
      throw NotANumber(text: text)
    }
    return number
  }

  private struct NotANumber: Error, CustomStringConvertible {
    let text: String
    var description: String { "\"\(text.suffix(200))\" is no number" }
  }

  /// A count that is made when it is first asked for.
  private final class Once {
    private let count: () throws -> Double
    private var known: Double?

    init(_ count: @escaping () throws -> Double) { self.count = count }

    func value() throws -> Double {
      if let known { return known }
      let value = try count()
      known = value
      return value
    }
  }
}
