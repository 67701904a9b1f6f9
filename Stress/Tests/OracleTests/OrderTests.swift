import Oracle
import Testing

@Suite("The checker of order, width and barriers")
struct OrderTests {
  @Test("lets a queue of width w begin w - 1 late, and no more", arguments: 1...4)
  func fifo(width: Int) {
    for late in 1...4 {
      let fixture = Fixture(width: width)
      let tickets = (0...late).map { _ in fixture.submit() }

      fixture.run(tickets[late])

      #expect(fixture.broken == (late > width - 1 ? [.inOrder] : []))
    }
  }

  @Test("does not wait for what was refused, or may be cancelled")
  func struckOut() {
    let fixture = Fixture()
    fixture.checker.refused(fixture.issue())
    _ = fixture.submit(.handled, isCertain: false)
    let last = fixture.submit()

    fixture.run(last)

    #expect(fixture.broken == [])
  }

  @Test("takes bands apart: what stands in another may go first")
  func bands() {
    let fixture = Fixture()
    _ = fixture.submit(band: 2)

    fixture.run(fixture.submit(band: 0))

    #expect(fixture.broken == [])
  }

  @Test("lets a queue have as many bodies inside as it is wide", arguments: 1...4)
  func alone(width: Int) {
    let fixture = Fixture(width: width)
    let tickets = (0...width).map { _ in fixture.submit() }

    for ticket in tickets.dropLast() { fixture.begin(ticket) }
    #expect(fixture.broken == [])
    fixture.begin(tickets[width])

    #expect(fixture.broken == [.alone])
  }

  @Test("lets a barrier be alone, and sees what runs beside it on either side")
  func barrierAlone() {
    for barrierIsFirst in [true, false] {
      let fixture = Fixture(width: 2)
      // Neither submission is certain, so the order treats them like those of two threads.
      let barrier = fixture.submit(isBarrier: true, isCertain: false)
      let other = fixture.submit(isCertain: false)

      fixture.begin(barrierIsFirst ? barrier : other)
      #expect(fixture.broken == [])
      fixture.begin(barrierIsFirst ? other : barrier)

      #expect(fixture.broken == [.barrier])
    }
  }

  @Test("sees a barrier that begins before what stands before it has ended")
  func barrierEarly() {
    let fixture = Fixture(width: 2)
    let (first, barrier) = (fixture.submit(), fixture.submit(isBarrier: true))

    fixture.run(barrier)

    #expect(fixture.broken == [.barrier])
    _ = first
  }

  @Test("sees what passes a barrier, in whatever band")
  func passing() {
    for band in 0..<4 {
      let fixture = Fixture(width: 2)
      _ = fixture.submit(band: band, isBarrier: true)
      let later = fixture.submit(band: 0)

      fixture.run(later)

      #expect(fixture.broken.contains(.barrier))
    }
  }

  @Test("has nothing to say of a barrier between those before and after it")
  func barrierInTurn() {
    let fixture = Fixture(width: 2)
    let tickets = [
      fixture.submit(), fixture.submit(), fixture.submit(isBarrier: true), fixture.submit(),
      fixture.submit(),
    ]

    for index in [1, 0, 2, 4, 3] { fixture.run(tickets[index]) }

    #expect(fixture.broken == [])
  }

  @Test("lets a suspended view begin what had started, as many as it is wide, and no more")
  func suspended() {
    let fixture = Fixture(width: 2)
    let tickets = (0..<4).map { _ in fixture.submit() }
    fixture.checker.suspended()

    fixture.run(tickets[0])
    fixture.run(tickets[1])
    #expect(fixture.broken == [])
    fixture.checker.resumes()
    fixture.run(tickets[2])
    #expect(fixture.broken == [])
    fixture.checker.suspended()
    fixture.checker.suspended()
    fixture.checker.resumes()
    for _ in 0..<2 { fixture.run(fixture.submit(isCertain: false)) }
    #expect(fixture.broken == [])
    fixture.run(tickets[3])

    #expect(fixture.broken == [.suspension])
  }

  @Test("knows how many wait and run")
  func counts() {
    let fixture = Fixture(width: 2)
    let (first, _) = (fixture.submit(), fixture.submit())

    fixture.begin(first)

    #expect(fixture.checker.backlog == 1)
    #expect(fixture.checker.runningNow == 1)
  }
}
