import Oracle
import Testing

@Suite("What is heard of a task's end")
struct HearingTests {
  private let desk = Desk()

  private func handled() -> Ticket { desk.submit(.handled, isCertain: false) }

  @Test("may be heard twice, and of each ending")
  func legal() {
    let (ran, cancelled, expired, abandoned) = (handled(), handled(), handled(), handled())
    desk.run(ran)
    for _ in 0..<2 {
      desk.judge.heard(.ran, of: ran)
      desk.judge.heard(.cancelled, of: cancelled)
      desk.judge.heard(.expired, of: expired)
      desk.judge.heard(.abandoned, of: abandoned)
    }
    // Its thread comes to the first instruction late.
    desk.run(abandoned)

    #expect(desk.broken == [])
  }

  @Test("is false of a body that did not run, or has")
  func wrong() {
    let cases: [(QueueJudge.Ending, runs: Bool, Rule)] = [
      (.ran, false, .once), (.cancelled, true, .cancel), (.expired, true, .once),
    ]
    for (ending, runs, rule) in cases {
      let desk = Desk()
      let ticket = desk.submit(.handled, isCertain: false)
      if runs { desk.run(ticket) }
      desk.judge.heard(ending, of: ticket)
      #expect(desk.broken == [rule])
    }
  }

  @Test("is contradicted by a body that runs after it was cancelled")
  func runsLater() {
    let ticket = handled()
    desk.judge.heard(.cancelled, of: ticket)

    desk.run(ticket)

    #expect(desk.broken == [.cancel])
  }

  @Test("cannot be two things")
  func twice() {
    let ticket = handled()
    desk.judge.heard(.expired, of: ticket)
    #expect(desk.broken == [])

    desk.judge.heard(.cancelled, of: ticket)

    #expect(desk.broken == [.cancel])
  }

  @Test("sees what is said to be abandoned and never started")
  func abandoned() {
    let ticket = handled()
    desk.judge.heard(.cancelled, of: ticket)

    desk.judge.heard(.abandoned, of: ticket)

    #expect(desk.broken == [.once])
  }
}
