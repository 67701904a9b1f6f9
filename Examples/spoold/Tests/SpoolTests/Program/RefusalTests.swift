import Testing

@testable import Spool

@Suite("What the program cannot do")
struct RefusalTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Runs in a directory with a spool of three files, and a manifest `whole` of it.
    let script: String
    let complaint: String

    init(_ description: String, _ script: String, _ complaint: String) {
      testDescription = description
      self.script = script
      self.complaint = complaint
    }
  }

  private static let cases = [
    Case(
      "a pool of no size", "UV_THREADPOOL_SIZE=abc spoold --once --spool spool --manifest m",
      #"UV_THREADPOOL_SIZE is "abc": it must be a number of threads from 1 to 1024"#),
    Case(
      "no spool", "spoold --once --spool nowhere --manifest m",
      "cannot read the spool nowhere: No such file or directory"),
    Case(
      "a spool that is a file", "spoold --once --spool spool/a --manifest m",
      "cannot read the spool spool/a: Not a directory"),
    Case(
      "a manifest in no directory", "spoold --once --spool spool --manifest nowhere/m",
      "cannot write the manifest nowhere/m: No such file or directory"),
    Case(
      "a manifest that is a directory", "spoold --once --spool spool --manifest spool",
      "cannot write the manifest spool: Is a directory"),
    Case(
      "a manifest that is something else", "spoold --once --spool spool --manifest spool/a",
      "spool/a, line 1: this is not a line of a manifest; nothing was changed"),
    Case(
      "a manifest in use", "exec 9<whole; flock 9; spoold --once --spool spool --manifest whole",
      "another process is at work on the manifest whole"),
    Case(
      "a full device", "spoold --once --spool spool --manifest /dev/full",
      "cannot write the manifest /dev/full: No space left on device"),
    Case(
      "no descriptor for the loop", "ulimit -n 8; spoold --once --spool spool --manifest m",
      "uv_loop_init failed: too many open files (EMFILE)"),
    Case(
      "no name", "spoold --once --spool '' --manifest m",
      "cannot read the spool : No such file or directory"),
  ]

  @Test(
    "is told in one line, with an exit code that says so, and changes nothing", arguments: cases)
  func isTold(refusal: Case) throws {
    let scratch = Scratch()
    let run = try Program(
      """
      mkdir spool; for f in a b c; do echo $f >spool/$f; done
      spoold --once --spool spool --manifest whole >/dev/null; cp whole before; \(refusal.script)
      """, in: scratch)

    #expect(run.status == 2)
    #expect(run.complaints == ["spoold: \(refusal.complaint)"])
    #expect(run.output == "")
    #expect(try scratch.read("whole") == scratch.read("before"))
    #expect(!scratch.exists("m"))
    #expect(try scratch.sortedLines("spool/a") == ["a"])
  }

  @Test("is told by the parser where the arguments make no sense")
  func misused() throws {
    let scratch = Scratch()
    for arguments in ["", "--once", "--spool .", "--manifest m", "--once --spool . --manifest m x"]
    {
      let run = try Program("spoold \(arguments)", in: scratch)
      #expect(run.status == 64)
      #expect(run.complaints.first?.hasPrefix("Error: ") == true)
    }
  }

  @Test("is told in one line wherever the descriptors run out")
  func descriptorsRunOut() throws {
    let scratch = Scratch()
    // More files than one step looks at, so that a directory is open while the first files are read.
    try Shell.run(
      "mkdir -p \"$1\"/{1..9}; cd \"$1\"; for d in *; do touch $d/{1..40}; done",
      [scratch["spool"]])
    var complaints: Set<String> = []

    for limit in 8...64 {
      let run = try Program(
        """
        rm -f m*; ulimit -n \(limit); UV_THREADPOOL_SIZE=8 spoold --once --spool spool --manifest m
        """, in: scratch)
      if run.status == 0 { break }
      #expect(run.status == 2)
      #expect(run.complaints.count == 1)
      complaints.formUnion(run.complaints)
      try Self.expectWholeLines(in: scratch)
    }

    #expect(try scratch.sortedLines("m") == scratch.expectedLines())
    #expect(complaints.allSatisfy { $0.lowercased().contains("too many open files") })
    // The loop, the spool or the manifest, and a file that was to be read.
    for text in ["uv_", "m\\.spoold|at spool", "cannot go on at [1-9]/"] {
      let form = try Regex(text)
      #expect(complaints.contains { $0.contains(form) }, "\(complaints)")
    }
  }

  @Test(
    "a file that may not grow any more: what was written stays whole, and is continued",
    arguments: [1, 2, 3, 5])
  func limitOfSize(blocks: Int) throws {
    let scratch = Scratch()
    // A line has 69 bytes or more, so the limit falls within one.
    let run = try Program(
      """
      mkdir spool; for n in {1..300}; do echo $n >spool/$n; done
      (ulimit -f \(blocks); spoold --once --spool spool --manifest m)
      """, in: scratch)

    #expect(run.status == 2)
    #expect(run.complaints.count == 1)
    let text = run.complaints.first ?? ""
    #expect(text.hasPrefix("spoold: cannot write the manifest "), "\(text)")
    #expect(text.hasSuffix("File too large"), "\(text)")
    #expect(try !scratch.sortedLines("m").isEmpty)
    try Self.expectWholeLines(in: scratch)

    #expect(try Program("spoold --once --spool spool --manifest m", in: scratch).status == 0)
    #expect(try scratch.sortedLines("m") == scratch.expectedLines())
  }

  @Test("a line that has no room for all of it leaves nothing of it", arguments: [1, 20, 50, 67])
  func noRoomForALine(room: Int) throws {
    let scratch = Scratch()
    // A comment takes as many of the 1024 bytes as leave that room for a line of 68 bytes.
    let run = try Program(
      """
      mkdir spool; echo a >spool/a; printf '#%*s\\n' \(1022 - room) '' >m; cp m before
      (ulimit -f 1; spoold --once --spool spool --manifest m)
      """, in: scratch)

    #expect(run.status == 2)
    #expect(run.complaints == ["spoold: cannot write the manifest \(scratch["m"]): File too large"])
    #expect(try scratch.read("m").count == 1024 - room)
    #expect(try scratch.read("m") == scratch.read("before"))
  }

  @Test("a summary that its output does not take is told, and the manifest is whole")
  func summaryIsRefused() throws {
    let scratch = Scratch()
    let run = try Program(
      "mkdir spool; echo a >spool/a; spoold --once --spool spool --manifest m >/dev/full",
      in: scratch)

    #expect(run.status == 2)
    #expect(run.complaints == ["spoold: cannot print the summary; the manifest is whole"])
    #expect(try scratch.sortedLines("m") == scratch.expectedLines())
  }

  @Test("a new manifest that has no room leaves the old one in its place")
  func noRoomForTheNew() throws {
    let scratch = Scratch()
    let run = try Program(
      """
      mkdir spool; for n in {1..300}; do echo $n >spool/$n; done
      spoold --once --spool spool --manifest m >/dev/null; cp m before; echo changed >spool/1
      (ulimit -f 10; spoold --once --spool spool --manifest m)
      """, in: scratch)

    #expect(run.status == 2)
    #expect(run.complaints.count == 1)
    #expect(try scratch.read("m") == scratch.read("before"))
    #expect(!scratch.exists("m.spoold.new"))
  }

  /// Each line of the manifest `m` is one that `sha256sum` would print, and the last one is whole.
  private static func expectWholeLines(in scratch: Scratch) throws {
    guard scratch.exists("m") else { return }
    let bytes = try scratch.read("m")
    #expect(bytes.isEmpty || bytes.last == UInt8(ascii: "\n"))
    #expect(try Set(scratch.sortedLines("m")).isSubset(of: scratch.expectedLines()))
  }
}
