import Measuring
import Testing

@Suite("A demand")
struct DemandTests {
  private func isMet(
    _ demand: Demand, ours: Double = 100, _ ratios: [String: Double] = [:],
    toLimit: Double? = nil
  ) -> Bool {
    demand.isMet(ours: ours, ratios: ratios, ratioToLimit: toLimit)
  }

  @Test("to be faster is met from the factor on")
  func timesFaster() {
    #expect(isMet([.timesFaster(2.5, than: "NIO")], ["NIO": 2.5]))
    #expect(!isMet([.timesFaster(2.5, than: "NIO")], ["NIO": 2.49]))
  }

  @Test("to stay within a peer's time is met up to the factor")
  func within() {
    #expect(isMet([.within(1.25, of: "C")], ["C": 0.8]))
    #expect(!isMet([.within(1.25, of: "C")], ["C": 0.79]))
  }

  @Test("to stay near the limit is met up to the factor, and never without a limit")
  func withinLimit() {
    #expect(isMet([.withinLimit(1.5)], toLimit: 0.67))
    #expect(!isMet([.withinLimit(1.5)], toLimit: 0.66))
    #expect(!isMet([.withinLimit(1.5)]))
  }

  @Test("of a figure is met up to it")
  func atMost() {
    #expect(isMet([.atMost(100)], ours: 100))
    #expect(!isMet([.atMost(100)], ours: 100.1))
  }

  @Test("to be best looks at every peer")
  func best() {
    #expect(isMet([.timesFasterThanBest(1)], ["C": 1, "NIO": 9]))
    #expect(!isMet([.timesFasterThanBest(1)], ["C": 0.9, "NIO": 9]))
    #expect(!isMet([.timesFasterThanBest(1)]))
  }

  @Test("is met only if every condition is, and never about a peer that was not measured")
  func all() {
    let demand: Demand = [.timesFaster(2, than: "NIO"), .within(1.25, of: "C")]

    #expect(isMet(demand, ["NIO": 2, "C": 1]))
    #expect(!isMet(demand, ["NIO": 1, "C": 1]))
    #expect(!isMet(demand, ["NIO": 2]))
  }

  @Test("says what it is, with the unit of the row")
  func text() {
    let demand: Demand = [
      .timesFaster(2.5, than: "NIO"), .within(1.25, of: "C"), .atMost(1_300_000), .withinLimit(2),
    ]

    #expect(
      demand.text(in: .nanoseconds) == "≥ 2.5x NIO, ≤ 1.25x C's, ≤ 1.3 ms, ≤ 2x limit")
    #expect(Demand([.atMost(0)]).text(in: .count) == "≤ 0")
  }
}
