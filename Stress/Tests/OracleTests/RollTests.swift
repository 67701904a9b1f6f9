import Oracle
import Testing

@Suite("The roll of all submissions")
struct RollTests {
  private let fixture = Fixture()
  private let roll: Roll

  init() { roll = Roll(violations: fixture.violations) }

  private func observe(_ mark: Int, _ news: Roll.News...) {
    for one in news { roll.told(one, of: mark) }
  }

  @Test("has nothing to say of what ran, was cancelled or refused, and was told so once")
  func legal() {
    let (ran, cancelled, refused) = (
      fixture.submit(), fixture.submit(.handled, isCertain: false), fixture.issue()
    )
    let marks = [ran, cancelled, refused].map { roll.add($0) }
    fixture.run(ran)
    fixture.checker.heard(.cancelled, of: cancelled)
    fixture.checker.refused(refused)
    observe(marks[0], .enqueued, .started, .finished(ran: true))
    observe(marks[1], .enqueued, .finished(ran: false))
    observe(marks[2], .refused)

    roll.check(wasQuiet: true, wasObserved: true)

    #expect(fixture.broken == [])
    #expect(roll.unrun == 1)
  }

  @Test("misses what a quiet dispatcher has lost, unless it may have expired")
  func lost() {
    _ = roll.add(fixture.submit(), mayVanish: true)
    _ = roll.add(fixture.submit(.synced))
    roll.turnedAway(2)
    roll.check(wasQuiet: true, wasObserved: false)
    #expect(fixture.broken == [])

    _ = roll.add(fixture.submit())
    roll.check(wasQuiet: false, wasObserved: false)
    #expect(fixture.broken == [])
    roll.check(wasQuiet: true, wasObserved: false)
    #expect(fixture.broken == [.once])
  }

  @Test("sees a body that has begun and not ended")
  func unended() {
    let ticket = fixture.submit()
    _ = roll.add(ticket)
    fixture.begin(ticket)

    roll.check(wasQuiet: false, wasObserved: false)

    #expect(fixture.broken == [.once])
  }

  @Test(
    "sees an observer that is told too little, too much or something else of what ran",
    arguments: [
      [], [.enqueued, .started], [.enqueued, .finished(ran: true)],
      [.enqueued, .started, .finished(ran: false)],
      [.enqueued, .started, .finished(ran: true), .finished(ran: true)],
      [.enqueued, .started, .started, .finished(ran: true)],
      [.enqueued, .refused, .started, .finished(ran: true)],
    ] as [[Roll.News]])
  func told(_ news: [Roll.News]) {
    let ticket = fixture.submit()
    let mark = roll.add(ticket)
    fixture.run(ticket)
    for one in news { roll.told(one, of: mark) }

    roll.check(wasQuiet: false, wasObserved: true)

    #expect(fixture.broken == [.once])
  }

  @Test("sees an observer that is told that something started which never ran")
  func neverRan() {
    for news in [[.enqueued, .started, .finished(ran: false)], [.enqueued]] as [[Roll.News]] {
      let fixture = Fixture()
      let roll = Roll(violations: fixture.violations)
      let ticket = fixture.submit(.handled, isCertain: false)
      let mark = roll.add(ticket)
      fixture.checker.heard(.cancelled, of: ticket)
      for one in news { roll.told(one, of: mark) }

      roll.check(wasQuiet: false, wasObserved: true)

      #expect(fixture.broken == [.once])
    }
  }

  @Test("sees an observer that is told of the end of what was refused")
  func refused() {
    let ticket = fixture.issue()
    let mark = roll.add(ticket)
    fixture.checker.refused(ticket)
    observe(mark, .refused, .finished(ran: false))

    roll.check(wasQuiet: false, wasObserved: true)

    #expect(fixture.broken == [.once])
  }
}
