import Synchronization
import TaskDispatch
import TaskDispatchTesting
import Testing

@testable import Spool

@Suite("Explored: SIGTERM")
struct EndExplorationTests {
  /// The second strategy finds what takes more than two unusual choices, such as a body that has its
  /// slot when the drain is over.
  private static let strategy = ExplorationStrategy.portfolio([
    .bounded(deviations: 2), .prioritized(depth: 3, seed: 1, schedules: 400),
  ])

  /// A spool that has changed since its manifest was written: one file has grown, one has gone, one is
  /// new.
  private static func beginChanged(_ scratch: Scratch) throws -> (before: [String], after: [String])
  {
    try scratch.begin(with: ["spool/a": "a", "spool/b": "b"])
    try Trial.run(in: scratch)
    let before = try scratch.trueLines()
    try scratch.append("spool/a", " and more")
    try scratch.remove("spool/b")
    try scratch.write("spool/c", "new")
    return (before, try scratch.trueLines())
  }

  /// The name of what a run has left, for its outcome.
  private static func name(_ remains: Keeper.Remains) -> String {
    let parts = [
      remains.unread.count > 0 ? "unread" : nil, remains.isUnscanned ? "unscanned" : nil,
      remains.unsaved > 0 ? "unsaved" : nil,
    ]
    return parts.compactMap { $0 }.joined(separator: ", ")
  }

  /// Runs the daemon from its start to its end, with so many signals, each at any moment. A file may
  /// take longer to be read than the daemon waits.
  private static func end(
    _ scratch: Scratch, _ dispatcher: RecordingDispatcher, signals: Int
  ) throws -> String {
    let (before, after) = try beginChanged(scratch)
    let name = try endOnce(scratch, dispatcher, signals: signals)
    try requireEach(try scratch.sortedLines("manifest"), isOneOf: before + after)

    // The next start corrects whatever was left.
    let next = try Vigil(in: scratch)
    try next.settle()
    try scratch.requireTruth()
    try next.requireQuietEnd()
    return name
  }

  /// When this has returned, no object holds the manifest.
  private static func endOnce(
    _ scratch: Scratch, _ dispatcher: RecordingDispatcher, signals: Int
  ) throws -> String {
    let reads = Atomic(0)
    let onRead: @Sendable (BytePath, Int) -> Void = { path, _ in
      reads.add(1, ordering: .relaxed)
      guard path == "a" else { return }
      let times: [Duration] = [.zero, Patrol.drain, .seconds(60)]
      try! dispatcher.skipTime(by: dispatcher.choose(times, "how long the disk takes"))
    }
    let patrol = try Patrol(in: scratch, onRead: onRead, on: dispatcher) {
      for _ in 0..<signals {
        dispatcher.otherProgram("terminates") {
          // Two signals within a second would count as one. And the daemon may have ended by then.
          try dispatcher.skipTime(by: .seconds(1))
          try? dispatcher.raise(.terminate)
        }
      }
    }
    let remains = try patrol.awaitEnd()

    let readsAtReport = reads.load(ordering: .relaxed)
    try dispatcher.runUntilIdle()
    try hold(reads.load(ordering: .relaxed) == readsAtReport, "it reads after its report")
    try hold(
      patrol.told.last?.hasPrefix("ending") == true || patrol.hadNoTime, "it tells \(patrol.told)")
    if signals == 1 { try patrol.requireTruthfulEnd(remains, in: scratch) }
    try patrol.requireBalance()
    return name(remains)
  }

  private static func requireEach(_ lines: [String], isOneOf known: [String]) throws {
    let names = Set(lines.map { $0.dropFirst(66) })
    try hold(names.count == lines.count, "a file has two lines: \(lines.shown)")
    try hold(Set(lines).isSubset(of: known), "a line that never was true: \(lines.shown)")
  }

  @Test("at any moment, also in the middle of a hash that outlasts the drain and the grace")
  func atAnyMoment() throws {
    let scratch = Scratch()
    let result = try explore(Self.strategy) { try Self.end(scratch, $0, signals: 1) }
    // What had begun by then may be abandoned. In each case it was reported.
    for outcome in ["", "unread", "unscanned", "unsaved"] {
      #expect(result.outcomes.contains(outcome))
    }
    #expect(result.ordersSeen >= 320)
  }

  @Test("twice: the manifest has whole lines that were true once, and the next start does the rest")
  func twice() throws {
    let scratch = Scratch()
    let result = try explore(Self.strategy) { try Self.end(scratch, $0, signals: 2) }
    for outcome in ["", "unread", "unscanned", "unsaved"] {
      #expect(result.outcomes.contains(outcome))
    }
    #expect(result.ordersSeen >= 450)
  }

  @Test(
    "when the time is up: a read that has its worker stops, and is named with those that have not")
  func timeIsUp() throws {
    let scratch = Scratch()
    let result = try explore(.bounded(deviations: 3)) { dispatcher in
      try scratch.begin(with: ["spool/a": "a", "spool/b": "b"])
      let patrol = try Patrol(in: scratch, on: dispatcher) {
        try dispatcher.raise(.terminate)
      }
      let remains = try patrol.awaitEnd()
      try patrol.requireTruthfulEnd(remains, in: scratch)
      return remains.unread.count
    }
    try result.requireOutcomes([0, 1, 2])
    #expect(result.choices[.start] != nil)
  }

  @Test("while one file is hashed: every order there is")
  func oneFile() throws {
    let scratch = Scratch()
    let result = try explore(
      .exhaustive, configuration: .init(width: 2), budget: .init(schedules: 20_000)
    ) { dispatcher in
      try scratch.begin(with: ["spool/a": "a"])
      let vigil = try Vigil(in: scratch, on: dispatcher) { vigil in
        let keeper = vigil.keeper
        dispatcher.otherProgram("asks for the end") {
          dispatcher.foreground.async(label: "drain") { keeper.drain() }
        }
      }
      while dispatcher.report == nil { try dispatcher.advanceToNextDeadline() }
      let remains = vigil.keeper.finish()
      try scratch.requireTruth()
      try hold(remains.isEmpty, "it has left something: \(remains)")
      return remains.unread.count
    }
    try result.requireOutcomes([0])
    #expect(result.isExhausted)
  }
}
