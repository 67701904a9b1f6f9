import TestSupport
import Testing

@testable import TaskDispatch

/// Two pools with the same history. Where the first lets a task take the place of the one that ended, the
/// second ends that one and starts another. After that the two may never differ in what they do, whatever the
/// time.
@Suite("A task that takes the place of another, beside an end and a start,")
struct TakeOverTwinTests {
  @Test("leaves a pool that goes on in the same way", arguments: 1...60 as ClosedRange<UInt64>)
  func longPrograms(seed: UInt64) {
    var dice = Dice(seed: seed)
    let widths = [[[1, 1]], [[2, 2]], [[2, 1], [3, 3]], [[3, 3], [1, 1], [2, 2]]][dice.roll(4)]
    var twins = Twins(width: 1 + dice.roll(3), viewWidths: widths)
    let variety = dice.roll(3)
    var view = 0
    for _ in 0..<3_000 {
      if dice.once(in: 40) {
        view = dice.roll(widths.count + 1)
        // Tasks that are left from before would keep the new view from ever being the only one with work.
        if dice.once(in: 2) { twins.drain() }
      }
      let running = twins.replaceable
      switch dice.roll(20) {
      case 0..<6:
        let isPlain = !dice.once(in: [1_000, 12, 4][variety])
        twins.submit(
          to: dice.once(in: 30) ? dice.roll(widths.count + 1) : view,
          isPlain ? .medium : PriorityBand.allCases[dice.roll(4)],
          onCaller: !isPlain && dice.once(in: 3), isBarrier: !isPlain && dice.once(in: 3))
      case 6..<9: twins.start()
      case 9..<11 where !twins.running.isEmpty: twins.finish(dice.roll(twins.running.count))
      case 11..<18 where !running.isEmpty: twins.takeOver(running[dice.roll(running.count)])
      case 18 where dice.once(in: 4): twins.suspendOrResume(dice.roll(widths.count) + 1)
      default: twins.time += Int64(dice.roll(6))
      }
      if twins.difference != nil { break }
    }
    #expect(twins.difference == nil, "seed \(seed)")
    #expect(twins.takenOver > 20)
  }

  @Test("leaves behind it a ready token that no start has passed over yet")
  func notPassedOver() {
    var twins = Twins(width: 2, viewWidths: [[2, 2], [1, 1]])
    for _ in 0..<4 { twins.submit(to: 1, .medium, onCaller: false, isBarrier: false) }
    twins.start()
    twins.submit(to: 2, .high, onCaller: false, isBarrier: false)
    // This start passes over the ready token that the other view holds.
    twins.start()
    twins.finish(1)
    twins.takeOver(0)
    twins.time += 10
    twins.submit(to: 2, .high, onCaller: false, isBarrier: false)
    twins.start()

    #expect(twins.difference == nil)
    #expect(twins.takenOver == 1)
    #expect(twins.running.map(\.one.taken.entry.id) == [1, 5])
  }
}

private struct Twins: ~Copyable {
  private var one: PoolOrder<Job>
  private var other: PoolOrder<Job>
  private var views: [(one: PoolView<Job>, other: PoolView<Job>, isSuspended: Bool)]
  private(set) var running: [(one: PoolOrder<Job>.Started, other: PoolOrder<Job>.Started)] = []
  private(set) var takenOver = 0
  private(set) var difference: String?
  private var nextID = 0
  var time: Int64 = 0

  init(width: Int, viewWidths: [[Int]]) {
    func moved(_ job: inout Job, _ position: Int) { job.position = position }
    one = PoolOrder(width: width, agingStep: 10, relocated: moved)
    other = PoolOrder(width: width, agingStep: 10, relocated: moved)
    views = [(one.background, other.background, false)]
    views += viewWidths.map {
      (
        PoolView(width: $0[0], workerWidth: $0[1], agingStep: 10, relocated: moved),
        PoolView(width: $0[0], workerWidth: $0[1], agingStep: 10, relocated: moved), false
      )
    }
  }

  /// The indices of the running tasks whose place another may take.
  var replaceable: [Int] {
    running.indices.filter {
      running[$0].one.taken.runner == .worker && !running[$0].one.taken.isBarrier
    }
  }

  mutating func submit(to view: Int, _ band: PriorityBand, onCaller: Bool, isBarrier: Bool) {
    let (a, b) = (
      Job(id: nextID, band: band, isBarrier: isBarrier, runsOnCaller: onCaller),
      Job(id: nextID, band: band, isBarrier: isBarrier, runsOnCaller: onCaller)
    )
    nextID += 1
    let time = time
    a.position = one.submit(
      a, to: views[view].one, in: band, isBarrier: isBarrier, now: { time })
    b.position = other.submit(
      b, to: views[view].other, in: band, isBarrier: isBarrier, now: { time })
    compare("submit")
  }

  mutating func start() {
    let time = time
    note(one.start(now: { time }), other.start(now: { time }), "start")
  }

  mutating func finish(_ index: Int) {
    let time = time
    let ended = running.remove(at: index)
    one.finish(ended.one, now: { time })
    other.finish(ended.other, now: { time })
    compare("finish")
  }

  /// Runs until nothing runs and nothing that waits may start.
  mutating func drain() {
    for view in views.indices where views[view].isSuspended { suspendOrResume(view) }
    repeat {
      while !running.isEmpty { finish(0) }
      start()
    } while !running.isEmpty && difference == nil
  }

  mutating func takeOver(_ index: Int) {
    let time = time
    let ended = running[index]
    func isWanted(_ job: inout Job) -> Bool { job.id % 7 != 0 }
    let view = ended.one.view
    let next =
      view === one.background ? one.takeOver(if: isWanted) : one.takeOver(of: view, if: isWanted)
    guard let next else { return }
    takenOver += 1
    running.remove(at: index)
    other.finish(ended.other, now: { time })
    let taken = ViewQueue<Job>.Taken(entry: next, runner: .worker, isBarrier: false)
    note(
      PoolOrder<Job>.Started(taken: taken, view: view), other.start(now: { time }), "take over")
  }

  mutating func suspendOrResume(_ view: Int) {
    let time = time
    let isSuspended = views[view].isSuspended
    if isSuspended {
      one.resume(views[view].one, now: { time })
      other.resume(views[view].other, now: { time })
    } else {
      one.suspend(views[view].one, now: { time })
      other.suspend(views[view].other, now: { time })
    }
    views[view].isSuspended = !isSuspended
    compare("suspend or resume")
  }

  private mutating func note(
    _ a: PoolOrder<Job>.Started?, _ b: PoolOrder<Job>.Started?, _ step: String
  ) {
    if a?.taken.entry.id != b?.taken.entry.id {
      difference =
        "\(step): \(String(describing: a?.taken.entry.id)), not \(String(describing: b?.taken.entry.id))"
    }
    if let a, let b { running.append((a, b)) }
    compare(step)
  }

  private mutating func compare(_ step: String) {
    let time = time
    for (a, b) in zip(one.takeAdmitted(), other.takeAdmitted()) {
      if a.taken.entry.id != b.taken.entry.id { difference = "\(step): another grant" }
      running.append((a, b))
    }
    if one.canStart(now: { time }) != other.canStart(now: { time }) {
      difference = "\(step): only one may start another"
    }
    if one.busyWorkers != other.busyWorkers { difference = "\(step): workers" }
  }
}
