import TaskDispatch
import Testing

@testable import TaskDispatchTesting

@Suite("Exploring a scenario")
struct FailingRunTests {
  private typealias Broken = FoundBugsTests.Broken

  private func failure(
    _ scenario: (RecordingDispatcher) throws -> Int,
    configuration: RecordingDispatcher.Configuration = .init(),
    sourceLocation: SourceLocation = #_sourceLocation
  ) -> ScheduleFailure? {
    #expect(throws: ScheduleFailure.self, sourceLocation: sourceLocation) {
      _ = try explore(configuration: configuration, scenario)
    }
  }

  // MARK: Scenarios that fail

  @Test("finds a task that would wait for itself, although its body catches that")
  func syncDeadlock() throws {
    let failure = failure { dispatcher in
      let one = dispatcher.makeQueue(label: "one", width: 1)
      one.async(label: "outer") { try? one.sync {} }
      try dispatcher.runUntilIdle()
      return 0
    }
    #expect(failure?.facts.isEmpty == true)
    #expect(failure?.reason.contains("deadlock") == true)
    #expect(
      failure?.reason.contains(") on one waits for its turn on one") == true,
      "\(failure?.reason ?? "")")
  }

  @Test("finds two queues that wait for each other, in the order in which they do")
  func crossedSync() throws {
    let failure = failure { dispatcher in
      let one = dispatcher.makeQueue(label: "one", width: 1)
      let two = dispatcher.makeQueue(label: "two", width: 1)
      one.async(label: "first") { try? two.sync { try? one.sync {} } }
      try dispatcher.runUntilIdle()
      return 0
    }
    #expect(failure?.reason.contains("deadlock") == true, "\(failure?.reason ?? "")")
  }

  @Test("finds a task that waits for its own end")
  func waitDeadlock() throws {
    let failure = failure { dispatcher in
      let own = Slot<TaskHandle<Void>>()
      own.value = dispatcher.background.submit(label: "own") { _ = try? own.value?.wait() }
      try dispatcher.runUntilIdle()
      return 0
    }
    #expect(failure?.reason.contains("own") == true, "\(failure?.reason ?? "")")
  }

  @Test("finds a group with tasks of its own that the scenario enters and never leaves")
  func groupNeverLeft() throws {
    let failure = failure { dispatcher in
      let group = WorkGroup()
      // The group learns of its dispatcher from its members. A group without members blocks the thread itself.
      dispatcher.background.async(group: group) {}
      group.enter()
      dispatcher.background.async(label: "waits") { try? group.wait() }
      try dispatcher.runUntilIdle()
      return 0
    }
    #expect(failure?.reason.contains("group") == true, "\(failure?.reason ?? "")")
  }

  @Test("finds a group without tasks that the scenario enters by hand and never leaves")
  func enteredByHand() throws {
    let failure = failure(
      { dispatcher in
        let group = WorkGroup()
        group.enter()
        dispatcher.background.async(label: "waits") { try? group.wait() }
        try dispatcher.runUntilIdle()
        return 0
      })
    #expect(failure?.reason.contains("the group has 1 left in it") == true, "\(failure as Any)")
  }

  @Test("finds that there is no end, in some order only too")
  func livelock() throws {
    let failure = failure(
      { dispatcher in
        let isStopped = Slot<Bool>()
        dispatcher.background.async(label: "stop") { isStopped.value = true }
        dispatcher.background.async(label: "begin") {
          if isStopped.value == nil { for _ in 0..<2 { forever() } }
        }
        @Sendable func forever() { dispatcher.foreground.async(label: "again") { forever() } }
        try dispatcher.runUntilIdle()
        return 0
      }, configuration: .init(stepLimit: 60))
    #expect(failure?.reason.contains("gave up after 60 steps") == true)
    #expect(failure?.facts.map(\.description) == [#""stop" waits for "begin""#])
  }

  @Test("finds a task that throws, in the order in which it does")
  func throwingTask() throws {
    let scenario: (RecordingDispatcher) throws -> Int = { dispatcher in
      let isReady = Slot<Bool>()
      dispatcher.background.async(label: "prepare") { isReady.value = true }
      _ = dispatcher.background.submit(label: "use") {
        if isReady.value == nil { throw Broken("used before it was ready") }
      }
      try dispatcher.runUntilIdle()
      return 0
    }
    let failure = failure(scenario)
    #expect(failure?.reason.contains("used before it was ready") == true)
    #expect(failure?.facts.map(\.description) == [#""prepare" waits for "use""#])
    #expect(failure?.token == "facts1:prepare~use")
    #expect(failure?.schedulesRun == 2)
    // With `.atOnce` the run stops at the error, so other tasks are left over: another failure of the same
    // order.
    let atOnce = self.failure(scenario, configuration: .init(thrownErrors: .atOnce))
    #expect(atOnce?.token == "facts1:prepare~use")
  }

  @Test("finds what is left over, in the order in which it is")
  func leftovers() throws {
    let failure = failure { dispatcher in
      let isOpen = Slot<Bool>()
      let queue = dispatcher.makeQueue(label: "queue", width: 1)
      queue.suspend()
      dispatcher.background.async(label: "open") { isOpen.value = true }
      dispatcher.background.async(label: "look") { if isOpen.value == true { queue.resume() } }
      queue.async(label: "held") {}
      try dispatcher.runUntilIdle()
      return 0
    }
    #expect(failure?.reason.contains("held") == true)
    #expect(failure?.facts.map(\.description) == [#""open" waits for "look""#])
  }

  @Test("leaves each run to itself: what is left of it changes no other")
  func runsApart() throws {
    let all = Slot<[RecordingDispatcher]>()
    all.value = []
    _ = try explore(.exhaustive, failures: .collected) { dispatcher in
      all.value?.append(dispatcher)
      for name in ["a", "b"] { dispatcher.background.async(label: name) {} }
      try dispatcher.runUntilIdle()
      return 0
    }
    let dispatchers = try #require(all.value)
    #expect(dispatchers.count > 1)
    for dispatcher in dispatchers { #expect(dispatcher.withState { $0.decisions } == nil) }
  }

  @Test("goes on after failures that are collected, and keeps one of each kind")
  func collected() throws {
    let result = try explore(.exhaustive, failures: .collected) { dispatcher -> String in
      let log = Log()
      for name in ["a", "b", "c"] { dispatcher.background.async(label: name) { log.note(name) } }
      try dispatcher.runUntilIdle()
      if log.all[0] != "a" { throw Broken("\(log.all[0]) is first") }
      return log.all.joined()
    }
    #expect(result.outcomes == ["abc", "acb"])
    #expect(result.failures.count == 2)
    #expect(result.schedulesRun == 6)
    #expect(result.isExhausted)
    for failure in result.failures { #expect(failure.facts.count <= 2) }
  }

  @Test("says that it was not all if a failure ended it")
  func reports() throws {
    let failure = try #require(
      failure { dispatcher in
        let log = Log()
        for name in ["a", "b"] { dispatcher.background.async(label: name) { log.note(name) } }
        try dispatcher.runUntilIdle()
        if log.all == ["b", "a"] { throw Broken("b was first") }
        return 0
      })
    let text = "\(failure)"
    for part in [
      "one of 2 schedules fails: b was first", #"- "a" waits for "b""#, "What happened:",
      #"replaying: "facts1:a~b""#, "TASKDISPATCH_REPLAY='facts1:a~b'",
    ] {
      #expect(text.contains(part), "\(text)")
    }
    #expect(failure.witness.timeline.split(separator: "\n").count <= 34)
  }

  @Test("says what was expected of its outcomes, and what came instead")
  func expectations() throws {
    let result = try explore { dispatcher -> String in
      let log = Log()
      for name in ["a", "b"] { dispatcher.background.async(label: name) { log.note(name) } }
      try dispatcher.runUntilIdle()
      return log.all.joined()
    }
    try result.requireOutcomes(["ab", "ba"])
    try result.requireNone { $0 == "aa" }
    let same = #expect(throws: UnexpectedOutcomes.self) { try result.requireAlwaysSame() }
    #expect(same?.description.contains("expected one outcome") == true)
    let missing = #expect(throws: UnexpectedOutcomes.self) {
      try result.requireOutcomes(["ab", "ba", "x"])
    }
    #expect(missing?.description.contains("never saw x") == true)
    let more = #expect(throws: UnexpectedOutcomes.self) { try result.requireOutcomes(["ab"]) }
    #expect(more?.description.contains(#""a" waits for "b""#) == true)
    #expect(throws: UnexpectedOutcomes.self) { try result.requireNone { $0 == "ba" } }
  }

  // MARK: Scenarios that differ from run to run

  private func hidden(
    _ strategy: ExplorationStrategy = .exhaustive,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ scenario: (RecordingDispatcher) throws -> Int
  ) -> String? {
    let error = #expect(throws: ExplorationError.self, sourceLocation: sourceLocation) {
      _ = try explore(strategy, scenario)
    }
    guard case .hiddenNondeterminism(let difference) = error else {
      Issue.record("\(error as Any)", sourceLocation: sourceLocation)
      return nil
    }
    return difference
  }

  @Test("refuses one that counts its runs, and says what differs")
  func counting() {
    let counter = Locked(0)
    let difference = hidden { _ in
      counter.withLock { count in
        count += 1
        return count
      }
    }
    // If a test process was killed here, one more run comes before the two that are compared.
    let runs = (difference ?? "").matches(of: /the outcome (\d+)/).compactMap { Int($0.1) }
    #expect(runs.count == 2 && runs[1] == runs[0] + 1, "\(difference as Any)")
  }

  /// The text of a set differs from run to run, and the set does not.
  @Test("takes outcomes for the same that are equal, whatever their texts say")
  func equalOutcomes() throws {
    let words = Set((0..<20).map { "\($0)" })
    var texts: Set<String> = []

    let result = try explore { dispatcher -> Set<String> in
      // Another capacity gives another order of the elements.
      var copy = Set<String>(minimumCapacity: 1 << (5 + texts.count % 8))
      copy.formUnion(words)
      texts.insert("\(copy)")
      dispatcher.background {}
      try dispatcher.runUntilIdle()
      return copy
    }

    #expect(result.outcomes == [words])
    #expect(texts.count > 1)
  }

  @Test("refuses one that throws dice, and names the first event that differs")
  func dice() {
    let flips = Locked(false)
    let difference = hidden { dispatcher in
      let isOdd = flips.withLock { flips in
        flips.toggle()
        return flips
      }
      dispatcher.background.async(label: "same") {}
      dispatcher.background.async(label: isOdd ? "odd" : "even") {}
      try dispatcher.runUntilIdle()
      return 0
    }
    #expect(difference?.contains(#""odd""#) == true && difference?.contains(#""even""#) == true)
    #expect(difference?.contains("event 2") == true, "\(difference ?? "")")
  }

  @Test(
    "refuses one that has another number of choices when the same were made",
    arguments: [ExplorationStrategy.exhaustive, .bounded(deviations: 2)])
  func otherChoices(strategy: ExplorationStrategy) {
    let runs = Locked(0)
    let difference = hidden(strategy) { dispatcher in
      let count = runs.withLock { runs in
        runs += 1
        return runs
      }
      // The number is the same for the runs that are compared, and for the first run of the search.
      for _ in 0..<(count > 3 ? 2 : 3) { dispatcher.background {} }
      try dispatcher.runUntilIdle()
      return 0
    }
    #expect(difference?.contains("between 2, and between 3") == true, "\(difference ?? "")")
  }

  /// Only the outcome differs, and only after an order has been found: replaying that order does not show it
  /// again.
  @Test("refuses one whose outcome does not come again in the same order")
  func otherOutcome() {
    let runs = Locked(0)
    let difference = hidden { dispatcher in
      let count = runs.withLock { runs in
        runs += 1
        return runs
      }
      for _ in 0..<2 { dispatcher.background {} }
      try dispatcher.runUntilIdle()
      return count == 4 ? 1 : 0
    }
    #expect(difference != nil)
  }
}
