import Measuring
import Testing

@Suite("A row's result")
struct RowResultTests {
  private let row = Row(
    "row", demanded: [.timesFaster(2, than: "NIO")], goal: [.timesFaster(4, than: "NIO")])

  private func process(ours: [Double], nio: [Double], limit: Double? = nil) -> [Reading] {
    [
      Reading(row: "row", contestant: Contestant.ours, samples: ours),
      Reading(row: "row", contestant: "NIO", samples: nio),
    ]
      + (limit.map { [Reading(row: "row", contestant: Contestant.limit, samples: [$0])] } ?? [])
  }

  @Test("is the median of the processes' medians, with the range of every repetition")
  func medians() {
    let result = RowResult(
      row,
      processes: [
        process(ours: [1, 2, 90], nio: [6]), process(ours: [4], nio: [8]),
        process(ours: [100], nio: [900]),
      ])

    #expect(result.ours == 4)
    #expect(result.range == 1...100)
    #expect(result.peers == ["NIO": 8])
  }

  @Test("compares only what ran in one process")
  func pairs() {
    let result = RowResult(
      row,
      processes: [
        process(ours: [10], nio: [30]), process(ours: [1_000], nio: [3_000]),
        process(ours: [100], nio: [300]),
      ])

    #expect(result.ratios == ["NIO": 3])
    #expect(result.met == true)
    #expect(result.goalMet == false)
  }

  @Test("reaches no goal while it misses what is demanded")
  func goalNeedsDemand() {
    let row = Row(
      "row", demanded: [.within(1, of: "C")], goal: [.timesFaster(2, than: "NIO")])
    func goalMet(c: Double) -> Bool? {
      RowResult(
        row,
        processes: [
          process(ours: [10], nio: [20]) + [Reading(row: "row", contestant: "C", samples: [c])]
        ]
      ).goalMet
    }

    #expect(goalMet(c: 10) == true)
    #expect(goalMet(c: 9) == false)
  }

  @Test("names the peer that comes closest")
  func bestPeer() throws {
    let readings = [
      Reading(row: "row", contestant: Contestant.ours, samples: [10]),
      Reading(row: "row", contestant: "NIO", samples: [40]),
      Reading(row: "row", contestant: "C", samples: [5]),
    ]

    let best = try #require(RowResult(row, processes: [readings]).best)

    #expect(best.name == "C")
    #expect(best.ratio == 0.5)
  }

  @Test("takes the limit for no peer")
  func limit() {
    let result = RowResult(row, processes: [process(ours: [20], nio: [60], limit: 5)])

    #expect(result.ratioToLimit == 0.25)
    #expect(result.peers.keys.sorted() == ["NIO"])
  }

  @Test("has no verdict if nothing is demanded")
  func noVerdict() {
    let result = RowResult(Row("row"), processes: [process(ours: [1], nio: [1])])

    #expect(result.met == nil)
    #expect(result.goalMet == nil)
  }

  @Test("is not met without figures")
  func failure() {
    #expect(RowResult(row, failure: "it crashed").met == false)
    #expect(RowResult(row, processes: []).met == false)
    #expect(RowResult(Row("row"), failure: "it crashed").met == nil)
  }

  @Test("nothing against nothing is as good; something against nothing is not")
  func zero() {
    #expect(RowResult(row, processes: [process(ours: [0], nio: [0])]).ratios == ["NIO": 1])
    #expect(RowResult(row, processes: [process(ours: [3], nio: [0])]).ratios == ["NIO": 0])
  }
}
