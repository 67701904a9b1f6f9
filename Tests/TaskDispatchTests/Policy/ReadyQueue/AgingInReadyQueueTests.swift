import TestSupport
import Testing

@testable import TaskDispatch

@Suite("Aging in a ready queue")
struct AgingInReadyQueueTests {
  @Test(
    "from the first take after three steps, at most two other heads start before an aged one",
    arguments: [1, 7, 100, 100_000_000] as [Int64])
  func boundsTheWaitOfAnAgedHead(agingStep: Int64) throws {
    var most = 0
    for pace in [0, 1, agingStep / 7, agingStep / 2, agingStep - 1, agingStep, 3 * agingStep + 1] {
      for feed in Feed.allCases {
        var dice = Dice(seed: UInt64(pace) &+ UInt64(agingStep))
        var line = AgingLine(agingStep: agingStep, feed: feed)
        for _ in 0..<1_000 {
          // The time between two takes varies, as a worker is never equally fast twice.
          line.takeNext(after: pace == 0 ? 0 : Int64(dice.roll(2 * Int(pace) + 1)), &dice)
        }
        try line.check()
        most = max(most, line.mostBefore)
      }
    }
    #expect(most == 2, "the bound is reached, so it is not too wide")
  }

  @Test("the bound holds in every short series of takes, at every short distance, for any feed")
  func boundsEveryShortSeries() throws {
    var most = 0
    try forEveryProgram { choices in
      var dice = Dice(seed: 0)
      var line = AgingLine(agingStep: 2, feed: .everyBand)
      for _ in 0..<5 { line.takeNext(after: choices.choose(from: [0, 1, 2, 3, 7]), &dice) }
      for _ in 0..<4 { line.takeNext(after: 6, &dice) }
      try line.check()
      most = max(most, line.mostBefore)
    }
    #expect(most == 2)
  }

  @Test("no band starves while all bands always have work", arguments: [1, 10, 1_000] as [Int64])
  func servesEveryBand(pace: Int64) {
    var queue = ReadyQueue<PriorityBand>(agingStep: 100)
    var served = [0, 0, 0, 0]
    for band in PriorityBand.allCases { queue.push(band, in: band) }

    for round in 0..<10_000 as Range<Int64> {
      let band = queue.take(at: round * pace)!
      served[band.index] += 1
      queue.push(band, in: band)
    }

    // Each head but the highest starts at the latest after 3 steps, 2 other heads and the pass itself.
    let longestWait = 300 / pace + 4
    for count in served { #expect(Int64(count) >= 10_000 / longestWait - 1, "served \(served)") }
    #expect(served == served.sorted(by: >))
  }

  @Test("climbs a band each step, and no sooner")
  func climbsBandByBand() {
    for (index, band) in PriorityBand.allCases.enumerated() {
      for above in 0..<index {
        var queue = ReadyQueue<Int>(agingStep: 10)
        for number in 0..<3 { queue.push(number, in: PriorityBand.allCases[above]) }
        queue.push(9, in: band)
        let climb = Int64(10 * (index - above))

        #expect(queue.take(at: 100) == 0)
        #expect(queue.take(at: 100 + climb - 1) == 1)
        #expect(queue.take(at: 100 + climb) == 9)
      }
    }
  }

  @Test("counts from the first take that passes the head over, not from its arrival")
  func countsFromTheFirstPass() {
    var queue = ReadyQueue<Int>(agingStep: 10)
    queue.push(9, in: .medium)
    queue.push(0, in: .high)
    queue.push(1, in: .high)

    #expect(queue.take(at: 1_000) == 0)
    #expect(queue.take(at: 1_009) == 1)
    #expect(queue.take(at: 1_009) == 9)
  }

  @Test("begins anew for the next head of the band")
  func beginsAnewForTheNextHead() {
    var queue = ReadyQueue<Int>(agingStep: 10)
    for number in 0..<4 { queue.push(number, in: .high) }
    queue.push(10, in: .medium)
    queue.push(11, in: .medium)

    #expect(queue.take(at: 0) == 0)
    #expect(queue.take(at: 10) == 10)
    #expect(queue.take(at: 20) == 1)
    #expect(queue.take(at: 29) == 2)
    #expect(queue.take(at: 30) == 11)
  }

  @Test("lets the one passed over first win on one level, and the higher band of equals")
  func firstPassedOverWins() {
    var queue = ReadyQueue<Int>(agingStep: 10)
    queue.push(0, in: .high)
    queue.push(1, in: .high)
    queue.push(30, in: .lowest)
    #expect(queue.take(at: 0) == 0)
    queue.push(20, in: .low)
    queue.push(10, in: .medium)
    #expect(queue.take(at: 1) == 1)
    queue.push(2, in: .high)

    #expect(queue.take(at: 31) == 30)
    #expect(queue.take(at: 31) == 10)
    #expect(queue.take(at: 31) == 20)
    #expect(queue.take(at: 31) == 2)
  }

  @Test("does not touch what stands behind a barrier")
  func doesNotAgeBehindBarriers() {
    var queue = ReadyQueue<Int>(agingStep: 10)
    queue.push(0, in: .high)
    queue.push(10, in: .medium)
    queue.pushBarrier(5, in: .high)
    queue.push(20, in: .low)
    queue.push(1, in: .high)
    queue.push(2, in: .high)

    #expect(queue.take(at: 0) == 0)
    #expect(queue.take(at: 0) == 10)
    #expect(queue.takeBarrier() == 5)
    #expect(queue.take(at: 1_000) == 1)
    #expect(queue.take(at: 1_019) == 2)
    #expect(queue.take(at: 1_019) == 20)
  }
}

/// How new work comes in while heads age.
private enum Feed: CaseIterable {
  /// Every band always has work.
  case everyBand
  /// A band that was served has work again at once; the others get some now and then.
  case theServedBand
  /// Bands come and go, and heads are cancelled.
  case anyBand
}

/// A ready queue under an adversary. It counts, for each head, the tasks that start before it.
private struct AgingLine: ~Copyable {
  private struct Head {
    let number: Int
    let passedOverAt: Int64
    /// How many takes have taken another element since the head was fully aged.
    var startedBefore = 0
  }

  private var queue: ReadyQueue<Int>
  private var waiting: [[(number: Int, position: Int)]] = [[], [], [], []]
  private var heads: [Head?] = [nil, nil, nil, nil]
  private var time: Int64 = 0
  private var nextNumber = 0
  private let agingStep: Int64
  private let feed: Feed
  private var takes: [String] = []
  private(set) var mostBefore = 0

  init(agingStep: Int64, feed: Feed) {
    queue = ReadyQueue(agingStep: agingStep)
    self.agingStep = agingStep
    self.feed = feed
    for band in PriorityBand.allCases { push(band) }
  }

  mutating func takeNext(after delay: Int64, _ dice: inout Dice) {
    time += delay
    guard let number = queue.take(at: time) else {
      push(PriorityBand.allCases[dice.roll(4)])
      return
    }
    let band = waiting.firstIndex { $0.first?.number == number }!
    waiting[band].removeFirst()
    heads[band] = nil
    takes.append("\(number) of band \(band) at \(time)")
    for other in 0..<4 where other != band {
      guard let head = waiting[other].first else { continue }
      if heads[other] == nil { heads[other] = Head(number: head.number, passedOverAt: time) }
      guard time - heads[other]!.passedOverAt >= 3 * agingStep else { continue }
      heads[other]!.startedBefore += 1
      mostBefore = max(mostBefore, heads[other]!.startedBefore)
    }
    refill(band, &dice)
  }

  private mutating func refill(_ served: Int, _ dice: inout Dice) {
    switch feed {
    case .everyBand:
      for band in PriorityBand.allCases where waiting[band.index].isEmpty { push(band) }
    case .theServedBand:
      push(PriorityBand.allCases[served])
      if dice.once(in: 5) { push(PriorityBand.allCases[dice.roll(4)]) }
    case .anyBand:
      push(PriorityBand.allCases[dice.roll(4)])
      if dice.once(in: 7) {
        let band = dice.roll(4)
        guard let head = waiting[band].first else { return }
        _ = queue.remove(at: head.position, in: PriorityBand.allCases[band])
        waiting[band].removeFirst()
        heads[band] = nil
      }
    }
  }

  private mutating func push(_ band: PriorityBand) {
    let position = queue.push(nextNumber, in: band)
    waiting[band.index].append((nextNumber, position))
    nextNumber += 1
  }

  func check() throws {
    if mostBefore > 2 {
      throw Mismatch("\(mostBefore) start before an aged head", after: takes, of: "\(feed)")
    }
  }
}
