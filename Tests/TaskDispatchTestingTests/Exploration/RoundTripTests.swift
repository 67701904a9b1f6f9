import TaskDispatch
import Testing

@testable import TaskDispatchTesting

@Suite("A token of a schedule, replayed,")
struct RoundTripTests {
  private func replay(
    _ token: String, of program: SmallProgram, width: Int
  ) throws -> Exploration<[String]> {
    try explore(configuration: .init(width: width), failures: .collected, replaying: token) {
      try program.run(on: $0)
    }
  }

  private func explored(_ program: SmallProgram) throws -> Exploration<[String]> {
    try explore(
      .random(seed: UInt64(program.seed), schedules: 6),
      configuration: .init(width: program.width), failures: .collected
    ) { try program.run(on: $0) }
  }

  /// The errors that bodies threw, without the numbers of the tasks. Those numbers differ between orders that
  /// fail in the same way.
  private func thrown(_ reason: String) -> Set<String> {
    Set(
      reason.split(separator: "\n").compactMap { $0.split(separator: ": ").last.map(String.init) })
  }

  @Test("comes to the same outcome, or to the same failure", arguments: 0..<40)
  func sameAgain(seed: Int) throws {
    let program = SmallProgram(seed: seed)
    let result = try explored(program)

    for outcome in result.outcomes {
      let witness = try #require(result.outcomes.witness(of: outcome))
      let again = try replay(witness.token, of: program, width: program.width)
      #expect(again.outcomes == [outcome], "seed \(seed), \(witness.token)")
      #expect(again.schedulesRun == 1)
    }
    for failure in result.failures {
      let again = try replay(failure.token, of: program, width: program.width)
      #expect(again.failures.count == 1 && again.outcomes.isEmpty, "\(failure)")
      #expect(thrown(again.failures[0].reason) == thrown(failure.reason), "\(failure)")
    }
  }

  /// Every kind of fact that a token can hold must occur in some of these programs.
  @Test("holds facts of every kind, in the programs that are tried")
  func covers() throws {
    var kinds: Set<String> = []
    for seed in 0..<25 {
      let result = try explored(SmallProgram(seed: seed))
      for outcome in result.outcomes {
        for fact in result.outcomes.witness(of: outcome)?.facts ?? [] {
          switch fact {
          case .waits(_, let other): kinds.insert("\(other)".contains("time of") ? "time" : "waits")
          case .started(_, let call):
            for word in ["cancel", "submission"] where "\(call)".contains(word) {
              kinds.insert(word)
            }
          case .chose: kinds.insert("value")
          }
        }
      }
      if !result.failures.isEmpty { kinds.insert("failure") }
    }

    #expect(kinds == ["waits", "time", "value", "cancel", "submission", "failure"])
  }

  /// On the background, the stranger is one that waits behind all other tasks. A stranger that goes before
  /// others there takes a worker from them, and may be older than the task that would have been next: that is
  /// another program.
  @Test(
    "comes to the same outcome with a stranger among the tasks",
    arguments: [SmallProgram.Stranger.front, .behind], [nil, PriorityBand.lowest])
  func strangers(stranger: SmallProgram.Stranger, priority: PriorityBand?) throws {
    let (missed, tried) = try withStranger(stranger, priority)

    #expect(missed.isEmpty, "\(missed)")
    #expect(tried > 200)
  }

  @Test(
    "nearly always does so with one that goes before others",
    arguments: [SmallProgram.Stranger.front, .behind])
  func strangersAhead(stranger: SmallProgram.Stranger) throws {
    let (missed, tried) = try withStranger(stranger, .medium)

    #expect(missed.count * 10 < tried, "\(missed)")
    #expect(tried > 200)
  }

  /// The outcomes of many programs, each with a token that brings it about.
  private static let explored = Result {
    try (0..<60).map { seed in
      let program = SmallProgram(seed: seed)
      let outcomes = try Self().explored(program).outcomes
      return (program, try outcomes.map { ($0, try #require(outcomes.witness(of: $0)).token) })
    }
  }

  /// Replays the tokens of those programs with the stranger among their tasks.
  private func withStranger(
    _ stranger: SmallProgram.Stranger, _ priority: PriorityBand?
  ) throws -> (missed: [String], tried: Int) {
    var missed: [String] = []
    var tried = 0
    for (program, tokens) in try Self.explored.get() {
      var program = program
      program.stranger = stranger
      program.priorityOfStranger = priority
      for (outcome, token) in tokens {
        let again = try? replay(token, of: program, width: program.width)
        tried += 1
        if again?.outcomes != [outcome] { missed.append("seed \(program.seed): \(token)") }
      }
    }
    return (missed, tried)
  }

  /// A call whose result depends on what has started, and what it must come to in every order.
  private struct Telling: Sendable {
    let name: String
    let token: String
    let expected: [String]
    var otherwise: [String] = []
    let scenario: @Sendable (RecordingDispatcher, Log) throws -> Void
  }

  private static let telling = [
    Telling(name: "expiry", token: "facts1:mortal@mortal+expiry", expected: ["mortal"]) {
      dispatcher, log in
      dispatcher.background.async(label: "mortal", timeToLive: .seconds(1)) { log.note("mortal") }
      try dispatcher.skipTime(by: .seconds(2))
    },
    Telling(
      name: "suspension", token: "facts1:held@suspend%20view", expected: ["held", "resumed"],
      otherwise: ["resumed", "held"]
    ) {
      dispatcher, log in
      let view = dispatcher.makeQueue(label: "view", width: 2)
      view.async(label: "held") { log.note("held") }
      view.suspend()
      try dispatcher.runUntilIdle()
      log.note("resumed")
      view.resume()
    },
    Telling(name: "shutdown", token: "facts1:skipped@shutdown", expected: ["skipped"]) {
      dispatcher, log in
      dispatcher.background.async(label: "skipped", atShutdown: .skip) { log.note("skipped") }
      dispatcher.beginShutdown()
    },
    Telling(
      name: "end of the drain", token: "facts1:late@end%20of%20the%20drain", expected: ["late"]
    ) { dispatcher, log in
      dispatcher.background.async(label: "late") { log.note("late") }
      dispatcher.beginShutdown(.init(drain: .zero, cancel: .seconds(1)))
    },
  ]

  /// Only the task that the call is about changes its result, and no other task changes the name of the call.
  @Test("is about the same moment, whatever other tasks there are", arguments: telling.indices)
  func strangerAtMoment(index: Int) throws {
    let telling = Self.telling[index]
    for hasStranger in [false, true] {
      for token in [telling.token, "facts1:"] {
        let result = try explore(configuration: .init(width: 2), replaying: token) {
          dispatcher -> [String] in
          let log = Log()
          let other = dispatcher.makeQueue(label: "other", width: 1)
          if hasStranger {
            dispatcher.background.async(label: "stranger", timeToLive: .seconds(1)) {}
            other.suspend()
            other.resume()
          }
          try telling.scenario(dispatcher, log)
          try dispatcher.runUntilIdle()
          return log.all
        }
        let expected = token == telling.token ? telling.expected : telling.otherwise
        #expect(
          result.outcomes == [expected], "\(telling.name), stranger: \(hasStranger), \(token)")
      }
    }
  }

  /// A choice is offered only among tasks that the moment depends on: the one task of its test, or all three at
  /// the end of a drain.
  @Test("need not be about what no moment can tell of", arguments: telling.indices)
  func nothingToTell(index: Int) throws {
    let result = try explore(.exhaustive, configuration: .init(width: 3, leftovers: .ignore)) {
      dispatcher in
      let before = dispatcher.makeQueue(label: "before", width: 2)
      for _ in 0..<2 { before.async(label: "before") {} }
      try Self.telling[index].scenario(dispatcher, Log())
      return 0
    }
    #expect(
      result.choices[.start]?.widest == (Self.telling[index].name == "end of the drain" ? 4 : 2))
  }

  /// A submission to a higher band is a call that depends on what has started, if something waits. A stranger
  /// must not change which call a fact is about. Three high tasks take every worker, so the low one can go
  /// first only if it had its slot when the second of them came.
  @Test("is about the same call, whatever tasks wait at calls before it", arguments: [false, true])
  func strangerAtCall(hasStranger: Bool) throws {
    let again = try explore(
      replaying: "facts1:low@high%202+submission;high%201~low"
    ) { dispatcher -> [String] in
      let log = Log()
      if hasStranger { dispatcher.background.async(label: "stranger") {} }
      for (name, priority) in [
        ("high 1", PriorityBand.high), ("low", .low), ("high 2", .high), ("high 3", .high),
      ] {
        dispatcher.background.async(priority: priority, label: name) { log.note(name) }
      }
      try dispatcher.runUntilIdle()
      return log.all
    }

    #expect(again.outcomes == [["low", "high 1", "high 2", "high 3"]])
  }

  @Test("lets go what waits for a time when that has come, and not only when all else is done")
  func timeIsOver() throws {
    let result = try explore(replaying: "facts1:a~t+time;b~t") { dispatcher -> [String] in
      let log = Log()
      dispatcher.foreground.after(.seconds(1), label: "t") { log.note("t") }
      for name in ["a", "b"] { dispatcher.background.async(label: name) { log.note(name) } }
      try dispatcher.runUntilIdle()
      return log.all
    }

    #expect(result.outcomes == [["t", "a", "b"]])
  }

  @Test("is the same as exact choices, as long as nothing else changes")
  func choices() throws {
    let scenario: (RecordingDispatcher) throws -> [String] = { dispatcher in
      let log = Log()
      for name in ["a", "b", "c"] { dispatcher.background.async(label: name) { log.note(name) } }
      try dispatcher.runUntilIdle()
      return log.all
    }

    let last = try explore(replaying: "choices1:2.1", scenario)
    #expect(last.outcomes == [["c", "b", "a"]])
    let preferred = try explore(replaying: "choices1:", scenario)
    #expect(preferred.outcomes == [["a", "b", "c"]])
    let error = #expect(throws: ExplorationError.self) {
      _ = try explore(replaying: "choices1:2.5", scenario)
    }
    guard case .diverged(_, let unknown, _) = error else {
      Issue.record("\(error as Any)")
      return
    }
    #expect("\(unknown)".contains("choice number 2"))
  }

  @Test("is one order: of the outcomes that are expected it need not come to all")
  func expectations() throws {
    let scenario: (RecordingDispatcher) throws -> [String] = { dispatcher in
      let log = Log()
      for name in ["a", "b"] { dispatcher.background.async(label: name) { log.note(name) } }
      try dispatcher.runUntilIdle()
      return log.all
    }

    let result = try explore(replaying: "facts1:a~b", scenario)

    try result.requireOutcomes([["a", "b"], ["b", "a"]])
    #expect(result.isReplay)
    #expect(throws: UnexpectedOutcomes.self) { try result.requireOutcomes([["a", "b"]]) }
  }

  @Test("means something where a time that it is about does not come any more")
  func timeThatDoesNotCome() throws {
    let scenario: (RecordingDispatcher) throws -> [String] = { dispatcher in
      let log = Log()
      let timer = dispatcher.foreground.after(.seconds(1), label: "timer") { log.note("timer") }
      dispatcher.background.async(label: "first") {
        log.note("first")
        timer.cancel()
      }
      try dispatcher.runUntilIdle()
      return log.all
    }

    let result = try explore(replaying: "facts1:first~timer+time+2", scenario)

    #expect(result.schedulesRun == 1)
    #expect(throws: ExplorationError.self) {
      _ = try explore(replaying: "facts1:first~watch+time", scenario)
    }
  }

  @Test("of a recorded order may know more tasks than the scenario, but must know one of it")
  func recorded() throws {
    let scenario: (RecordingDispatcher) throws -> [String] = { dispatcher in
      let log = Log()
      for name in ["a", "b"] { dispatcher.background.async(label: name) { log.note(name) } }
      try dispatcher.runUntilIdle()
      return log.all
    }

    #expect(try explore(replaying: "order1:x;b;y;a", scenario).outcomes == [["b", "a"]])
    let error = #expect(throws: ExplorationError.self) {
      _ = try explore(replaying: "order1:x;y", scenario)
    }
    #expect(error.map { "\($0)" }?.contains(#"there is no "x", no "y""#) == true, "\(error as Any)")
  }

  @Test("from the environment says where it is from, if it is none")
  func origin() throws {
    let error = ExplorationError.badToken("facts2:", "no").from("TASKDISPATCH_REPLAY")
    #expect("\(error)".contains("TASKDISPATCH_REPLAY=facts2:"))
  }

  @Test("says which names mean nothing any more, and which come close")
  func renamed() throws {
    func scenario(_ dispatcher: RecordingDispatcher, _ names: [String]) throws -> [String] {
      let log = Log()
      for (index, name) in names.enumerated() {
        dispatcher.background.async(label: name) { log.note("\(index)") }
      }
      try dispatcher.runUntilIdle()
      return log.all
    }
    let result = try explore(.exhaustive) { try scenario($0, ["fetch", "store"]) }
    let token = try #require(result.outcomes.witness(of: ["1", "0"])).token
    #expect(token == "facts1:fetch~store")

    let error = #expect(throws: ExplorationError.self) {
      _ = try explore(replaying: token) { try scenario($0, ["fetch", "stores"]) }
    }

    guard case .diverged(let named, let unknown, let similar) = error else {
      Issue.record("\(error as Any)")
      return
    }
    #expect(named == token)
    #expect(unknown == [#""store""#])
    #expect(similar == [#""stores""#])
  }
}
