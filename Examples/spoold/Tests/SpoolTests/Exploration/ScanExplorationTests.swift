import Synchronization
import TaskDispatch
import TaskDispatchTesting
import Testing

@testable import Spool

/// `Sources/Spool` on real files, in every order in which workers, the loop and the kernel's notices
/// can come, and with a change to the files between any two steps.
@Suite("Explored: a scan")
struct ScanExplorationTests {
  /// The second strategy tries what takes more than two unusual choices, for as long as there is time.
  private static func strategy(andPrioritized schedules: Int) -> ExplorationStrategy {
    .portfolio([
      .bounded(deviations: 2), .prioritized(depth: 3, seed: 1, schedules: schedules),
    ])
  }

  /// A change that another program makes to the file `b` of a spool.
  enum Change: CaseIterable {
    case nothing, grows, goes, isReplaced, isRenamed

    func make(in scratch: Scratch) throws {
      switch self {
      case .nothing: break
      case .grows: try scratch.append("spool/b", " and more")
      case .goes: try scratch.remove("spool/b")
      case .isReplaced:
        try scratch.write("other", "another one")
        try scratch.rename("other", "spool/b")
      case .isRenamed: try scratch.rename("spool/b", "spool/d/z")
      }
    }
  }

  @Test("and what happens to a file at any moment of it: the manifest agrees in the end")
  func changesBetweenSteps() throws {
    let scratch = Scratch()
    let result = try explore(Self.strategy(andPrioritized: 500)) { dispatcher in
      try scratch.begin(with: ["spool/a": "a", "spool/b": "b", "spool/d/c": "c"])
      let vigil = try Vigil(in: scratch, on: dispatcher) { vigil in
        vigil.otherProgram("changes b") {
          try dispatcher.choose(Change.allCases, "what happens to b").make(in: scratch)
        }
      }
      try vigil.settle()

      try scratch.requireTruth()
      try hold(vigil.told.isEmpty, "it complains: \(vigil.told)")
      try hold(vigil.counts.scans == 1, "it went through the spool \(vigil.counts.scans) times")
      try vigil.requireQuietEnd()
      return try scratch.sortedLines("manifest").count
    }
    try result.requireOutcomes([2, 3])
    #expect(result.ordersSeen >= 500)
  }

  @Test("and what happens to a file in the middle of being read: the manifest agrees in the end")
  func changesWhileRead() throws {
    let scratch = Scratch()
    let result = try explore(Self.strategy(andPrioritized: 200)) { dispatcher in
      try scratch.begin(with: ["spool/a": "a", "spool/b": "b", "spool/d/c": "c"])
      let isDone = Atomic(false)
      let vigil = try Vigil(
        in: scratch,
        onRead: { path, _ in
          guard path == "b", !isDone.exchange(true, ordering: .relaxed) else { return }
          try! dispatcher.choose(Change.allCases, "what happens to b").make(in: scratch)
        }, on: dispatcher)
      try vigil.settle()

      try scratch.requireTruth()
      let wasSeen = vigil.told == [.problem(.changed("b"))]
      try hold(wasSeen || vigil.told.isEmpty, "it says \(vigil.told)")
      try vigil.requireQuietEnd()
      return try scratch.sortedLines("manifest").count
    }
    try result.requireOutcomes([2, 3])
    #expect(result.ordersSeen >= 250)
  }

  /// Found by an exploration: the files were looked at in the order of a set, which differs in each
  /// run.
  @Test("of a spool of which files have gone since the last one: all of them, and always so")
  func filesHaveGone() throws {
    let scratch = Scratch()
    let result = try explore { dispatcher in
      try scratch.begin(with: ["spool/a": "a", "spool/b": "b", "spool/c": "c"])
      try Trial.run(in: scratch)
      for name in ["a", "b", "c"] as [BytePath] { try scratch.remove("spool/\(name)") }
      let vigil = try Vigil(in: scratch, on: dispatcher)
      try vigil.settle()

      try scratch.requireTruth()
      let replacements = vigil.replacements
      try vigil.requireQuietEnd()
      return replacements
    }
    // The results of reading them are saved together or not: one more replacement, and one at the end.
    try result.requireNone { !(2...3).contains($0) }
    #expect(result.ordersSeen >= 60)
  }

  @Test("with --once, of two files in every order there is")
  func once() throws {
    let scratch = Scratch()
    let result = try explore(.exhaustive) { dispatcher in
      try scratch.begin(with: ["spool/a": "a", "spool/b": "b"])
      let trial = try Trial(in: scratch, on: dispatcher)
      dispatcher.otherProgram("b goes") { try scratch.remove("spool/b") }
      let summary = try trial.finish()
      try hold(trial.told.isEmpty, "it complains: \(trial.told)")
      try hold(summary.failed == 0, "it failed at \(summary.failed) files")
      let names = try scratch.sortedLines("manifest").map { String($0.dropFirst(66)) }.sorted()
      try hold(
        names.count == summary.read.files, "\(names) of \(summary.read.files) that were read")
      return names
    }
    // b may have gone before it is read, or after.
    try result.requireOutcomes([["a"], ["a", "b"]])
    #expect(result.isExhausted)
  }

  @Test("with --once, of files of which one changes as it is read: no line says what is not true")
  func onceWhileRead() throws {
    let scratch = Scratch()
    let result = try explore(.exhaustive) { dispatcher in
      try scratch.begin(with: ["spool/a": "a", "spool/b": "b", "spool/d/c": "c"])
      let isDone = Atomic(false)
      let onRead: @Sendable (BytePath, Int) -> Void = { path, _ in
        guard path == "b", !isDone.exchange(true, ordering: .relaxed) else { return }
        try! dispatcher.choose(Change.allCases, "what happens to b").make(in: scratch)
      }
      let trial = try Trial(in: scratch, onRead: onRead, on: dispatcher)
      let summary = try trial.finish()

      let lines = try scratch.sortedLines("manifest")
      try hold(Set(lines).isSubset(of: try scratch.trueLines()), "not true: \(lines.shown)")
      try hold(summary.failed == trial.told.count, "\(summary) and \(trial.told)")
      return trial.told.count
    }
    // A file that has gone is no failure.
    try result.requireOutcomes([0, 1])
    #expect(result.isExhausted)
  }
}
