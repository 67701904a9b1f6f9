import Oracle
import Testing

@Suite("The checker of deadlines, limits and bands")
struct PolicyTests {
  private let fixture: Fixture

  // MARK: Timers

  @Test(
    "sees a timer that runs after one that was due later, and only if both were due in one order")
  func timers() {
    let timers = TimerChecker(violations: fixture.violations)
    let (early, late) = (
      fixture.submit(.timer, isCertain: false, delay: 10),
      fixture.submit(.timer, isCertain: false, delay: 20)
    )
    fixture.time += 15
    // It was asked for when the other was due in 5, for a time in the past.
    let fresh = fixture.submit(.timer, isCertain: false, delay: -14)
    fixture.time += 10
    let tooFresh = fixture.submit(.timer, isCertain: false, delay: -24)

    timers.begin(late)
    timers.begin(tooFresh)
    #expect(fixture.broken == [])
    timers.begin(fresh)
    #expect(fixture.broken == [.time])
    timers.begin(early)

    #expect(fixture.violations.all.first?.count == 2)
  }

  // MARK: Limits

  @Test("lets in as many as the limit says and those that are about to begin, and no more")
  func limit() {
    let limit = LimitChecker(limit: 2, width: 1, violations: fixture.violations)
    for _ in 0..<3 { limit.accepted(fixture.submit()) }
    #expect(fixture.broken == [])
    limit.leaves()
    limit.accepted(fixture.submit())
    #expect(fixture.broken == [])

    limit.accepted(fixture.submit())

    #expect(fixture.broken == [.once])
  }

  // MARK: Bands

  /// In nanoseconds.
  private static let step: Int64 = 100

  private func submit(_ band: Int, to bands: BandChecker) -> Ticket {
    let ticket = fixture.issue(band: band)
    bands.submits(ticket)
    fixture.checker.returned(ticket, at: fixture.time)
    return ticket
  }

  private func run(_ ticket: Ticket, in bands: BandChecker) {
    fixture.time += 1
    bands.begins(ticket, at: fixture.time)
    fixture.time += 1
    bands.ends(at: fixture.time)
  }

  @Test("sees a lower band that goes before a higher one that waits, before it has aged that far")
  func rank() {
    for (age, isLegal) in [(Int64(10), false), (Self.step * 2, true)] {
      let fixture = Fixture()
      let bands = BandChecker(agingStep: Self.step, violations: fixture.violations)
      let test = PolicyTests(fixture: fixture)
      let low = test.submit(2, to: bands)
      let highs = (0..<2).map { _ in test.submit(0, to: bands) }
      test.run(highs[0], in: bands)

      fixture.time += age
      bands.ends(at: fixture.time)
      test.run(low, in: bands)

      #expect(fixture.broken == (isLegal ? [] : [.priority]))
    }
  }

  @Test("lets two others go before a head that has aged three steps, and no third")
  func aging() {
    let bands = BandChecker(agingStep: Self.step, violations: fixture.violations)
    _ = submit(3, to: bands)
    let highs = (0..<5).map { _ in submit(0, to: bands) }
    bands.ends(at: fixture.time)
    // This one passes it over for the first time.
    run(highs[0], in: bands)
    fixture.time += 3 * Self.step
    bands.ends(at: fixture.time)

    for high in highs[1...2] { run(high, in: bands) }
    #expect(fixture.broken == [])
    run(highs[3], in: bands)

    #expect(fixture.broken == [.priority])
  }

  @Test("has nothing to say of bands that go before each other in time")
  func inTurn() {
    let bands = BandChecker(agingStep: Self.step, violations: fixture.violations)
    let low = submit(1, to: bands)
    let highs = (0..<2).map { _ in submit(0, to: bands) }

    for ticket in [highs[0], highs[1], low] { run(ticket, in: bands) }

    #expect(fixture.broken == [])
  }

  private init(fixture: Fixture) { self.fixture = fixture }
  init() { fixture = Fixture() }
}
