import TaskDispatch
import TestSupport
import Testing

@testable import TaskDispatchTesting

@Suite("The text of a schedule")
struct TokenTests {
  private static let seed = 20_260

  private static let labels = [
    "plain", "", " ", "two words", #"a "quoted" one"#, "it's", "a/b", "/", "a\nb", "🦆🧵", "100%",
    "%41",
    "%", "a+b", "+2", "x+time", "a~b", "~", "a@b", "a=1", "=", ";", "a;b", "é", "\0", "facts1:",
    "choices1:1", "#2", "cancel", "submission", String(repeating: "long ", count: 50),
  ]

  private func path(_ dice: inout Dice) -> TaskPath {
    var path: TaskPath?
    for _ in 0...dice.roll(3) {
      path = TaskPath(Self.labels[dice.roll(Self.labels.count)], under: path)
      if dice.once(in: 4) { path = path!.numbered(2 + dice.roll(9)) }
    }
    switch dice.roll(6) {
    case 0: return path!.firing
    case 1: return path!.resumption(1 + dice.roll(4))
    default: return path!
    }
  }

  private func fact(_ dice: inout Dice) -> OrderingFact {
    switch dice.roll(3) {
    case 0: .waits(path(&dice), for: path(&dice))
    case 1: .started(path(&dice), before: path(&dice))
    default: .chose(path(&dice), dice.roll(1_000), "")
    }
  }

  @Test("is read as what was written, whatever labels hold")
  func readsWhatItWrites() throws {
    var dice = Dice(seed: Self.seed)
    for _ in 0..<5_000 {
      let facts = (0..<dice.roll(5)).map { _ in fact(&dice) }
      let token = ScheduleToken.facts(facts)
      #expect(try ScheduleToken(token.text) == token, "\(token.text)")
      let choices = ScheduleToken.choices((0..<dice.roll(9)).map { _ in Int32(dice.roll(20)) })
      #expect(try ScheduleToken(choices.text) == choices)
    }
  }

  @Test("shows a label as it was given, and tells it from a task under another", arguments: labels)
  func shown(label: String) {
    let path = TaskPath(label, under: nil)

    #expect(path.description == "\"\(label)\"")
    #expect(path.text.utf8.allSatisfy { $0 != UInt8(ascii: "/") })
    #expect(TaskPath("b", under: path).description == "\"\(label)\" / \"b\"")
  }

  @Test("tells a task under another from one whose name is both names")
  func whole() {
    let under = TaskPath("b", under: TaskPath("a", under: nil))

    #expect(under != TaskPath("ab", under: nil))
    #expect(under == TaskPath("b", under: TaskPath("a", under: nil)))
  }

  @Test("goes between single quotes of a shell and into a Swift string as it is")
  func harmless() {
    var dice = Dice(seed: Self.seed + 1)
    for _ in 0..<2_000 {
      let text = ScheduleToken.facts((0..<3).map { _ in fact(&dice) }).text
      #expect(text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"'\"\\".utf8.contains($0) })
    }
  }

  @Test("is refused by an error that shows it, and never by a crash, if it is something else")
  func fuzzed() {
    var dice = Dice(seed: Self.seed + 2)
    var refused = 0
    for _ in 0..<20_000 {
      let text = dice.once(in: 3) ? anything(&dice) : mutated(&dice)
      do throws(ExplorationError) {
        let token = try ScheduleToken(text)
        // What was parsed is written in the same way the next time.
        #expect((try? ScheduleToken(token.text)) == token, "seed \(Self.seed): \(text)")
      } catch {
        refused += 1
        guard case .badToken(_, let reason) = error, !reason.isEmpty else {
          Issue.record("seed \(Self.seed): \(text) is refused by \(error)")
          continue
        }
      }
    }
    #expect((5_000..<20_000).contains(refused))
  }

  private func mutated(_ dice: inout Dice) -> String {
    let token: ScheduleToken =
      dice.once(in: 4)
      ? .choices((0..<dice.roll(6)).map { _ in Int32(dice.roll(9)) })
      : .facts((0..<dice.roll(4)).map { _ in fact(&dice) })
    var bytes = Array(token.text.utf8)
    for _ in 0...dice.roll(4) where !bytes.isEmpty {
      let index = dice.roll(bytes.count)
      switch dice.roll(4) {
      case 0: bytes.remove(at: index)
      case 1: bytes.insert(UInt8(dice.roll(256)), at: index)
      case 2: bytes[index] = Array("~@=;%+/:.-0919".utf8)[dice.roll(14)]
      default: bytes.append(contentsOf: bytes[..<index])
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func anything(_ dice: inout Dice) -> String {
    let start = ["", "facts1:", "choices1:", "facts2:", " facts1:"][dice.roll(5)]
    let bytes = (0..<dice.roll(30)).map { _ in UInt8(dice.roll(256)) }
    return start + String(decoding: bytes, as: UTF8.self)
  }

  @Test(
    "is refused",
    arguments: [
      "", "facts", "facts1", "facts2:a~b", "choices1:x", "choices1:-1", "choices1:99999999999",
      "choices1:1,2", "facts1:a", "facts1:a~b;c", "facts1:a=", "facts1:a=-1", "facts1:a=b",
      "facts1:a~b~c", "facts1:a b~c", "facts1:é~b",
    ])
  func refused(text: String) {
    #expect(throws: ExplorationError.self) { try ScheduleToken(text) }
  }

  @Test("may have space around it, as what is pasted has")
  func trimmed() throws {
    #expect(try ScheduleToken("\n  facts1:a~b \n") == ScheduleToken("facts1:a~b"))
  }

  @Test("brings tasks with any label into the same order again", arguments: Self.labels)
  func anyLabel(label: String) throws {
    let scenario: (RecordingDispatcher) throws -> [String] = { dispatcher in
      let log = Log()
      for name in ["one", "two"] {
        dispatcher.background.async(label: label) {
          log.note(name)
          dispatcher.foreground.async(label: label) {
            log.note("\(name), \(dispatcher.choose([1, 2], label))")
          }
        }
      }
      dispatcher.background.submit(label: label) { log.note("three") }.cancel()
      try dispatcher.runUntilIdle()
      return log.all
    }

    let result = try explore(.random(seed: 5, schedules: 12), scenario)
    #expect(result.outcomes.count > 8)
    for outcome in result.outcomes {
      let token = try #require(result.outcomes.witness(of: outcome)).token
      let again = try explore(replaying: token, scenario)
      #expect(again.outcomes == [outcome], "\(token)")
    }
  }
}
