import TaskDispatch
import TaskDispatchTesting
import Testing

/// The four bugs of the tutorial, as its readers would write them, and the fix of each.
@Suite("Exploring finds by default, shrinks and replays")
struct FoundBugsTests {
  /// The error of a scenario that has come to an outcome that must not be.
  struct Broken: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  // MARK: The last query wins

  @Test("a search of which an old answer overwrites the new one")
  func lastQueryWins() throws {
    let result = try explore { try search($0, checksItsQuery: false) }

    #expect(result.outcomes.contains("answer to swift"))
    #expect(result.outcomes.contains("answer to sw"))
    for old in result.outcomes where old != "answer to swift" {
      let witness = try #require(result.outcomes.witness(of: old))
      #expect((1...2).contains(witness.facts.count), "\(witness.facts)")
      for _ in 0..<300 {
        let again = try explore(replaying: witness.token) {
          try search($0, checksItsQuery: false)
        }
        #expect(again.outcomes == [old])
      }
    }
    #expect(throws: UnexpectedOutcomes.self) { try result.requireAlwaysSame() }
  }

  @Test("nothing, once a search looks whether its answer is still wanted")
  func mendedSearch() throws {
    let result = try explore(.exhaustive) { try search($0, checksItsQuery: true) }

    #expect(result.outcomes == ["answer to swift"])
    #expect(result.isExhausted)
    #expect(result.ordersSeen > 1)
    try result.requireAlwaysSame()
  }

  func search(
    _ dispatcher: RecordingDispatcher, checksItsQuery: Bool
  ) throws -> String {
    let model = SearchModel(dispatcher, checksItsQuery: checksItsQuery)
    for query in ["s", "sw", "swift"] {
      dispatcher.foreground.async(label: "type \(query)") { model.type(query) }
    }
    try dispatcher.runUntilIdle()
    return model.shown
  }

  // MARK: A double withdrawal

  @Test("a double withdrawal by an actor that is entered again while it waits")
  func doubleWithdrawal() throws {
    let failure = try #require(throws: ScheduleFailure.self) {
      _ = try explore { dispatcher async throws in
        try await withdrawTwice(dispatcher, from: Account(reservesFirst: false))
      }
    }

    #expect(failure.facts.count <= 2, "\(failure)")
    #expect(failure.reason.contains("-60"))
    for _ in 0..<300 {
      let again = #expect(throws: ScheduleFailure.self) {
        _ = try explore(replaying: failure.token) { dispatcher async throws in
          try await withdrawTwice(dispatcher, from: Account(reservesFirst: false))
        }
      }
      #expect(again?.reason == failure.reason)
    }
  }

  @Test("nothing, once an actor takes the money before it waits")
  func mendedWithdrawal() throws {
    let result = try explore(.exhaustive) { dispatcher async throws in
      try await withdrawTwice(dispatcher, from: Account(reservesFirst: true))
    }

    #expect(result.outcomes == [20])
    #expect(result.isExhausted)
    #expect(result.ordersSeen > 1)
  }

  func withdrawTwice(
    _ dispatcher: RecordingDispatcher, from account: Account
  ) async throws -> Int {
    let workers = dispatcher.background.executor
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<2 {
        group.addTask(executorPreference: workers) { await account.withdraw(80) }
      }
    }
    let left = await account.balance
    guard left >= 0 else { throw Broken("the balance is \(left)") }
    return left
  }

  // MARK: A time-out and its reply

  @Test("a time-out that has come although the reply cancels it")
  func timeOut() throws {
    let failure = try #require(throws: ScheduleFailure.self) {
      _ = try explore { try ask($0, answersOnce: false) }
    }

    #expect((1...2).contains(failure.facts.count), "\(failure)")
    for _ in 0..<300 {
      let again = #expect(throws: ScheduleFailure.self) {
        _ = try explore(replaying: failure.token) { try ask($0, answersOnce: false) }
      }
      #expect(again?.reason == failure.reason)
    }
  }

  @Test("nothing, once the second of reply and time-out finds that there is an answer")
  func mendedTimeOut() throws {
    let result = try explore(.exhaustive) { try ask($0, answersOnce: true) }

    #expect(result.outcomes == ["reply", "timed out"])
    #expect(result.isExhausted)
  }

  /// The time-out is the only timer that is set at its place, so it can pass waiting work once at most.
  @Test("not every order of a time-out, if time may pass no timer while a reply waits")
  func timersAheadOfReply() throws {
    let none = try explore(.exhaustive, budget: .init(timersAhead: 0)) {
      try ask($0, answersOnce: true)
    }
    let once = try explore(.exhaustive, budget: .init(timersAhead: 1)) {
      try ask($0, answersOnce: true)
    }

    #expect(none.outcomes == ["reply"])
    #expect(!none.isExhausted)
    #expect(once.outcomes == ["reply", "timed out"])
    #expect(once.isExhausted)
  }

  func ask(_ dispatcher: RecordingDispatcher, answersOnce: Bool) throws -> String {
    let answers = Log()
    @Sendable func answer(_ text: String) {
      if answersOnce, !answers.all.isEmpty { return }
      answers.note(text)
    }
    let timeOut = dispatcher.foreground.after(.seconds(5), label: "time-out") {
      answer("timed out")
    }
    dispatcher.background.async(label: "ask") {
      dispatcher.foreground.async(label: "reply") {
        timeOut.cancel()
        answer("reply")
      }
    }
    try dispatcher.runUntilIdle()
    guard answers.all.count == 1 else { throw Broken("answered: \(answers.all)") }
    return answers.all[0]
  }

  // MARK: A debounce

  @Test(
    "a debounce that saves twice, or that drops the last edit",
    arguments: [Editor.Kind.plain, .flagged])
  func debounce(kind: Editor.Kind) throws {
    let failure = try #require(throws: ScheduleFailure.self) {
      _ = try explore { try edit($0, kind) }
    }

    #expect((1...2).contains(failure.facts.count), "\(failure)")
    #expect(failure.reason.contains(kind == .plain ? #"["b", "b"]"# : #"["a"]"#), "\(failure)")
    for _ in 0..<300 {
      let again = #expect(throws: ScheduleFailure.self) {
        _ = try explore(replaying: failure.token) { try edit($0, kind) }
      }
      #expect(again?.reason == failure.reason)
    }
  }

  /// Each of the two edits sets a timer at the same place, and something may wait when either comes due.
  @Test(
    "nothing, once a debounce counts the edits that it has saved",
    arguments: [(0, false), (1, false), (2, true), (3, true)])
  func mendedDebounce(timersAhead: Int, isAll: Bool) throws {
    let result = try explore(.exhaustive, budget: .init(timersAhead: timersAhead)) {
      try edit($0, .counting)
    }

    #expect(result.isExhausted == isAll)
    #expect(result.outcomes == (timersAhead == 0 ? [["b"]] : [["b"], ["a", "b"]]))
  }

  func edit(_ dispatcher: RecordingDispatcher, _ kind: Editor.Kind) throws -> [String] {
    let editor = Editor(dispatcher, kind)
    for text in ["a", "b"] {
      dispatcher.foreground.async(label: "edit \(text)") { editor.edit(text) }
    }
    try dispatcher.advanceTime(by: .seconds(1))
    let saved = editor.saved.all
    guard saved.last == "b", Set(saved).count == saved.count else {
      throw Broken("saved: \(saved)")
    }
    return saved
  }

  // MARK: After the test has changed elsewhere

  @Test("the same bug by the same token, with a stranger in front", arguments: Lane.allCases)
  func strangers(lane: Lane) throws {
    let scenarios: [(RecordingDispatcher) throws -> String] = [
      { try ask($0, answersOnce: false) },
      { try edit($0, .plain).joined() },
      { try edit($0, .flagged).joined() },
      {
        let shown = try search($0, checksItsQuery: false)
        guard shown == "answer to swift" else { throw Broken(shown) }
        return shown
      },
    ]
    for scenario in scenarios {
      let failure = try #require(throws: ScheduleFailure.self) {
        _ = try explore { try scenario($0) }
      }
      let again = #expect(throws: ScheduleFailure.self) {
        _ = try explore(replaying: failure.token) { dispatcher in
          let queue = lane == .foreground ? dispatcher.foreground : dispatcher.background
          queue.async(label: "stranger") {}
          return try scenario(dispatcher)
        }
      }
      #expect(again?.reason == failure.reason, "\(failure.token)")
    }
  }
}

/// Shows the answer to what was typed last; or so its author believes.
private final class SearchModel: Sendable {
  private let dispatcher: any TaskDispatcher
  private let checksItsQuery: Bool
  private let state = Locked((query: "", shown: ""))

  init(_ dispatcher: any TaskDispatcher, checksItsQuery: Bool) {
    self.dispatcher = dispatcher
    self.checksItsQuery = checksItsQuery
  }

  var shown: String { state.withLock { $0.shown } }

  func type(_ query: String) {
    state.withLock { $0.query = query }
    dispatcher.background.async(label: "fetch") { [self] in
      let answer = "answer to \(query)"
      dispatcher.foreground.async(label: "apply") { [self] in
        state.withLock { state in
          if checksItsQuery, state.query != query { return }
          state.shown = answer
        }
      }
    }
  }
}

/// Looks at its balance, waits for a confirmation, and pays.
actor Account {
  private(set) var balance = 100
  private let reservesFirst: Bool

  init(reservesFirst: Bool) { self.reservesFirst = reservesFirst }

  func withdraw(_ amount: Int) async {
    guard balance >= amount else { return }
    if reservesFirst { balance -= amount }
    await confirm()
    if !reservesFirst { balance -= amount }
  }

  /// Other calls enter the actor while this one is suspended.
  private func confirm() async { await Task.yield() }
}

/// Saves when there was no edit for a while.
final class Editor: Sendable {
  enum Kind {
    /// Relies on `cancel()`.
    case plain
    /// Has a flag for text that is not saved, and lowers it when the disk has answered.
    case flagged
    /// Knows which edit it has saved.
    case counting
  }

  private struct Contents {
    var text = ""
    var isDirty = false
    var edits = 0
    var savedEdits = 0
    var timer: TimerHandle?
  }

  private let dispatcher: any TaskDispatcher
  private let kind: Kind
  private let contents = Locked(Contents())
  let saved = Log()

  init(_ dispatcher: any TaskDispatcher, _ kind: Kind) {
    self.dispatcher = dispatcher
    self.kind = kind
  }

  func edit(_ text: String) {
    let before = contents.withLock { contents in
      contents.text = text
      contents.isDirty = true
      contents.edits += 1
      return contents.timer
    }
    before?.cancel()
    let timer = dispatcher.foreground.after(.milliseconds(300), label: "quiet") { [self] in
      dispatcher.background.async(label: "save") { [self] in save() }
    }
    contents.withLock { $0.timer = timer }
  }

  private func save() {
    let text = contents.withLock { contents -> String? in
      switch kind {
      case .plain: return contents.text
      case .flagged: return contents.isDirty ? contents.text : nil
      case .counting:
        guard contents.savedEdits < contents.edits else { return nil }
        contents.savedEdits = contents.edits
        return contents.text
      }
    }
    guard let text else { return }
    saved.note(text)
    guard kind == .flagged else { return }
    dispatcher.foreground.async(label: "saved") { [self] in contents.withLock { $0.isDirty = false }
    }
  }
}
