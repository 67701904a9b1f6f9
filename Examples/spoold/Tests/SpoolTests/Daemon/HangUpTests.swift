import Synchronization
import TaskDispatch
import TaskDispatchTesting
import Testing

@testable import Spool

@Suite("The daemon, on SIGHUP")
struct HangUpTests {
  @Test("goes through all of the spool again, and says when it begins and is through")
  func rescans() throws {
    let scratch = Scratch()
    let patrol = try Patrol(in: scratch)
    try patrol.fake.raise(.hangup)
    try patrol.fake.runUntilIdle()

    #expect(patrol.state { $0.counts.scans } == 2)
    #expect(patrol.told == ["keeping the manifest", "keeping the manifest"])
    #expect(patrol.logged.filter { $0.contains("reload") } == ["info: has reloaded"])
    try patrol.end()
  }

  @Test("in a storm reads the configuration once more, and goes through the spool once more")
  func coalesces() throws {
    let scratch = Scratch()
    try scratch.write("spool/a", "a")
    let configuration = try Patrol.configuration(in: scratch)
    let reads = Atomic(0)
    let patrol = try Patrol(
      in: scratch,
      read: { () throws(ConfigurationErrors) in
        reads.add(1, ordering: .relaxed)
        return configuration
      })
    for _ in 1...100 {
      try patrol.fake.raise(.hangup)
      try patrol.fake.runNextForegroundTask()
    }
    try patrol.fake.runUntilIdle()

    #expect(reads.load(ordering: .relaxed) == 2)
    // One scan was under way, and one was requested during it.
    #expect(patrol.state { $0.counts.scans } == 3)
    #expect(patrol.reloads == 2)
    try patrol.end()
  }

  @Test("takes over what may change, and names what may not")
  func takesOver() throws {
    let scratch = Scratch()
    var configuration = try Patrol.configuration(in: scratch)
    configuration.keeper.settle = .seconds(3)
    configuration.keeper.settleAtMost = .seconds(9)
    configuration.spool = "elsewhere"
    configuration.status = "socket"
    let patrol = try Patrol(
      in: scratch,
      read: { [configuration] () throws(ConfigurationErrors) in
        configuration
      })
    try patrol.fake.raise(.hangup)
    try patrol.fake.runUntilIdle()

    #expect(
      patrol.said == [
        "spool cannot change while spoold runs: restart it to change that",
        "status cannot change while spoold runs: restart it to change that",
      ])
    let file = try scratch.open("spool/a")
    try patrol.fake.runWithDescriptors()
    try patrol.fake.advanceTime(by: .seconds(3) - .nanoseconds(1))
    #expect(patrol.state { $0.counts.read.files } == 0)
    try patrol.fake.advanceTime(by: .nanoseconds(1))
    #expect(patrol.state { $0.counts.read.files } == 1)
    _ = consume file
    try patrol.end()
  }

  @Test("goes on as before if the new configuration makes no sense, and says why")
  func staysAsItWas() throws {
    let scratch = Scratch()
    try scratch.write("conf", "settle = x\nfoo = 1\n")
    let path = scratch["conf"]
    let patrol = try Patrol(
      in: scratch,
      read: { () throws(ConfigurationErrors) in
        try Configuration(options: [:], file: path)
      })
    try patrol.fake.raise(.hangup)
    try patrol.fake.runUntilIdle()

    let lines = try #require(patrol.logged.last).split(separator: "\n")
    #expect(lines.count == 4)
    let first = "error: cannot reload: \(path), line 1: settle is \"x\"; expected"
    #expect(lines.first?.hasPrefix(first) == true, "\(lines)")
    #expect(patrol.said == [])
    #expect(patrol.state { $0.settings } == Keeper.Settings())
    #expect(patrol.state { $0.counts.scans } == 2)
    try patrol.end()
  }

  @Test("does not take over what comes after a minute: that reload was given up, and logged so")
  func comesTooLate() throws {
    let scratch = Scratch()
    let fake = RecordingDispatcher()
    var configuration = try Patrol.configuration(in: scratch)
    configuration.keeper.settle = .seconds(3)
    configuration.keeper.settleAtMost = .seconds(9)
    let patrol = try Patrol(
      in: scratch,
      read: { [configuration] () throws(ConfigurationErrors) in
        // The disk takes longer than the daemon waits.
        try! fake.skipTime(by: .seconds(61))
        return configuration
      }, on: fake)
    try fake.raise(.hangup)
    try fake.advanceTime(by: .seconds(1))

    #expect(patrol.hasGivenUpReload)
    #expect(patrol.reloads == 0)
    let (settings, scans) = patrol.state { ($0.settings, $0.counts.scans) }
    #expect(settings == Keeper.Settings())
    #expect(scans == 2)
    try patrol.end()
  }

  @Test("does nothing more once it ends")
  func isIgnoredAtTheEnd() throws {
    let scratch = Scratch()
    let patrol = try Patrol(in: scratch)
    try patrol.fake.raise(.terminate)
    try patrol.fake.raise(.hangup)
    try patrol.fake.runUntilIdle()

    #expect(patrol.reloads == 0)
    #expect(patrol.fake.report?.unfinished == [])
    #expect(patrol.finish().isEmpty)
    try patrol.fake.finish()
  }
}
