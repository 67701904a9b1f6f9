import Glibc
import TaskDispatchTesting
import Testing

@testable import Spool

@Suite("Two runs on one manifest")
struct LockTests {
  @Test("are refused while the first holds it, also after that has replaced the file")
  func secondIsRefused() throws {
    let scratch = Scratch()
    try scratch.write("spool/a", "a")
    try Trial.run(in: scratch)
    try scratch.write("spool/a", "changed")
    try scratch.write("spool/b", "b")
    var first = try Manifest(scratch["manifest"])

    #expect(throws: Stop.inUse(scratch["manifest"])) { try Trial(in: scratch) }
    _ = try first.commit(unread: [])
    #expect(throws: Stop.inUse(scratch["manifest"])) { try Trial(in: scratch) }

    _ = consume first
    #expect(try Trial.run(in: scratch).read.files == 2)
    #expect(try scratch.sortedLines("manifest") == scratch.expectedLines())
  }

  @Test("come one after the other, even if a child has the first one's file open still")
  func lockEndsWithItsOwner() throws {
    let scratch = Scratch()
    try scratch.write("manifest", "")
    var first = try Descriptor(opening: scratch["manifest"], O_RDWR)
    #expect(try first.lock())
    var second = try Descriptor(opening: scratch["manifest"], O_RDWR)
    #expect(try !second.lock())
    // A child process has such a copy between its fork and its new program.
    let copy = Descriptor(owning: dup(first.number))

    _ = consume first

    #expect(try second.lock())
    _ = consume copy
  }

  @Test(
    "are told apart from a program that removes or replaces the file during the run",
    arguments: ["rm \"$1\"", "cp \"$1\" \"$1.copy\"; mv \"$1.copy\" \"$1\""])
  func replacedDuringRun(act: String) throws {
    let scratch = Scratch()
    try scratch.write("spool/a", "a")
    let trial = try Trial(in: scratch)
    try trial.fake.runUntilIdle()
    try Shell.run(act, [scratch["manifest"]])

    #expect(throws: Stop.replaced(scratch["manifest"])) { try trial.intake.finish() }
  }
}
