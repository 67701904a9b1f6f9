import Testing

@testable import Spool

@Suite("A manifest that exists")
struct ContinuationTests {
  /// A spool of five files that a manifest already contains.
  private static func taken() throws -> Scratch {
    let scratch = Scratch()
    for name in ["a", "b", "c", "dir/d", "dir/e"] { try scratch.write("spool/\(name)", name) }
    try Trial.run(in: scratch)
    return scratch
  }

  @Test("is left as it is, and nothing is read, if nothing has changed")
  func unchanged() throws {
    let scratch = try Self.taken()
    let before = try (scratch.read("manifest"), scratch.read("manifest.spoold"))

    let summary = try Trial.run(in: scratch)

    #expect(summary.unchanged == 5)
    #expect(summary.read == Amount())
    #expect(try before == (scratch.read("manifest"), scratch.read("manifest.spoold")))
  }

  @Test("grows by the lines of files that are new")
  func newFiles() throws {
    let scratch = try Self.taken()
    let before = try scratch.read("manifest")
    try scratch.write("spool/dir/new", "new")

    let summary = try Trial.run(in: scratch)

    #expect(summary.read.files == 1)
    #expect(try scratch.read("manifest").starts(with: before))
    #expect(try scratch.sortedLines("manifest") == scratch.expectedLines())
  }

  @Test(
    "has the new line, and not the old one, of a file that has changed",
    arguments: [
      "printf more >>b", "printf B >b", "printf B >b.new; mv b.new b", ": >b",
      "touch -r b ../date; printf B >b; touch -r ../date b",
      "cp -p b n; printf B >n; touch -r b n; mv n b",
      "mv b x; mv c b; mv x c",
      "mkdir d2; printf D >d2/d; touch -r dir/d d2/d; rm -r dir; mv d2 dir",
    ])
  func changedFiles(change: String) throws {
    let scratch = try Self.taken()
    try Shell.run("cd \"$1\"; " + change, [scratch["spool"]])

    _ = try Trial.run(in: scratch)

    #expect(try scratch.sortedLines("manifest") == scratch.expectedLines())
    #expect(try Trial.run(in: scratch).read == Amount())
  }

  @Test("loses the lines of files that are gone, and says how many")
  func goneFiles() throws {
    let scratch = try Self.taken()
    try Shell.run("cd \"$1\"; rm -r a dir", [scratch["spool"]])

    let summary = try Trial.run(in: scratch)

    #expect(summary.gone == 3)
    #expect(try scratch.sortedLines("manifest") == scratch.expectedLines())
  }

  @Test("may have been made by sha256sum: its files are read once, and no line is written twice")
  func madeByTheTool() throws {
    let scratch = try Self.taken()
    try Shell.run(
      """
      cd "$1"; rm ../manifest*; printf '# by hand\\n' >../manifest
      find . -type f | xargs sha256sum -b >>../manifest
      """, [scratch["spool"]])
    let before = try scratch.read("manifest")

    #expect(try Trial.run(in: scratch).read.files == 5)
    #expect(try scratch.read("manifest") == before)
    #expect(try Trial.run(in: scratch).unchanged == 5)

    try scratch.remove("spool/a")
    _ = try Trial.run(in: scratch)
    #expect(try scratch.sortedLines("manifest") == ["# by hand"] + scratch.expectedLines())
  }

  @Test(
    "is put right where a line is wrong, missing or there twice",
    arguments: [
      "sed -i s/^./0/ \"$1\"", "sed -i 2d \"$1\"", "sed -i p \"$1\"", ": >\"$1\"", "rm \"$1\"",
      "tac \"$1\" >\"$1.t\"; sed s/^./1/ \"$1\" >>\"$1.t\"; mv \"$1.t\" \"$1\"",
    ])
  func putRight(damage: String) throws {
    let scratch = try Self.taken()
    try Shell.run(damage, [scratch["manifest"]])

    _ = try Trial.run(in: scratch)

    #expect(try scratch.sortedLines("manifest") == scratch.expectedLines())
  }

  @Test(
    "needs nothing of what is kept beside it: what is not known is read again",
    arguments: [
      "rm \"$1\"", ": >\"$1\"", "sed -i 3d \"$1\"", "sed -i 's/^\\(.*\\) [0-9]* /\\1 7 /' \"$1\"",
      "sed -i 2,4s/.*/nonsense/ \"$1\"", "sed -i p \"$1\"",
    ])
  func stampsLost(damage: String) throws {
    let scratch = try Self.taken()
    try Shell.run(damage, [scratch["manifest.spoold"]])
    try scratch.append("spool/a", "changed")

    _ = try Trial.run(in: scratch)

    #expect(try scratch.sortedLines("manifest") == scratch.expectedLines())
    #expect(try Trial.run(in: scratch).unchanged == 5)
  }

  @Test("is replaced by one with its rights, behind the link that was given")
  func keepsRights() throws {
    let scratch = try Self.taken()
    try Shell.run(
      """
      cd "$1"; mkdir real; mv manifest* real; chmod 640 real/manifest; ln -s real/manifest manifest
      """,
      [scratch.path])
    try scratch.remove("spool/a")

    _ = try Trial.run(in: scratch)

    try Shell.run(
      """
      cd "$1"; test -L manifest && test "$(stat -c %a real/manifest)" = 640 &&
      test -e real/manifest.spoold && test ! -e manifest.spoold
      """,
      [scratch.path])
    #expect(try scratch.sortedLines("manifest") == scratch.expectedLines())
  }

  @Test("does not let what is kept beside it grow for ever")
  func stampsAreRenewed() throws {
    let scratch = try Self.taken()
    for number in 0..<5 {
      try Shell.run(
        "for n in $(seq 400); do sed -n 2p \"$1\"; done >>\"$1\"", [scratch["manifest.spoold"]])
      try scratch.write("spool/new", "\(number)")
      _ = try Trial.run(in: scratch)
    }

    #expect(try scratch.sortedLines("manifest.spoold").count <= 7)
    #expect(try Trial.run(in: scratch).unchanged == 6)
  }

  @Test("is as long as it was if the files are of another spool by the same names")
  func anotherSpool() throws {
    let scratch = try Self.taken()
    try Shell.run(
      "cd \"$1\"; mv spool first; cp -pr first spool; printf X >spool/a; touch -r first/a spool/a",
      [scratch.path])

    #expect(try Trial.run(in: scratch).read.files == 5)

    #expect(try scratch.sortedLines("manifest") == scratch.expectedLines())
  }
}
