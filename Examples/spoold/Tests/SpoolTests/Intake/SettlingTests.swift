import Glibc
import TaskDispatchTesting
import Testing

@testable import Spool

@Suite("A file that was written to just now")
struct SettlingTests {
  /// So long that no file of a test is ever old enough by the system's real-time clock.
  private static let long = Settling(fine: .seconds(3600), coarse: .seconds(7200))

  @Test("is read when it has been left alone for long enough, and not before")
  func isReadLater() throws {
    let scratch = Scratch()
    try scratch.write("spool/a", "a")
    let trial = try Trial(in: scratch, settling: Self.long)
    try trial.fake.runUntilIdle()

    try trial.fake.advanceTime(by: .seconds(3600) - .nanoseconds(1))
    #expect(try scratch.read("manifest") == [])

    try trial.fake.advanceTime(by: .nanoseconds(1))
    #expect(try scratch.sortedLines("manifest") == scratch.expectedLines())
    #expect(try trial.finish().failed == 0)
  }

  @Test("is told if it is written to again and again")
  func isToldInTheEnd() throws {
    let scratch = Scratch()
    try scratch.write("spool/a", "a")
    let trial = try Trial(in: scratch, settling: Self.long)

    for _ in 1...4 {
      try trial.fake.runUntilIdle()
      try scratch.append("spool/a", "and more")
      if trial.fake.nextDeadline != nil { try trial.fake.advanceToNextDeadline() }
    }

    #expect(try trial.finish().failed == 1)
    #expect(trial.told == [.changed("a")])
    #expect(try scratch.read("manifest") == [])
  }

  @Test("is old enough by the clock of the day, as its file system counts")
  func countsAsItsFileSystemDoes() {
    let settling = Settling(fine: .seconds(10), coarse: .seconds(3600))
    var now = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    func isOver(_ ago: Int, nanoseconds: Int64) -> Bool {
      let time = Stamp.Instant(seconds: Int64(now.tv_sec - ago), nanoseconds: nanoseconds)
      return settling.isOver(
        for: Stamp(device: 0, inode: 0, size: 0, modified: time, changed: time))
    }

    #expect(isOver(20, nanoseconds: 1))
    #expect(!isOver(5, nanoseconds: 1))
    #expect(!isOver(20, nanoseconds: 0))
    #expect(isOver(4000, nanoseconds: 0))
    #expect(!isOver(-1000, nanoseconds: 1))
  }
}
