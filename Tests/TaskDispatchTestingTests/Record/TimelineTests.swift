import TaskDispatch
import TaskDispatchTesting
import Testing

@Suite("The timeline")
struct TimelineTests {
  @Test("has a column for each queue, and a line for each event, the newest last")
  func columns() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.foreground.async(label: "type") { dispatcher.background.async(label: "fetch") {} }

    try dispatcher.runUntilIdle()

    #expect(
      dispatcher.timeline() == """
        time  foreground   background
        0 s   + #1 "type"
        0 s   ▶ #1 "type"
        0 s                + #2 "fetch"
        0 s   ✓ #1 "type"
        0 s                ▶ #2 "fetch"
        0 s                ✓ #2 "fetch"
        """)
    try dispatcher.finish()
  }

  @Test("gives a view a column of its own, and as many decimals to a time as it needs")
  func viewsAndTimes() throws {
    let dispatcher = RecordingDispatcher()
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    disk.after(.milliseconds(1250), label: "read") {}
    dispatcher.foreground.after(.nanoseconds(1), label: "soon") {}

    try dispatcher.advanceTime(by: .seconds(2))

    #expect(
      dispatcher.timeline() == """
        time           foreground     background  disk
        0 s                                       + #1 "read"
        0 s            + #2 "soon"
        0.000000001 s  due #2 "soon"
        0.000000001 s  ▶ #2 "soon"
        0.000000001 s  ✓ #2 "soon"
        1.25 s                                    due #1 "read"
        1.25 s                                    ▶ #1 "read"
        1.25 s                                    ✓ #1 "read"
        """)
    try dispatcher.finish()
  }

  @Test("names a task without a label by its file and line")
  func sites() throws {
    let dispatcher = RecordingDispatcher()
    let line = #line + 1
    dispatcher.foreground {}

    try dispatcher.runUntilIdle()

    #expect(dispatcher.timeline().contains("✓ #1 TimelineTests.swift:\(line)"))
    try dispatcher.finish()
  }

  @Test("marks how tasks end, and that a running one was asked to stop")
  func marks() throws {
    struct Torn: Error {}
    let dispatcher = RecordingDispatcher(
      .init(thrownErrors: .ignore, overflow: .reject(limit: 5)))
    let handle = Slot<TaskHandle<Void>>()
    dispatcher.background.submit(label: "f") { throw Torn() }
    dispatcher.background.submit(label: "c") {}.cancel()
    dispatcher.background.async(label: "e", timeToLive: .zero) {}
    handle.value = dispatcher.background.submit(label: "s") { handle.value?.cancel() }
    dispatcher.background {}
    dispatcher.background {}
    dispatcher.background.async(label: "r") {}
    try dispatcher.skipTime(by: .seconds(1))
    try dispatcher.runUntilIdle()

    let timeline = dispatcher.timeline()

    for mark in [
      "✗ #1 \"f\": Torn()", "cancelled #2 \"c\"", "expired #3 \"e\"", "asked to stop #4 \"s\"",
      "refused #7 \"r\"",
    ] {
      #expect(timeline.contains(mark), "\(mark)")
    }
    try dispatcher.finish()
  }

  @Test("can be held to its newest events, and says what it leaves out", arguments: [0, 1, 2, 9])
  func limit(limit: Int) throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.foreground.async(label: "a") {}
    try dispatcher.runUntilIdle()

    let lines = dispatcher.timeline(limit: limit).split(separator: "\n")

    if limit >= 3 {
      #expect(lines.count == 4)
    } else {
      #expect(lines.count == limit + 2)
      #expect(lines.first == "(\(3 - limit) earlier events are not shown)")
    }
    if limit > 0 { #expect(lines.last?.hasSuffix("✓ #1 \"a\"") == true) }
    try dispatcher.finish()
  }

  @Test("of nothing is its heading")
  func empty() throws {
    let dispatcher = RecordingDispatcher()

    #expect(dispatcher.timeline() == "time  foreground  background")
    #expect(dispatcher.timeline(limit: -1) == "time  foreground  background")
    try dispatcher.finish()
  }

  @Test(
    "of a schedule shows what its facts are about, and how it ended, and says what it leaves out")
  func aboutFacts() throws {
    let failure = try #require(throws: ScheduleFailure.self) {
      try explore(configuration: .init(width: 2)) { dispatcher in
        let log = Log()
        for name in ["a", "b"] { dispatcher.background.async(label: name) { log.note(name) } }
        for _ in 0..<40 { dispatcher.foreground.async(label: "filler") {} }
        try dispatcher.runUntilIdle()
        if log.all == ["b", "a"] { throw FoundBugsTests.Broken("b was first") }
        return 0
      }
    }

    let lines = failure.witness.timeline.split(separator: "\n").map(String.init)
    #expect(failure.facts.count == 1)
    // Both have started when the second one ends: it could not have gone first in another way.
    let ended = lines.filter { $0.contains("✓") && !$0.contains("filler") }
    #expect(ended.count == 2)
    #expect(ended.first?.hasSuffix("\"b\"") == true && ended.last?.hasSuffix("\"a\"") == true)
    let left = lines.filter { $0.hasSuffix("events are not shown)") }
    #expect(left.count >= 2)
    #expect(lines.last?.contains("✓") == true)
    // The header, 30 events, and the gaps.
    #expect(lines.count == 31 + left.count)
  }

  @Test("of a schedule calls the jobs of Swift Tasks what its facts call them")
  func jobs() throws {
    let result = try explore { dispatcher async throws -> Int in
      try await dispatcher.background.run {}
      return 0
    }

    let timeline = try #require(result.outcomes.witness(of: 0)).timeline
    #expect(timeline.contains("\"Task\""))
    #expect(timeline.contains("\"Task\" resumed (1)"))
  }
}
