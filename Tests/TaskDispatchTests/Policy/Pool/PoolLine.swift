@testable import TaskDispatch

/// A pool and some views, all of width 2 and named by number: 0 is the background.
struct PoolLine: ~Copyable {
  private var pool: PoolOrder<Job>
  private let views: [PoolView<Job>]
  private var running: [PoolOrder<Job>.Started] = []
  private var nextID = 0

  init(width: Int, views count: Int) {
    pool = PoolOrder(width: width, agingStep: 1_000)
    let width = min(width, 2)
    views =
      [pool.background]
      + (0..<count).map { _ in PoolView(width: width, workerWidth: width, agingStep: 1_000) }
  }

  struct Ticket {
    let view: Int
    let position: Int
    let band: PriorityBand
  }

  @discardableResult
  mutating func submit(_ view: Int, in band: PriorityBand) -> Ticket {
    nextID += 1
    let job = Job(id: nextID, band: band)
    let position = pool.submit(job, to: views[view], in: band, now: { 0 })
    return Ticket(view: view, position: position, band: band)
  }

  mutating func submit(_ views: [Int], in band: PriorityBand) {
    for view in views { submit(view, in: band) }
  }

  mutating func submitBarrier(_ view: Int) {
    nextID += 1
    let job = Job(id: nextID, band: .medium, isBarrier: true)
    _ = pool.submit(job, to: views[view], in: .medium, isBarrier: true, now: { 0 })
  }

  mutating func remove(_ ticket: Ticket) {
    _ = pool.remove(
      at: ticket.position, in: ticket.band, isBarrier: false, from: views[ticket.view],
      now: { 0 })
  }

  /// Starts all tasks that may start now, and returns their views.
  mutating func startAll() -> [Int] {
    var started: [Int] = []
    while let next = pool.start(now: { 0 }) {
      running.append(next)
      started.append(views.firstIndex { $0 === next.view }!)
    }
    return started
  }

  mutating func finishFirst(of view: Int) {
    let index = running.firstIndex { $0.view === views[view] }!
    pool.finish(running.remove(at: index), now: { 0 })
  }

  /// The views in the order of their starts, where each task ends before the next starts.
  mutating func startsOneByOne() -> [Int] {
    var order: [Int] = []
    while let next = pool.start(now: { 0 }) {
      order.append(views.firstIndex { $0 === next.view }!)
      pool.finish(next, now: { 0 })
    }
    return order
  }
}
