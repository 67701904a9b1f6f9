import TaskDispatch
import TaskDispatchTesting
import Testing

@testable import Spool

@Suite("The end of the daemon")
struct EndTests {
  @Test(
    "by a signal comes when what was begun is done, settled or not",
    arguments: [
      Signal.terminate, .interrupt,
    ])
  func drains(signal: Signal) throws {
    let scratch = Scratch()
    let patrol = try Patrol(in: scratch)
    try scratch.write("spool/a", "heard of")
    try patrol.fake.runWithDescriptors()
    try scratch.write("spool/b", "not heard of yet")

    try patrol.fake.raise(signal)
    try patrol.fake.runUntilIdle()

    #expect(patrol.fake.now == .start)
    #expect(patrol.fake.report?.unfinished == [])
    #expect(
      patrol.told == [
        "keeping the manifest", "ending: 2 files are still to be read",
      ])
    #expect(patrol.finish().isEmpty)
    #expect(try scratch.sortedLines("manifest") == scratch.expectedLines())
    #expect(patrol.said == [])
    try patrol.fake.finish()
  }

  @Test("waits for files that have changed just now, and for nothing that comes then")
  func hearsNothingNew() throws {
    let scratch = Scratch()
    let patrol = try Patrol(in: scratch)
    try scratch.write("spool/a", "a")
    try patrol.beginEnd()  // hears of a, and of nothing more
    try scratch.write("spool/b", "b")
    try patrol.fake.runWithDescriptors()

    #expect(patrol.fake.report != nil)
    #expect(patrol.finish().isEmpty)
    #expect(try scratch.sortedLines("manifest").map { $0.suffix(3) } == ["  a"])
    try patrol.fake.finish()
  }

  @Test("comes when there is no time left, and says what is")
  func saysWhatIsLeft() throws {
    let scratch = Scratch()
    for name in ["a", "b", "c"] as [BytePath] { try scratch.write("spool/\(name)", "\(name)") }
    let patrol = try Patrol(in: scratch) { $0.drain = .seconds(7) }
    try scratch.write("spool/a", "changed")
    try scratch.remove("spool/b")
    try patrol.beginEnd()
    try patrol.fake.runTask(labeled: "read a")

    // The other file is not read in time, nor in the second of the shutdown: all workers are busy.
    try patrol.fake.advanceTime(by: .seconds(7) - .nanoseconds(1), driving: .loop)
    #expect(!patrol.hadNoTime)
    try patrol.fake.advanceTime(by: .nanoseconds(1), driving: .loop)
    #expect(patrol.hadNoTime)
    #expect(patrol.fake.report == nil)
    try patrol.fake.advanceTime(by: .seconds(1), driving: .loop)

    #expect(patrol.fake.report != nil)
    let remains = patrol.finish()
    #expect(remains.unread.count == 1)
    #expect(remains.unread.some == ["b"])
    #expect(
      remains.messages.map { String(decoding: $0, as: UTF8.self) }
        == ["left behind: 1 files not read: b"])
    // What was done is there, and what was not done is as it was.
    let lines = try scratch.sortedLines("manifest")
    #expect(lines.map { $0.suffix(3) }.sorted() == ["  a", "  b", "  c"])
    #expect(try Set(scratch.expectedLines()).isSubset(of: lines))
    try patrol.fake.finish()
  }

  @Test("has the time that the configuration gives when it comes, not when it began")
  func drainIsReloaded() throws {
    let scratch = Scratch()
    var configuration = try Patrol.configuration(in: scratch)
    configuration.drain = .seconds(20)
    try scratch.write("spool/a", "a")
    let patrol = try Patrol(
      in: scratch, change: { $0.drain = .seconds(7) },
      read: { [configuration] () throws(ConfigurationErrors) in configuration })
    try patrol.fake.raise(.hangup)
    try patrol.fake.runUntilIdle()
    try scratch.write("spool/a", "changed")
    try patrol.beginEnd()

    try patrol.fake.advanceTime(by: .seconds(20) - .nanoseconds(1), driving: .loop)
    #expect(!patrol.hadNoTime)
    #expect(patrol.fake.report == nil)
    try patrol.fake.advanceTime(by: .nanoseconds(1), driving: .loop)
    #expect(patrol.hadNoTime)
    try patrol.fake.advanceTime(by: .seconds(1), driving: .loop)
    #expect(patrol.finish().unread.some == ["a"])
    try patrol.fake.finish()
  }

  @Test("is not hastened by a signal that comes within a second: it is the same request")
  func passedOnTwice() throws {
    let scratch = Scratch()
    let patrol = try Patrol(in: scratch)
    try scratch.write("spool/a", "a")
    try patrol.beginEnd()
    try patrol.fake.skipTime(by: .milliseconds(999))
    try patrol.fake.raise(.interrupt)
    try patrol.fake.runUntilIdle()

    #expect(patrol.fake.report?.unfinished == [])
    #expect(patrol.finish().isEmpty)
    #expect(try scratch.sortedLines("manifest") == scratch.expectedLines())
    try patrol.fake.finish()
  }

  @Test("comes at once on a second signal, and leaves the manifest as it is")
  func endsAtOnce() throws {
    let scratch = Scratch()
    for name in ["a", "b"] as [BytePath] { try scratch.write("spool/\(name)", "\(name)") }
    let patrol = try Patrol(in: scratch)
    let before = try scratch.read("manifest")
    try scratch.write("spool/a", "changed")
    try scratch.remove("spool/b")
    try patrol.beginEnd()
    try patrol.fake.runTask(labeled: "read a")
    try patrol.fake.runNextForegroundTask()
    #expect(patrol.fake.report == nil)

    try patrol.fake.skipTime(by: .seconds(1))
    try patrol.fake.raise(.interrupt)
    while patrol.fake.report == nil { try patrol.fake.runNextForegroundTask() }

    #expect(patrol.fake.now == .start.advanced(by: .seconds(1)))
    let remains = patrol.finish()
    #expect(remains.unread.count == 1)
    #expect(remains.unsaved == 1)
    #expect(try scratch.read("manifest") == before)
    try patrol.fake.finish()
  }

  @Test(
    "comes by itself when the spool is not there any more, and says so",
    arguments: [
      ("rmdir spool", Stop.spoolGone), ("mv spool other", .spoolGone),
      ("rmdir spool; mkdir spool", .spoolReplaced),
    ])
  func spoolIsGone(script: String, stop: Stop) throws {
    let scratch = Scratch()
    let patrol = try Patrol(in: scratch)
    try Shell.run("cd \"$1\"; \(script)", [scratch.path])
    try patrol.fake.runWithDescriptors()

    #expect(patrol.fake.report != nil)
    #expect(patrol.fake.now == .start)
    #expect(patrol.finish().stop == stop)
    try patrol.fake.finish()
  }

  @Test("removes the status socket")
  func removesSocket() throws {
    let scratch = Scratch()
    let path = scratch["socket"]
    do {
      let patrol = try Patrol(in: scratch) { $0.status = path }
      #expect(scratch.exists("socket"))
      try patrol.end()
    }
    #expect(!scratch.exists("socket"))
  }

  @Test("lets go of everything")
  func letsGo() throws {
    let scratch = Scratch()
    weak var leftover: Daemon?
    do {
      let path = scratch["socket"]
      let patrol = try Patrol(in: scratch) { $0.status = path }
      leftover = patrol.daemon
      try patrol.end()
    }
    #expect(leftover == nil)
  }
}
