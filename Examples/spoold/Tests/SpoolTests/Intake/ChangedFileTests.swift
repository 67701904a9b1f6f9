import TaskDispatchTesting
import Testing

@testable import Spool

@Suite("A file that changes while it is read")
struct ChangedFileTests {
  /// More than one piece, so that there is a middle.
  private static let long = String(repeating: "0123456789abcdef", count: 20_000)

  /// A change that another program makes to the file `spool/a` while it is read.
  enum Change: CaseIterable {
    case grows, shrinks, isOverwritten, isReplaced, isOverwrittenAndDatedBack
  }

  @Test("is told, and has no line; all others have", arguments: Change.allCases)
  func isTold(change: Change) throws {
    let scratch = Scratch()
    try scratch.write("spool/a", Self.long)
    try scratch.write("spool/b", "b")
    let trial = try Trial(in: scratch) { path, offset in
      guard path == "a", offset > 0 else { return }
      try? Self.make(change, in: scratch)
    }

    let summary = try trial.finish()

    #expect(trial.told == [.changed("a")])
    #expect(summary.failed == 1)
    #expect(
      try scratch.sortedLines("manifest") == scratch.expectedLines().filter { $0.hasSuffix("  b") })
  }

  @Test("is no failure when it is gone", arguments: [0, 1])
  func mayGo(offset wanted: Int) throws {
    let scratch = Scratch()
    try scratch.write("spool/a", Self.long)
    let trial = try Trial(in: scratch) { path, offset in
      if offset >= wanted { try? scratch.remove("spool/a") }
    }

    let summary = try trial.finish()

    #expect(trial.told == [])
    #expect(summary.failed == 0)
    #expect(try scratch.read("manifest") == [])
  }

  @Test("may have gone, or become something else, before a worker comes to it")
  func mayGoBefore() throws {
    let scratch = Scratch()
    for name in ["gone", "link", "pipe", "directory"] as [BytePath] {
      try scratch.write("spool/\(name)", "x")
    }
    let trial = try Trial(in: scratch)
    try trial.fake.runNextForegroundTask()
    try trial.fake.runTask(labeled: "walk")
    try Shell.run(
      "cd \"$1\"; rm *; ln -s /etc/passwd link; mkfifo pipe; mkdir directory", [scratch["spool"]])

    let summary = try trial.finish()

    #expect(trial.told == [])
    #expect(summary.failed == 0)
    #expect(try scratch.read("manifest") == [])
  }

  @Test("is read by the next run, which takes the line that is no longer true out")
  func nextRunReadsIt() throws {
    let scratch = Scratch()
    try scratch.write("spool/a", Self.long)
    try Trial.run(in: scratch)
    try scratch.append("spool/a", "more")
    let trial = try Trial(in: scratch) { _, offset in
      if offset > 0 { try? scratch.append("spool/a", "and more") }
    }

    _ = try trial.finish()

    #expect(try scratch.read("manifest") == [])
    #expect(try Trial.run(in: scratch).failed == 0)
    #expect(try scratch.sortedLines("manifest") == scratch.expectedLines())
  }

  private static func make(_ change: Change, in scratch: Scratch) throws {
    switch change {
    case .grows: try scratch.append("spool/a", "x")
    case .shrinks: try Shell.run("truncate -s 10 \"$1\"", [scratch["spool/a"]])
    case .isOverwritten: try scratch.overwrite("spool/a", "X")
    case .isReplaced:
      try scratch.write("other", long)
      try scratch.rename("other", "spool/a")
    case .isOverwrittenAndDatedBack:
      try Shell.run(
        """
        touch -r "$1" "$2"; printf X | dd of="$1" conv=notrunc status=none; touch -r "$2" "$1"
        """,
        [scratch["spool/a"], scratch["date"]])
    }
  }
}
