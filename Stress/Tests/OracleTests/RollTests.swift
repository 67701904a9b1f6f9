import Oracle
import Testing

@Suite("The roll of all submissions")
struct RollTests {
  private let desk = Desk()
  private let roll: Roll

  init() { roll = Roll(court: desk.court) }

  private func observe(_ mark: Int, _ news: Roll.News...) {
    for one in news { roll.told(one, of: mark) }
  }

  @Test("has nothing to say of what ran, was cancelled or refused, and was told so once")
  func legal() {
    let (ran, cancelled, refused) = (
      desk.submit(), desk.submit(.handled, isCertain: false), desk.issue()
    )
    let marks = [ran, cancelled, refused].map { roll.add($0) }
    desk.run(ran)
    desk.judge.heard(.cancelled, of: cancelled)
    desk.judge.refused(refused)
    observe(marks[0], .enqueued, .started, .finished(ran: true))
    observe(marks[1], .enqueued, .finished(ran: false))
    observe(marks[2], .refused)

    roll.judge(wasQuiet: true, wasObserved: true)

    #expect(desk.broken == [])
    #expect(roll.unrun == 1)
  }

  @Test("misses what a quiet dispatcher has lost, unless it may have expired")
  func lost() {
    _ = roll.add(desk.submit(), mayVanish: true)
    _ = roll.add(desk.submit(.synced))
    roll.turnedAway(2)
    roll.judge(wasQuiet: true, wasObserved: false)
    #expect(desk.broken == [])

    _ = roll.add(desk.submit())
    roll.judge(wasQuiet: false, wasObserved: false)
    #expect(desk.broken == [])
    roll.judge(wasQuiet: true, wasObserved: false)
    #expect(desk.broken == [.once])
  }

  @Test("sees a body that has begun and not ended")
  func unended() {
    let ticket = desk.submit()
    _ = roll.add(ticket)
    desk.begin(ticket)

    roll.judge(wasQuiet: false, wasObserved: false)

    #expect(desk.broken == [.once])
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
    let ticket = desk.submit()
    let mark = roll.add(ticket)
    desk.run(ticket)
    for one in news { roll.told(one, of: mark) }

    roll.judge(wasQuiet: false, wasObserved: true)

    #expect(desk.broken == [.once])
  }

  @Test("sees an observer that is told that something started which never ran")
  func neverRan() {
    for news in [[.enqueued, .started, .finished(ran: false)], [.enqueued]] as [[Roll.News]] {
      let desk = Desk()
      let roll = Roll(court: desk.court)
      let ticket = desk.submit(.handled, isCertain: false)
      let mark = roll.add(ticket)
      desk.judge.heard(.cancelled, of: ticket)
      for one in news { roll.told(one, of: mark) }

      roll.judge(wasQuiet: false, wasObserved: true)

      #expect(desk.broken == [.once])
    }
  }

  @Test("sees an observer that is told of the end of what was refused")
  func refused() {
    let ticket = desk.issue()
    let mark = roll.add(ticket)
    desk.judge.refused(ticket)
    observe(mark, .refused, .finished(ran: false))

    roll.judge(wasQuiet: false, wasObserved: true)

    #expect(desk.broken == [.once])
  }
}
