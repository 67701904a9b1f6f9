import Oracle
import Testing

@Suite("What is heard of a task's end")
struct HearingTests {
  private let fixture = Fixture()

  private func handled() -> Ticket { fixture.submit(.handled, isCertain: false) }

  @Test("may be heard twice, and of each ending")
  func legal() {
    let (ran, cancelled, expired, abandoned) = (handled(), handled(), handled(), handled())
    fixture.run(ran)
    for _ in 0..<2 {
      fixture.checker.heard(.ran, of: ran)
      fixture.checker.heard(.cancelled, of: cancelled)
      fixture.checker.heard(.expired, of: expired)
      fixture.checker.heard(.abandoned, of: abandoned)
    }
    // Its thread comes to the first instruction late.
    fixture.run(abandoned)

    #expect(fixture.broken == [])
  }

  @Test("is false of a body that did not run, or has")
  func wrong() {
    let cases: [(QueueChecker.Ending, runs: Bool, Rule)] = [
      (.ran, false, .once), (.cancelled, true, .cancel), (.expired, true, .once),
    ]
    for (ending, runs, rule) in cases {
      let fixture = Fixture()
      let ticket = fixture.submit(.handled, isCertain: false)
      if runs { fixture.run(ticket) }
      fixture.checker.heard(ending, of: ticket)
      #expect(fixture.broken == [rule])
    }
  }

  @Test("is contradicted by a body that runs after it was cancelled")
  func runsLater() {
    let ticket = handled()
    fixture.checker.heard(.cancelled, of: ticket)

    fixture.run(ticket)

    #expect(fixture.broken == [.cancel])
  }

  @Test("cannot be two things")
  func twice() {
    let ticket = handled()
    fixture.checker.heard(.expired, of: ticket)
    #expect(fixture.broken == [])

    fixture.checker.heard(.cancelled, of: ticket)

    #expect(fixture.broken == [.cancel])
  }

  @Test("sees what is said to be abandoned and never started")
  func abandoned() {
    let ticket = handled()
    fixture.checker.heard(.cancelled, of: ticket)

    fixture.checker.heard(.abandoned, of: ticket)

    #expect(fixture.broken == [.once])
  }
}
