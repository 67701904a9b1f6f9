/// A lock that works like ``WordLock``. A thread that finds it held spins for a while, and then sleeps.
/// The thread that frees it wakes the sleeping threads.
final class Lock {
  private let timeline: Timeline
  private let costs: Costs
  private let design: Design
  private var isHeld = false
  private var isMarked = false
  /// The core that has the lock's cache line.
  private var core = -1
  private var lookers: [Waiter] = []
  private var sleepers: [Waiter] = []
  private(set) var sleeps = 0

  private final class Waiter {
    let core: Int
    let go: () -> Void

    init(_ core: Int, _ go: @escaping () -> Void) {
      self.core = core
      self.go = go
    }
  }

  init(_ timeline: Timeline, _ costs: Costs, _ design: Design) {
    self.timeline = timeline
    self.costs = costs
    self.design = design
  }

  /// Calls `go` once `core` holds the lock.
  func take(_ core: Int, _ go: @escaping () -> Void) {
    let waiter = Waiter(core, go)
    if !isHeld { return give(waiter, others: 0) }
    lookers.append(waiter)
    timeline.after(costs.looking) { [self] in
      guard let index = lookers.firstIndex(where: { $0 === waiter }) else { return }
      lookers.remove(at: index)
      sleep(waiter)
    }
  }

  private func sleep(_ waiter: Waiter) {
    timeline.after(costs.falling) { [self] in
      isMarked = true
      if !isHeld { return give(waiter, others: 0) }
      sleeps += 1
      sleepers.append(waiter)
    }
  }

  /// - Parameter others: How many other cores poll the line, which slows its way.
  private func give(_ waiter: Waiter, others: Int) {
    precondition(!isHeld)
    isHeld = true
    let way = waiter.core == core ? 0 : costs.transfer * (1 + 0.2 * Double(others))
    core = waiter.core
    timeline.after(way, waiter.go)
  }

  /// Frees the lock, and calls `go` when the core that held it can go on.
  func free(_ go: @escaping () -> Void) {
    precondition(isHeld)
    isHeld = false
    let wakes = isMarked
    isMarked = false
    if !lookers.isEmpty {
      let next = lookers.remove(at: timeline.choose(lookers.count))
      give(next, others: lookers.count)
    }
    guard wakes, !sleepers.isEmpty else { return go() }
    let woken = design.wakesOne ? [sleepers.removeFirst()] : sleepers
    if !design.wakesOne { sleepers = [] }
    if !sleepers.isEmpty { isMarked = true }
    for waiter in woken {
      timeline.after(costs.waking + costs.awaking) { [self] in
        isMarked = true
        if isHeld { sleep(waiter) } else { give(waiter, others: lookers.count) }
      }
    }
    timeline.after(costs.waking + costs.wakingEach * Double(woken.count), go)
  }
}
