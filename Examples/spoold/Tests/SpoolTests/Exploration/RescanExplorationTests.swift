import Synchronization
import TaskDispatch
import TaskDispatchTesting
import Testing

@testable import Spool

@Suite("Explored: SIGHUP")
struct RescanExplorationTests {
  @Test("while files are hashed: what no notice has told of is found, and one more scan is made")
  func comesWhileHashing() throws {
    let scratch = Scratch()
    let result = try explore { dispatcher -> [Int] in
      try scratch.begin(with: ["spool/a": "a", "spool/b": "b", "spool/d/c": "c"])
      let patrol = try Patrol(in: scratch, on: dispatcher, hears: false) {
        dispatcher.otherProgram("somebody") {
          try scratch.append("spool/a", " more")
          try scratch.remove("spool/b")
          try scratch.write("spool/d/new", "new")
          // SIGHUP tells of the change, and no notice.
          try dispatcher.raise(.hangup)
        }
      }
      try patrol.advance(by: .seconds(20), hearing: false)

      if patrol.hasGivenUpReload {
        try patrol.end()
        return []
      }
      try scratch.requireTruth()
      let (scans, events) = patrol.state { ($0.counts.scans, $0.counts.events) }
      try hold(patrol.said == [], "it says \(patrol.said)")
      try hold(patrol.reloads == 1, "it logs \(patrol.logged)")
      try patrol.requireQuietEnd(in: scratch)
      return [scans, events]
    }
    // One scan was under way, and one was requested during it.
    try result.requireOutcomes([[2, 0], []])
    #expect(result.ordersSeen >= 590)
  }

  @Test(
    "twice, at any two moments: never less than a whole scan after each, never more than needed")
  func comesTwice() throws {
    let scratch = Scratch()
    let result = try explore { dispatcher in
      try scratch.begin(with: ["spool/a": "a", "spool/b": "b"])
      let patrol = try Patrol(in: scratch, on: dispatcher, hears: false) {
        dispatcher.otherProgram("one") {
          try scratch.write("spool/c", "c")
          try dispatcher.raise(.hangup)
          dispatcher.otherProgram("another") {
            try scratch.remove("spool/a")
            try dispatcher.raise(.hangup)
          }
        }
      }
      try patrol.advance(by: .seconds(20), hearing: false)

      if patrol.hasGivenUpReload {
        try patrol.end()
        return 0
      }
      try scratch.requireTruth()
      let scans = patrol.state { $0.counts.scans }
      try patrol.requireQuietEnd(in: scratch)
      return scans
    }
    try result.requireOutcomes([2, 3, 0])
    #expect(result.ordersSeen >= 950)
  }

  /// Raises SIGHUP and SIGTERM, each at any moment from the beginning on.
  private static func endWhileReloading(
    _ scratch: Scratch, _ dispatcher: RecordingDispatcher
  ) throws -> Int {
    try scratch.begin(with: ["spool/a": "a", "spool/b": "b"])
    let patrol = try Patrol(in: scratch, on: dispatcher) {
      dispatcher.otherProgram("hangs up") { try dispatcher.raise(.hangup) }
      dispatcher.otherProgram("terminates") { try dispatcher.raise(.terminate) }
    }
    let remains = try patrol.awaitEnd()

    try patrol.requireTruthfulEnd(remains, in: scratch)
    try hold(patrol.told.last?.hasPrefix("ending") == true, "it tells \(patrol.told)")
    return patrol.reloads
  }

  @Test("and SIGTERM: what was being reloaded begins nothing new, and that it ends is told last")
  func endsWhileReloading() throws {
    let scratch = Scratch()
    let result = try explore { try Self.endWhileReloading(scratch, $0) }
    // The signals may change places: a daemon that ends does not reload.
    try result.requireOutcomes([0, 1])
    #expect(result.ordersSeen >= 300)
  }

  /// Orders that the exploration found before the faults were fixed.
  @Test(
    "and SIGTERM, as it once went wrong",
    arguments: [
      // Told "ready" after "stopping": SIGTERM before the daemon had begun, and SIGHUP before it or
      // after it.
      "facts1:start~hangs%20up",
      "facts1:start~terminates;hangs%20up~terminates",
      // Told "ready" after "stopping", and went through the spool once more: SIGTERM while the
      // configuration was read.
      "facts1:hangs%20up/SIGHUP~start/watch%20/watch%20/list%20/list%20",
      // Said that the spool was not gone through: the configuration was there when all was done.
      """
      facts1:hangs%20up/SIGHUP~\
      start/watch%20/watch%20/list%20/list%20/read%20a/read%20a/save/save
      """,
      // Told "keeping the manifest" after "stopping": the first scan was not through.
      "facts1:hangs%20up~terminates",
    ])
  func onceWentWrong(token: String) throws {
    let scratch = Scratch()
    _ = try explore(replaying: token) { try Self.endWhileReloading(scratch, $0) }
  }
}
