import Oracle
import Testing

@Suite("Whoever watches order, width and barriers")
struct OrderTests {
  @Test("lets a queue of width w begin w - 1 late, and no more", arguments: 1...4)
  func fifo(width: Int) {
    for late in 1...4 {
      let desk = Desk(width: width)
      let tickets = (0...late).map { _ in desk.submit() }

      desk.run(tickets[late])

      #expect(desk.broken == (late > width - 1 ? [.inOrder] : []))
    }
  }

  @Test("does not wait for what was refused, or may be cancelled")
  func struckOut() {
    let desk = Desk()
    desk.judge.refused(desk.issue())
    _ = desk.submit(.handled, isCertain: false)
    let last = desk.submit()

    desk.run(last)

    #expect(desk.broken == [])
  }

  @Test("takes bands apart: what stands in another may go first")
  func bands() {
    let desk = Desk()
    _ = desk.submit(band: 2)

    desk.run(desk.submit(band: 0))

    #expect(desk.broken == [])
  }

  @Test("lets a queue have as many bodies inside as it is wide", arguments: 1...4)
  func alone(width: Int) {
    let desk = Desk(width: width)
    let tickets = (0...width).map { _ in desk.submit() }

    for ticket in tickets.dropLast() { desk.begin(ticket) }
    #expect(desk.broken == [])
    desk.begin(tickets[width])

    #expect(desk.broken == [.alone])
  }

  @Test("lets a barrier be alone, and sees what runs beside it on either side")
  func barrierAlone() {
    for barrierIsFirst in [true, false] {
      let desk = Desk(width: 2)
      // By two threads, as far as order goes: neither is certain.
      let barrier = desk.submit(isBarrier: true, isCertain: false)
      let other = desk.submit(isCertain: false)

      desk.begin(barrierIsFirst ? barrier : other)
      #expect(desk.broken == [])
      desk.begin(barrierIsFirst ? other : barrier)

      #expect(desk.broken == [.barrier])
    }
  }

  @Test("sees a barrier that begins before what stands before it has ended")
  func barrierEarly() {
    let desk = Desk(width: 2)
    let (first, barrier) = (desk.submit(), desk.submit(isBarrier: true))

    desk.run(barrier)

    #expect(desk.broken == [.barrier])
    _ = first
  }

  @Test("sees what passes a barrier, in whatever band")
  func passing() {
    for band in 0..<4 {
      let desk = Desk(width: 2)
      _ = desk.submit(band: band, isBarrier: true)
      let later = desk.submit(band: 0)

      desk.run(later)

      #expect(desk.broken.contains(.barrier))
    }
  }

  @Test("has nothing to say of a barrier between those before and after it")
  func barrierInTurn() {
    let desk = Desk(width: 2)
    let tickets = [
      desk.submit(), desk.submit(), desk.submit(isBarrier: true), desk.submit(), desk.submit(),
    ]

    for index in [1, 0, 2, 4, 3] { desk.run(tickets[index]) }

    #expect(desk.broken == [])
  }

  @Test("lets a suspended view begin what had started, as many as it is wide, and no more")
  func suspended() {
    let desk = Desk(width: 2)
    let tickets = (0..<4).map { _ in desk.submit() }
    desk.judge.suspended()

    desk.run(tickets[0])
    desk.run(tickets[1])
    #expect(desk.broken == [])
    desk.judge.resumes()
    desk.run(tickets[2])
    #expect(desk.broken == [])
    desk.judge.suspended()
    desk.judge.suspended()
    desk.judge.resumes()
    for _ in 0..<2 { desk.run(desk.submit(isCertain: false)) }
    #expect(desk.broken == [])
    desk.run(tickets[3])

    #expect(desk.broken == [.suspension])
  }

  @Test("knows how many wait and run")
  func counts() {
    let desk = Desk(width: 2)
    let (first, _) = (desk.submit(), desk.submit())

    desk.begin(first)

    #expect(desk.judge.backlog == 1)
    #expect(desk.judge.runningNow == 1)
  }
}
