import Oracle
import Testing

@Suite("Whoever watches that each submission runs once or not at all")
struct OnceTests {
  private let desk = Desk()

  @Test("has nothing to say of what runs, is refused, is cancelled or expires")
  func legal() {
    let (ran, cancelled, expired) = (
      desk.submit(), desk.submit(.handled, isCertain: false),
      desk.submit(.handled, isCertain: false)
    )
    let refused = desk.issue()

    desk.judge.refused(refused)
    desk.run(ran)
    desk.judge.cancelledBeforeStart(cancelled)
    desk.judge.expired(expired)

    #expect(desk.broken == [])
  }

  @Test("sees a body that runs twice")
  func twice() {
    let ticket = desk.submit()

    desk.run(ticket)
    desk.run(ticket)

    #expect(desk.broken == [.once])
  }

  @Test("sees a body that runs although it was refused, before and after the answer")
  func refused() {
    for runsFirst in [true, false] {
      let desk = Desk()
      let ticket = desk.issue(.awaited, isCertain: false)

      if runsFirst { desk.run(ticket) }
      desk.judge.refused(ticket)
      if !runsFirst { desk.run(ticket) }

      #expect(desk.broken == [.once])
    }
  }

  @Test("sees a body that runs although it was cancelled, before and after the answer")
  func cancelled() {
    for runsFirst in [true, false] {
      let desk = Desk()
      let ticket = desk.submit(.handled, isCertain: false)

      if runsFirst { desk.run(ticket) }
      desk.judge.cancelledBeforeStart(ticket)
      if !runsFirst { desk.run(ticket) }

      #expect(desk.broken == [.cancel])
    }
  }

  @Test("sees a body that runs although it has expired")
  func expired() {
    let ticket = desk.submit(.handled, isCertain: false)

    desk.judge.expired(ticket)
    desk.run(ticket)

    #expect(desk.broken == [.once])
  }

  @Test("sees a body that a shutdown is said to have cancelled")
  func shutdown() {
    let ticket = desk.submit()

    desk.run(ticket)
    desk.judge.cancelledByShutdown(ticket)

    #expect(desk.broken == [.shutdown])
  }

  @Test("sees a timer that goes on after it was cancelled")
  func repeating() {
    let ticket = desk.submit(.repeating, isCertain: false)
    desk.judge.begin(ticket, isRepeat: true, at: desk.time)
    desk.judge.finish(ticket, isRepeat: true)
    #expect(desk.broken == [])

    desk.judge.cancelledRepeating(ticket)
    desk.judge.begin(ticket, isRepeat: true, at: desk.time)

    #expect(desk.broken == [.cancel])
  }

  @Test("sees a body that runs inside the call that submits it, unless that is sync")
  func inside() {
    desk.run(desk.issue(.synced))
    #expect(desk.broken == [])

    desk.run(desk.issue(.posted))

    #expect(desk.broken == [.later])
  }

  @Test("sees a body that comes before its time")
  func early() {
    let ticket = desk.submit(.timer, isCertain: false, delay: 10)
    let other = desk.submit(.timer, isCertain: false, delay: 10)

    desk.time += 10
    desk.run(other)
    #expect(desk.broken == [])
    desk.time -= 1
    desk.run(ticket)

    #expect(desk.broken == [.time])
  }

  @Test("misses what its submitter knows has run, and what has run unknown to it")
  func endState() {
    let owner = [Hand.current.index]
    let (first, second) = (desk.submit(), desk.submit(.handled, isCertain: false))
    desk.run(first)
    desk.run(second)
    for ticket in [first, second] { desk.judge.expectRun(of: ticket) }
    desk.judge.judgeEndState(of: owner)
    #expect(desk.broken == [])

    for isCertain in [true, false] {
      let desk = Desk()
      desk.run(desk.submit(isCertain: isCertain))
      desk.judge.judgeEndState(of: owner)
      #expect(desk.broken == [.once])
    }
    let desk = Desk()
    desk.judge.expectRun(of: desk.submit())
    desk.judge.judgeEndState(of: owner)
    #expect(desk.broken == [.once])
  }

  @Test("sees the bodies of one band in another order than a sequential run has")
  func endStateInOrder() {
    let (first, second) = (desk.submit(), desk.submit())
    // Not looked at from here on.
    desk.judge.endOrder(at: 0)

    desk.run(second)
    desk.run(first)
    for ticket in [first, second] { desk.judge.expectRun(of: ticket) }
    desk.judge.judgeEndState(of: [Hand.current.index])

    #expect(desk.broken == [.once])
  }
}
