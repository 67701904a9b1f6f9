import Oracle
import Testing

@Suite("Whoever watches deadlines, limits and bands")
struct PolicyTests {
  private let desk: Desk

  // MARK: Timers

  @Test(
    "sees a timer that runs after one that was due later, and only if both were due in one order")
  func timers() {
    let timers = TimerJudge(court: desk.court)
    let (early, late) = (
      desk.submit(.timer, isCertain: false, delay: 10),
      desk.submit(.timer, isCertain: false, delay: 20)
    )
    desk.time += 15
    // Asked for when the other was due in 5, for a time that is past.
    let fresh = desk.submit(.timer, isCertain: false, delay: -14)
    desk.time += 10
    let tooFresh = desk.submit(.timer, isCertain: false, delay: -24)

    timers.begin(late)
    timers.begin(tooFresh)
    #expect(desk.broken == [])
    timers.begin(fresh)
    #expect(desk.broken == [.time])
    timers.begin(early)

    #expect(desk.court.all.first?.count == 2)
  }

  // MARK: Limits

  @Test("lets in as many as the limit says and those that are about to begin, and no more")
  func limit() {
    let limit = LimitJudge(limit: 2, width: 1, court: desk.court)
    for _ in 0..<3 { limit.accepted(desk.submit()) }
    #expect(desk.broken == [])
    limit.leaves()
    limit.accepted(desk.submit())
    #expect(desk.broken == [])

    limit.accepted(desk.submit())

    #expect(desk.broken == [.once])
  }

  // MARK: Bands

  /// Nanoseconds.
  private static let step: Int64 = 100

  private func submit(_ band: Int, to bands: BandJudge) -> Ticket {
    let ticket = desk.issue(band: band)
    bands.submits(ticket)
    desk.judge.returned(ticket, at: desk.time)
    return ticket
  }

  private func run(_ ticket: Ticket, in bands: BandJudge) {
    desk.time += 1
    bands.begins(ticket, at: desk.time)
    desk.time += 1
    bands.ends(at: desk.time)
  }

  @Test("sees a lower band that goes before a higher one that waits, before it has aged that far")
  func rank() {
    for (age, isLegal) in [(Int64(10), false), (Self.step * 2, true)] {
      let desk = Desk()
      let bands = BandJudge(agingStep: Self.step, court: desk.court)
      let test = PolicyTests(desk: desk)
      let low = test.submit(2, to: bands)
      let highs = (0..<2).map { _ in test.submit(0, to: bands) }
      test.run(highs[0], in: bands)

      desk.time += age
      bands.ends(at: desk.time)
      test.run(low, in: bands)

      #expect(desk.broken == (isLegal ? [] : [.priority]))
    }
  }

  @Test("lets two others go before a head that has aged three steps, and no third")
  func aging() {
    let bands = BandJudge(agingStep: Self.step, court: desk.court)
    _ = submit(3, to: bands)
    let highs = (0..<5).map { _ in submit(0, to: bands) }
    bands.ends(at: desk.time)
    // The first passes it over.
    run(highs[0], in: bands)
    desk.time += 3 * Self.step
    bands.ends(at: desk.time)

    for high in highs[1...2] { run(high, in: bands) }
    #expect(desk.broken == [])
    run(highs[3], in: bands)

    #expect(desk.broken == [.priority])
  }

  @Test("has nothing to say of bands that take each other's turns in time")
  func inTurn() {
    let bands = BandJudge(agingStep: Self.step, court: desk.court)
    let low = submit(1, to: bands)
    let highs = (0..<2).map { _ in submit(0, to: bands) }

    for ticket in [highs[0], highs[1], low] { run(ticket, in: bands) }

    #expect(desk.broken == [])
  }

  private init(desk: Desk) { self.desk = desk }
  init() { desk = Desk() }
}
