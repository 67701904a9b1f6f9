import Oracle
import Testing

@Suite("The checker that each submission runs once or not at all")
struct OnceTests {
  private let fixture = Fixture()

  @Test("has nothing to say of what runs, is refused, is cancelled or expires")
  func legal() {
    let (ran, cancelled, expired) = (
      fixture.submit(), fixture.submit(.handled, isCertain: false),
      fixture.submit(.handled, isCertain: false)
    )
    let refused = fixture.issue()

    fixture.checker.refused(refused)
    fixture.run(ran)
    fixture.checker.cancelledBeforeStart(cancelled)
    fixture.checker.expired(expired)

    #expect(fixture.broken == [])
  }

  @Test("sees a body that runs twice")
  func twice() {
    let ticket = fixture.submit()

    fixture.run(ticket)
    fixture.run(ticket)

    #expect(fixture.broken == [.once])
  }

  @Test("sees a body that runs although it was refused, before and after the answer")
  func refused() {
    for runsFirst in [true, false] {
      let fixture = Fixture()
      let ticket = fixture.issue(.awaited, isCertain: false)

      if runsFirst { fixture.run(ticket) }
      fixture.checker.refused(ticket)
      if !runsFirst { fixture.run(ticket) }

      #expect(fixture.broken == [.once])
    }
  }

  @Test("sees a body that runs although it was cancelled, before and after the answer")
  func cancelled() {
    for runsFirst in [true, false] {
      let fixture = Fixture()
      let ticket = fixture.submit(.handled, isCertain: false)

      if runsFirst { fixture.run(ticket) }
      fixture.checker.cancelledBeforeStart(ticket)
      if !runsFirst { fixture.run(ticket) }

      #expect(fixture.broken == [.cancel])
    }
  }

  @Test("sees a body that runs although it has expired")
  func expired() {
    let ticket = fixture.submit(.handled, isCertain: false)

    fixture.checker.expired(ticket)
    fixture.run(ticket)

    #expect(fixture.broken == [.once])
  }

  @Test("sees a body that a shutdown is said to have cancelled")
  func shutdown() {
    let ticket = fixture.submit()

    fixture.run(ticket)
    fixture.checker.cancelledByShutdown(ticket)

    #expect(fixture.broken == [.shutdown])
  }

  @Test("sees a timer that goes on after it was cancelled")
  func repeating() {
    let ticket = fixture.submit(.repeating, isCertain: false)
    fixture.checker.begin(ticket, isRepeat: true, at: fixture.time)
    fixture.checker.finish(ticket, isRepeat: true)
    #expect(fixture.broken == [])

    fixture.checker.cancelledRepeating(ticket)
    fixture.checker.begin(ticket, isRepeat: true, at: fixture.time)

    #expect(fixture.broken == [.cancel])
  }

  @Test("sees a body that runs inside the call that submits it, unless that is sync")
  func inside() {
    fixture.run(fixture.issue(.synced))
    #expect(fixture.broken == [])

    fixture.run(fixture.issue(.posted))

    #expect(fixture.broken == [.later])
  }

  @Test("sees a body that comes before its time")
  func early() {
    let ticket = fixture.submit(.timer, isCertain: false, delay: 10)
    let other = fixture.submit(.timer, isCertain: false, delay: 10)

    fixture.time += 10
    fixture.run(other)
    #expect(fixture.broken == [])
    fixture.time -= 1
    fixture.run(ticket)

    #expect(fixture.broken == [.time])
  }

  @Test("misses what its submitter knows has run, and what has run unknown to it")
  func endState() {
    let owner = [ThreadRecorder.current.index]
    let (first, second) = (fixture.submit(), fixture.submit(.handled, isCertain: false))
    fixture.run(first)
    fixture.run(second)
    for ticket in [first, second] { fixture.checker.expectRun(of: ticket) }
    fixture.checker.checkEndState(of: owner)
    #expect(fixture.broken == [])

    for isCertain in [true, false] {
      let fixture = Fixture()
      fixture.run(fixture.submit(isCertain: isCertain))
      fixture.checker.checkEndState(of: owner)
      #expect(fixture.broken == [.once])
    }
    let fixture = Fixture()
    fixture.checker.expectRun(of: fixture.submit())
    fixture.checker.checkEndState(of: owner)
    #expect(fixture.broken == [.once])
  }

  @Test("sees the bodies of one band in another order than a sequential run has")
  func endStateInOrder() {
    let (first, second) = (fixture.submit(), fixture.submit())
    // The order is not checked from here on.
    fixture.checker.endOrder(at: 0)

    fixture.run(second)
    fixture.run(first)
    for ticket in [first, second] { fixture.checker.expectRun(of: ticket) }
    fixture.checker.checkEndState(of: [ThreadRecorder.current.index])

    #expect(fixture.broken == [.once])
  }
}
