import TaskDispatch
import TaskDispatchTesting
import Testing

@testable import Spool

@Suite("The manifest of a spool that is kept")
struct ManifestKeptTests {
  private static func spool(files: Int = 100) throws -> Scratch {
    let scratch = Scratch()
    for number in 0..<files { try scratch.write("spool/\(number)", "\(number)") }
    return scratch
  }

  @Test("is replaced once for a storm of deletions, and then no more often than it may be")
  func coalescesReplacements() throws {
    let scratch = try Self.spool()
    let vigil = try Vigil(in: scratch)
    let began = vigil.fake.now
    for number in 0..<100 {
      try scratch.remove("spool/\(number)")
      try vigil.hear()
      try vigil.fake.advanceTime(by: .milliseconds(30))
    }
    try vigil.settle()

    #expect(try scratch.read("manifest") == [])
    let seconds = Int(began.duration(to: vigil.fake.now) / .seconds(1))
    #expect((2...seconds + 1).contains(vigil.replacements), "\(vigil.replacements) in \(seconds) s")
    #expect(try vigil.end().isEmpty)
  }

  @Test("keeps its comments, and the order of its lines")
  func keepsOrder() throws {
    let scratch = try Self.spool(files: 5)
    try Trial.run(in: scratch)
    try scratch.write("manifest", "# mine\n".utf8 + (try scratch.read("manifest")) + "# end\n".utf8)
    let before = try scratch.read("manifest")
    let vigil = try Vigil(in: scratch)
    try scratch.write("spool/2", "changed")
    try vigil.settle()
    try scratch.write("spool/2", "2")
    try vigil.settle()

    #expect(vigil.replacements == 2)
    #expect(try scratch.read("manifest") == before)
    #expect(try vigil.end().isEmpty)
  }

  @Test("is continued: what has not changed is not read, what is gone has no line")
  func isContinued() throws {
    let scratch = try Self.spool(files: 10)
    #expect(try Vigil(in: scratch).end().isEmpty)
    try scratch.write("spool/3", "changed")
    try scratch.remove("spool/4")
    let vigil = try Vigil(in: scratch)
    try vigil.settle()

    #expect(vigil.counts.read.files == 1)
    #expect(vigil.counts.unchanged == 8)
    #expect(vigil.counts.gone == 1)
    #expect(try scratch.sortedLines("manifest") == scratch.expectedLines())
    #expect(try vigil.end().isEmpty)
  }

  @Test("has one line for each file, whatever it had")
  func hasNoRepeats() throws {
    let scratch = try Self.spool(files: 3)
    let expected = try scratch.expectedLines()
    let wrong = "\(String(repeating: "0", count: 64))  1\n"
    try scratch.write("manifest", wrong + expected.map { "\($0)\n" }.joined() + wrong)
    let vigil = try Vigil(in: scratch)
    try vigil.settle()

    #expect(try scratch.sortedLines("manifest") == expected)
    #expect(try vigil.end().isEmpty)
  }

  @Test("loses nothing while it cannot be written, and says so once when it begins and ends")
  func survivesAnObstacle() throws {
    let scratch = try Self.spool(files: 3)
    let vigil = try Vigil(in: scratch)
    // No file can take the place of a directory.
    try scratch.makeDirectory("manifest.spoold.new")
    try scratch.remove("spool/1")
    try scratch.write("spool/new", "new")
    try vigil.settle(within: .seconds(100))

    #expect(vigil.told.count == 1)
    guard case .cannotSave(.manifest) = vigil.told.first else {
      Issue.record("not told: \(vigil.told)")
      return
    }

    try Shell.run("rmdir \"$1\"", [scratch["manifest.spoold.new"]])
    try vigil.settle(within: .seconds(30))
    #expect(vigil.told.dropFirst() == [.canSaveAgain])
    #expect(try scratch.sortedLines("manifest") == scratch.expectedLines())
    #expect(try vigil.end().isEmpty)
  }

  @Test("is tried again less and less often, at least every half minute")
  func backsOff() throws {
    let scratch = try Self.spool(files: 1)
    try Shell.run("ln -s /dev/full \"$1\"", [scratch["manifest"]])
    let vigil = try Vigil(in: scratch)
    var waits: [Int] = []
    for _ in 1...8 {
      let before = vigil.fake.now
      try vigil.fake.advanceToNextDeadline()
      waits.append(Int(before.duration(to: vigil.fake.now) / .seconds(1)))
    }

    #expect(waits == [1, 2, 4, 8, 16, 30, 30, 30])
    let remains = try vigil.end()
    #expect(remains.unsaved == 1)
    #expect(remains.stop == .manifest(scratch["manifest"], SystemError(call: "write", code: 28)))
  }

  @Test("is left alone when another program has put another in its place")
  func isReplaced() throws {
    let scratch = try Self.spool(files: 3)
    let vigil = try Vigil(in: scratch)
    try scratch.write("theirs", "# theirs\n")
    try scratch.rename("theirs", "manifest")
    try scratch.remove("spool/1")
    try vigil.settle()

    #expect(vigil.fake.report != nil)
    #expect(vigil.keeper.finish().stop == .replaced(scratch["manifest"]))
    #expect(try scratch.sortedLines("manifest") == ["# theirs"])
    try vigil.fake.finish()
  }

  @Test("has a file of stamps that does not grow for ever")
  func tidiesStamps() throws {
    let scratch = try Self.spool(files: 1)
    let vigil = try Vigil(in: scratch)
    for round in 1...1_500 {
      try scratch.write("spool/0", "\(round)")
      try vigil.hear()
      try vigil.fake.advanceTime(by: .milliseconds(30))
    }
    try vigil.settle()

    #expect(try scratch.sortedLines("manifest.spoold").count < 1_010)
    #expect(try vigil.end().isEmpty)
    // What it has kept counts for the next run.
    let next = try Vigil(in: scratch)
    #expect(next.counts.read.files == 0)
    #expect(try next.end().isEmpty)
  }
}
