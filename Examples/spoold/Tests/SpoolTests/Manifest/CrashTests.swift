import TaskDispatchTesting
import Testing

@testable import Spool

@Suite("What a crash has left")
struct CrashTests {
  private static func taken() throws -> Scratch {
    let scratch = Scratch()
    for name in ["a", "line\nend"] { try scratch.write("spool/\(name)", name) }
    try Trial.run(in: scratch)
    return scratch
  }

  @Test("of the manifest, cut anywhere, is cut to whole lines and continued", arguments: 0..<3)
  func tornManifest(part: Int) throws {
    let scratch = try Self.taken()
    let expected = try scratch.expectedLines()
    let whole = try scratch.read("manifest")

    // Every place, in three parts that run beside each other.
    for length in stride(from: part, to: whole.count, by: 3) {
      try scratch.write("manifest", whole[..<length])
      let manifest = try Manifest(scratch["manifest"])
      let lines = whole[..<length].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
      #expect(try scratch.read("manifest") == Array(whole[..<lines]), "cut at \(length)")
      _ = consume manifest

      _ = try Trial.run(in: scratch)
      #expect(try scratch.sortedLines("manifest") == expected, "cut at \(length)")
    }
  }

  @Test("of the stamps, cut anywhere, makes nothing wrong", arguments: 0..<3)
  func tornStamps(part: Int) throws {
    let scratch = try Self.taken()
    let expected = try scratch.expectedLines()
    let whole = try scratch.read("manifest.spoold")

    for length in stride(from: part, to: whole.count, by: 3) {
      try scratch.write("manifest.spoold", whole[..<length])

      _ = try Trial.run(in: scratch)

      #expect(try scratch.sortedLines("manifest") == expected, "cut at \(length)")
      #expect(try scratch.sortedLines("manifest.spoold").count == 3, "cut at \(length)")
    }
  }

  @Test("of a manifest that was to replace the old one is removed")
  func unfinishedReplacement() throws {
    let scratch = try Self.taken()
    try scratch.write("manifest.spoold.new", "something")
    try scratch.append("spool/a", "changed")

    _ = try Trial.run(in: scratch)

    #expect(!scratch.exists("manifest.spoold.new"))
    #expect(try scratch.sortedLines("manifest") == scratch.expectedLines())
  }

  @Test("of a run that read files which had changed is not read again")
  func changedFilesAreKnown() throws {
    let scratch = try Self.taken()
    try scratch.append("spool/a", "changed")
    let old = try scratch.sortedLines("manifest")
    do {
      // Everything but the end is done, and then the process is gone.
      let trial = try Trial(in: scratch)
      try trial.fake.runUntilIdle()
    }
    #expect(try scratch.sortedLines("manifest") == old)

    let summary = try Trial.run(in: scratch)

    #expect(summary.read == Amount())
    #expect(try scratch.sortedLines("manifest") == scratch.expectedLines())
  }
}
