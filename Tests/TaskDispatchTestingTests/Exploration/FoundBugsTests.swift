import TaskDispatch
import TaskDispatchTesting
import Testing

/// The bugs of the tutorial, as their users would write them.
@Suite("Exploring finds, shrinks and replays")
struct FoundBugsTests {
  @Test("a search of which an old answer overwrites the new one")
  func lastQueryWins() throws {
    func scenario(_ dispatcher: RecordingDispatcher) throws -> String {
      let shown = Slot<String>()
      for query in ["s", "sw", "swift"] {
        dispatcher.foreground(label: "type \(query)") {
          dispatcher.background(label: "fetch") {
            dispatcher.foreground(label: "apply") { shown.value = query }
          }
        }
      }
      try dispatcher.runUntilIdle()
      return shown.value ?? ""
    }

    let result = try explore(configuration: .init(width: 3), scenario)
    print(result.outcomes)
    #expect(result.outcomes.contains("swift"))
    #expect(result.outcomes.count > 1)
    for outcome in result.outcomes {
      let witness = try #require(result.outcomes.witness(of: outcome))
      #expect(witness.facts.count <= 2)
      for _ in 0..<10 {
        let again = try explore(
          configuration: .init(width: 3), replaying: witness.token, scenario)
        #expect(again.outcomes == [outcome])
      }
    }
    do { try result.requireAlwaysSame() } catch { print(error) }
  }

  actor Account {
    private var balance = 100
    func withdraw(_ amount: Int) async -> Bool {
      guard balance >= amount else { return false }
      await Task.yield()
      balance -= amount
      return true
    }
    var left: Int { balance }
  }

  @Test("a double withdrawal by an actor that is entered again")
  func doubleWithdrawal() throws {
    let result = try explore(.exhaustive) { dispatcher async in
      let account = Account()
      async let one = account.withdraw(80)
      async let two = account.withdraw(80)
      _ = await (one, two)
      return await account.left
    }
    print(result.outcomes, result.schedulesRun, result.ordersSeen, result.choices)
    #expect(result.outcomes.contains(-60))
  }

  @Test("a time-out that races its reply")
  func timeOut() throws {
    let result = try explore { dispatcher in
      let answers = Log()
      let timeOut = dispatcher.foreground.after(.seconds(5), label: "time-out") {
        answers.note("timed out")
      }
      dispatcher.background(label: "ask") {
        dispatcher.foreground(label: "reply") {
          answers.note("reply")
          timeOut.cancel()
        }
      }
      try dispatcher.runUntilIdle()
      return answers.all
    }
    print(result.outcomes)
    #expect(result.outcomes == [["reply"], ["timed out", "reply"]])
  }

  @Test("a deadlock, which is a failure")
  func deadlock() throws {
    do {
      _ = try explore { dispatcher in
        let one = dispatcher.makeQueue(label: "one", width: 1)
        one(label: "outer") { try? one.sync {} }
        try dispatcher.runUntilIdle()
        return 0
      }
      Issue.record("it was not found")
    } catch let failure as ScheduleFailure {
      print(failure)
      #expect(failure.facts.isEmpty)
    }
  }
}
