import TestSupport
import Testing

@testable import TaskDispatch

@Suite("Views against each other, all with endless work")
struct PolicyFairnessTests {
  @Test(
    "in one band, at most as many others start before a view's next task as they have width",
    arguments: 1...12 as ClosedRange<UInt64>)
  func boundsOthersInOneBand(seed: UInt64) {
    var dice = Dice(seed: seed)
    let others = (0..<1 + dice.roll(4)).map { _ in 1 + dice.roll(4) }
    var street = Street(
      width: 1 + dice.roll(4), views: ([1] + others).map { ($0, [.medium]) },
      background: [.medium], agingStep: 50, longestTask: 1 + dice.roll(30), seed: seed)

    street.run(until: 1_200)

    // The view's ready token goes to the tail. The other views hold at most this many ready tokens before it.
    let bound = street.widthOfAll - street.widths[1]
    #expect(street.mostOthersBetween[1] <= bound, "seed \(seed)")
    #expect(street.starts.allSatisfy { $0 > 0 }, "seed \(seed): \(street.starts)")
  }

  @Test("the bound in one band is reached, so it is not too wide")
  func reachesTheBound() {
    var street = Street(
      width: 1, views: [(1, [.medium]), (1, [.medium]), (1, [.medium])], background: [.medium],
      agingStep: 50, longestTask: 1, seed: 0)

    street.run(until: 100)

    #expect(street.mostOthersBetween == [3, 3, 3, 3])
  }

  @Test(
    "in any bands, no view waits longer than aging and the ready tokens before its own take",
    arguments: PriorityBand.allCases, PriorityBand.allCases)
  func noViewStarves(first: PriorityBand, second: PriorityBand) {
    for background in PriorityBand.allCases {
      for (width, firstWidth, secondWidth) in [(1, 1, 1), (2, 2, 1)] {
        var street = Street(
          width: width, views: [(firstWidth, [first]), (secondWidth, [second])],
          background: [background],
          agingStep: 20, longestTask: 4, seed: 1)

        street.run(until: 400)

        for view in 0...2 {
          #expect(
            street.longestWait[view] <= street.longestWaitOfATurn(of: view),
            "\(first) \(firstWidth), \(second) \(secondWidth), \(background) \(width): view \(view)"
          )
        }
      }
    }
  }

  @Test(
    "a single view of any band and the background do not starve each other",
    arguments: PriorityBand.allCases, PriorityBand.allCases)
  func twoDoNotStarveEachOther(one: PriorityBand, background: PriorityBand) {
    for width in 1...2 {
      var street = Street(
        width: width, views: [(width, [one])], background: [background], agingStep: 20,
        longestTask: 1, seed: 0)

      street.run(until: 400)

      for view in 0...1 {
        #expect(
          street.longestWait[view] <= street.longestWaitOfATurn(of: view),
          "width \(width): \(street.starts)")
      }
    }
  }

  @Test("and in every band of a view, a task waits at most for aging in both of its queues")
  func agesInBothQueues() {
    for width in 1...3 {
      var street = Street(
        width: width, views: [(1, PriorityBand.allCases), (2, PriorityBand.allCases)],
        background: PriorityBand.allCases, agingStep: 10, longestTask: 1, seed: 3)

      street.run(until: 2_000)

      // A view's head is passed over at the next start of the view and ages three steps. At the start after
      // that, it lets two others go before.
      for view in 0...2 {
        let token = street.longestWaitOfATurn(of: view)
        for band in 0..<4 {
          let wait = street.longestWaitInBand[view][band]
          #expect(wait <= 3 * 10 + 5 * token, "width \(width), view \(view), band \(band)")
        }
      }
    }
  }

  @Test("of one width in one band, all get the same share")
  func sharesEvenly() {
    var street = Street(
      width: 2, views: [(2, [.low]), (2, [.low])], background: [.low], agingStep: 20,
      longestTask: 1, seed: 0)

    street.run(until: 600)

    for view in 0...2 { #expect(abs(street.starts[view] - 400) <= 3, "\(street.starts)") }
  }
}

/// A pool whose views, the background among them, never run out of work.
///
/// Time is virtual: a worker that finishes a task starts the next one at that moment.
private struct Street: ~Copyable {
  private var pool: PoolOrder<Job>
  private let views: [PoolView<Job>]
  private let bands: [[PriorityBand]]
  private var running: [(ends: Int64, view: Int, started: PoolOrder<Job>.Started)] = []
  private var time: Int64 = 0
  private var dice: Dice
  private var nextID = 0
  private let agingStep: Int64
  private let longestTask: Int
  /// The time since which each view has had room and has started nothing.
  private var readySince: [Int64]
  private var othersSince: [Int]
  private var bandSince: [[Int64]]

  /// How many tasks of each view have started, the background first.
  private(set) var starts: [Int]
  /// For each view, the most tasks of other views that started between one of its finishes and its next start.
  private(set) var mostOthersBetween: [Int]
  private(set) var longestWait: [Int64]
  private(set) var longestWaitInBand: [[Int64]]

  init(
    width: Int, views others: [(Int, [PriorityBand])], background: [PriorityBand],
    agingStep: Int64, longestTask: Int, seed: UInt64
  ) {
    pool = PoolOrder(width: width, agingStep: agingStep) { $0.position = $1 }
    views =
      [pool.background]
      + others.map { PoolView(width: $0.0, workerWidth: width, agingStep: agingStep) }
    bands = [background] + others.map(\.1)
    dice = Dice(seed: seed)
    self.agingStep = agingStep
    self.longestTask = longestTask
    let none = views.map { _ in 0 }
    (starts, mostOthersBetween, othersSince) = (none, none, none)
    readySince = none.map(Int64.init)
    longestWait = readySince
    bandSince = views.map { _ in [0, 0, 0, 0] }
    longestWaitInBand = bandSince
    for view in views.indices { for band in bands[view] { for _ in 0..<4 { submit(view, band) } } }
  }

  var widths: [Int] { views.map { $0.queue.workerWidth } }
  var widthOfAll: Int { widths.reduce(0, +) }

  /// The longest time between two starts of a view that has room, for views whose work is of one band.
  ///
  /// The view's own task may run once. Then each ready token before its own becomes the head of the band when
  /// the one before it starts. It is passed over by the next start and ages three steps. At the start after
  /// that it lets two others go before. A worker becomes free at least once in the time of the longest task.
  func longestWaitOfATurn(of view: Int) -> Int64 {
    let highest = bands[view].max()!
    var tokens = 1
    for other in views.indices where other != view && bands[other].max()! == highest {
      tokens += widths[other]
    }
    return Int64(tokens) * (3 * agingStep + 4 * Int64(longestTask)) + Int64(longestTask)
  }

  mutating func run(until end: Int64) {
    while time < end {
      let time = time
      if let started = pool.start(now: { time }) { note(started) } else { finishNext() }
    }
    for view in views.indices {
      longestWait[view] = max(longestWait[view], time - readySince[view])
    }
  }

  private mutating func note(_ started: PoolOrder<Job>.Started) {
    let view = views.firstIndex { $0 === started.view }!
    let band = started.taken.entry.band
    starts[view] += 1
    mostOthersBetween[view] = max(mostOthersBetween[view], othersSince[view])
    othersSince[view] = 0
    for other in views.indices where other != view { othersSince[other] += 1 }
    longestWait[view] = max(longestWait[view], time - readySince[view])
    readySince[view] = time
    longestWaitInBand[view][band.index] = max(
      longestWaitInBand[view][band.index], time - bandSince[view][band.index])
    bandSince[view][band.index] = time
    let duration = Int64(longestTask == 1 ? 1 : 1 + dice.roll(longestTask))
    running.append((time + duration, view, started))
    submit(view, band)
  }

  private mutating func finishNext() {
    let index = running.indices.min { running[$0].ends < running[$1].ends }!
    let next = running.remove(at: index)
    time = next.ends
    let now = time
    pool.finish(next.started, now: { now })
    if widths[next.view] == 1 { othersSince[next.view] = 0 }
  }

  private mutating func submit(_ view: Int, _ band: PriorityBand) {
    nextID += 1
    let time = time
    let job = Job(id: nextID, band: band)
    job.position = pool.submit(job, to: views[view], in: band, now: { time })
  }
}
