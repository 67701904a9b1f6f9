import TaskDispatch
import TaskDispatchTesting
import Testing

@testable import Spool

@Suite("What changes while the spool is kept")
struct ChangeTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// What a program does in the spool: in one step, or in several with `;;` between them.
    let script: String

    init(_ description: String, _ script: String) {
      testDescription = description
      self.script = script
    }
  }

  /// The cases, for a spool with the files `a`, `b`, `d/c`, `d/e/f` and the directory `empty`.
  private static let cases = [
    Case("a file that is new", "echo new >n"),
    Case("a file that is written to", "echo more >>a"),
    Case("a file that is removed", "rm a"),
    Case("a file that is removed and comes back as it was", "cp -p a ../x; rm a; mv ../x a"),
    Case("a file that is renamed", "mv a z"),
    Case("a file that takes the place of another", "mv a b"),
    Case("two files that change places", "mv a x; mv b a; mv x b"),
    Case("a file that moves to another directory", "mv a d/e/a"),
    Case("a file that leaves the spool", "mv a .."),
    Case("a file that has other rights", "chmod 600 a; touch -d yesterday b"),
    Case("a file that has a second name", "ln a d/second"),
    Case("a file that becomes a directory", "rm a; mkdir a; echo in >a/in"),
    Case("a directory that becomes a file", "rm -r d; echo file >d"),
    Case("a file that becomes a link", "ln -sf b a"),
    Case("a directory that is new, with all in it", "mkdir -p n/m/o; echo 1 >n/1; echo 2 >n/m/o/2"),
    Case(
      "a directory that comes from elsewhere", "mkdir -p ../n/m; echo 1 >../n/m/1; mv ../n empty/n"),
    Case("a directory that is removed", "rm -r d"),
    Case("a directory that leaves the spool", "mv d ../gone"),
    Case("a directory that leaves, and is written to there", "mv d ../gone;; echo x >../gone/x"),
    Case("a directory that leaves and comes back", "mv d ../x;; echo x >../x/e/x; mv ../x d"),
    Case("a directory that is renamed", "mv d z"),
    Case("a directory that is renamed, and written to then", "mv d z;; echo x >z/e/x; rm z/c"),
    Case("a directory that is renamed back and forth", "mv d z; mv z d; echo x >d/e/f"),
    Case("a directory that moves into another", "mv d empty/d;; echo x >empty/d/e/f"),
    Case(
      "a directory that takes the place of another",
      "mv d/e d/x; rm d/c; mv -T d/x empty;; echo x >empty/x"),
    Case(
      "directories that change places",
      "mkdir g; echo g >g/c; mv d x; mv g d; mv x g;; rm g/c; echo x >d/e"),
    Case(
      "directories that go below each other",
      "mv empty d/; mv d/e e; mv d e/; mv e/d .;; echo x >d/empty/x"),
    Case("names of every kind", "mkdir $'\\xff'; echo x >$'\\xff/\\n\\\\'; echo ' ' >' '"),
  ]

  private static func spool() throws -> Scratch {
    let scratch = Scratch()
    for name in ["a", "b", "d/c", "d/e/f"] as [BytePath] {
      try scratch.write("spool/\(name)", "\(name)")
    }
    try scratch.makeDirectory("spool/empty")
    return scratch
  }

  @Test("is in the manifest when all has settled, heard of together", arguments: cases)
  func isHeardTogether(change: Case) throws {
    let scratch = try Self.spool()
    let vigil = try Vigil(in: scratch)
    #expect(try scratch.sortedLines("manifest") == scratch.expectedLines())

    try Self.run(change.script, in: scratch)
    try vigil.settle()

    #expect(try scratch.sortedLines("manifest") == scratch.expectedLines())
    #expect(vigil.told == [])
    #expect(try vigil.end().isEmpty)
  }

  @Test("is in the manifest when all has settled, heard of one by one", arguments: cases)
  func isHeardOneByOne(change: Case) throws {
    let scratch = try Self.spool()
    let vigil = try Vigil(in: scratch)

    for script in change.script.split(separator: ";") {
      try Self.run(String(script), in: scratch)
      try vigil.hear()
    }
    try vigil.settle()

    #expect(try scratch.sortedLines("manifest") == scratch.expectedLines())
    #expect(try vigil.end().isEmpty)
  }

  @Test("is in the manifest when it ends, settled or not", arguments: cases)
  func isThereAtTheEnd(change: Case) throws {
    let scratch = try Self.spool()
    let vigil = try Vigil(in: scratch)

    try Self.run(change.script, in: scratch)

    #expect(try vigil.end().isEmpty)
    #expect(try scratch.sortedLines("manifest") == scratch.expectedLines())
  }

  @Test("is found when all is gone through again, if no notice has told of it", arguments: cases)
  func isFoundByRescan(change: Case) throws {
    let scratch = try Self.spool()
    let vigil = try Vigil(in: scratch)

    try Self.run(change.script, in: scratch)
    vigil.fake.foreground.async(label: "rescan") { [keeper = vigil.keeper] in keeper.rescan() }
    try vigil.fake.runUntilIdle()
    while let next = vigil.fake.nextDeadline, next <= .start.advanced(by: .seconds(20)) {
      try vigil.fake.advanceToNextDeadline()
    }

    #expect(vigil.counts.events == 0)
    #expect(try scratch.sortedLines("manifest") == scratch.expectedLines())
    #expect(try vigil.end().isEmpty)
  }

  /// Runs the parts of a script with `;;` one after the other without a pause. The pause is for tests
  /// that take in notices after each part.
  private static func run(_ script: String, in scratch: Scratch) throws {
    let commands = script.replacing(";;", with: ";")
    try Shell.run("cd \"$1\"; \(commands)", [scratch["spool"]])
  }
}
