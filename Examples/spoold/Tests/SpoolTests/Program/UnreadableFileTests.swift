import Testing

@testable import Spool

@Suite("Files that may not be read")
struct UnreadableFileTests {
  /// Runs as a user that may not read everything: root may.
  private static let dropped = """
    cp "$0" program; chmod 777 .
    drop=; [ $(id -u) != 0 ] || drop='setpriv --reuid=65534 --regid=65534 --clear-groups'
    run() { $drop ./program --once --spool spool --manifest m; }
    """

  @Test("are named one by one and counted, after which all others are done")
  func areNamed() throws {
    let scratch = Scratch(runsPrograms: true)
    let run = try Program(
      """
      \(Self.dropped); mkdir -p spool/{dir,shut}; touch spool/{a,b,dir/c,shut/d} $'spool/x\\ny'
      chmod 0 spool/b spool/dir/c $'spool/x\\ny' spool/shut
      run; status=$?; chmod 755 spool/shut; exit $status
      """, in: scratch)

    #expect(run.status == 1)
    #expect(
      run.complaints.sorted() == [
        "spoold: b: Permission denied", "spoold: dir/c: Permission denied",
        "spoold: shut: cannot read this directory: Permission denied",
        "spoold: x\\ny: Permission denied",
      ])
    #expect(run.output.hasSuffix("; 0 unchanged, 0 gone, 4 failed\n"))
    #expect(try scratch.sortedLines("m").map { $0.suffix(3) } == ["  a"])
  }

  @Test("lose their lines, and get them back; those below a directory that is shut keep theirs")
  func losesLines() throws {
    let scratch = Scratch(runsPrograms: true)
    let run = try Program(
      """
      \(Self.dropped); mkdir -p spool/dir; touch spool/{a,b,dir/c}; run; cp m whole
      chmod 0 spool/{b,dir}; run; cp m part; chmod 755 spool/{b,dir}; run; exit $?
      """, in: scratch)

    #expect(run.status == 0)
    #expect(
      run.complaints.sorted() == [
        "spoold: b: Permission denied",
        "spoold: dir: cannot read this directory: Permission denied",
      ])
    let part = try scratch.sortedLines("part").map { $0.split(separator: " ")[1] }
    #expect(part == ["a", "dir/c"])
    #expect(try scratch.sortedLines("m") == scratch.sortedLines("whole"))
  }

  @Test("are each named where their directory may be read and not searched")
  func unsearchable() throws {
    let scratch = Scratch(runsPrograms: true)
    let run = try Program(
      """
      \(Self.dropped); mkdir -p spool/dir; touch spool/dir/{a,b}; chmod 644 spool/dir
      run; status=$?; chmod 755 spool/dir; exit $status
      """, in: scratch)

    #expect(run.status == 1)
    #expect(
      run.complaints.sorted() == [
        "spoold: dir/a: Permission denied", "spoold: dir/b: Permission denied",
      ])
  }

  @Test("are not read at all if the spool itself is one of them")
  func shutSpool() throws {
    let scratch = Scratch(runsPrograms: true)
    let run = try Program(
      """
      \(Self.dropped); mkdir spool; touch spool/a; chmod 0 spool
      run; status=$?; chmod 755 spool; exit $status
      """, in: scratch)

    #expect(run.status == 2)
    #expect(run.complaints == ["spoold: cannot read the spool spool: Permission denied"])
    #expect(!scratch.exists("m"))
  }
}
