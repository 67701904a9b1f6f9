import Testing

@testable import TaskDispatch

/// When a view and the background hold ready tokens, and which of these come first.
extension PoolOrderTests {
  @Test("moves a view's ready token up when a higher task arrives")
  func movesTurnsUp() {
    var line = PoolLine(width: 1, views: 3)
    line.submit([1, 2, 3], in: .medium)

    line.submit([3], in: .high)

    #expect(line.startsOneByOne() == [3, 1, 2, 3])
  }

  @Test("leaves no high ready token behind for a high task that was cancelled")
  func movesTurnsDown() {
    var line = PoolLine(width: 1, views: 3)
    line.submit([1, 2, 3], in: .medium)
    let cancelled = line.submit(3, in: .high)

    line.remove(cancelled)

    #expect(line.startsOneByOne() == [1, 2, 3])
  }

  @Test("keeps the ready token of a view for its next task when the first is cancelled")
  func keepsTurnsOfCancelledTasks() {
    var line = PoolLine(width: 1, views: 3)
    let cancelled = line.submit(1, in: .medium)
    line.submit([2, 3, 1], in: .medium)

    line.remove(cancelled)

    #expect(line.startsOneByOne() == [1, 2, 3])
  }

  @Test("does not let a view with a long queue hold another back")
  func alternates() {
    var line = PoolLine(width: 1, views: 2)
    line.submit([1, 1, 1, 1, 2, 2], in: .medium)

    #expect(line.startsOneByOne() == [1, 2, 1, 2, 1, 1])
  }

  @Test("puts what the background already had to do before what a view begins to want")
  func startsTheOlderBackgroundFirst() {
    var line = PoolLine(width: 1, views: 1)
    line.submit([0, 0, 0, 1, 1], in: .medium)

    #expect(line.startsOneByOne() == [0, 1, 0, 1, 0])
  }

  @Test("keeps the age of the background's ready token while it has none to contend with")
  func keepsTheAgeOfRestingTurns() {
    var pool = PoolOrder<Job>(width: 1, agingStep: 10)
    let view = PoolView<Job>(width: 1, workerWidth: 1, agingStep: 10)
    _ = pool.submit(Job(id: -1, band: .medium), to: pool.background, in: .medium, now: { 0 })
    for id in 0..<4 { _ = pool.submit(Job(id: id, band: .high), to: view, in: .high, now: { 0 }) }
    var order: [Int] = []

    for time in [0, 5, 9, 10, 11] as [Int64] {
      let started = pool.start(now: { time })!
      order.append(started.taken.entry.id)
      pool.finish(started, now: { time })
    }

    #expect(order == [0, 1, 2, -1, 3])
  }

  @Test("is taken straight from the background's queue again once no view has work")
  func goesStraightAgain() {
    var pool = PoolOrder<Job>(width: 1, agingStep: 10)
    let view = PoolView<Job>(width: 1, workerWidth: 1, agingStep: 10)
    func submit(_ id: Int, to view: PoolView<Job>) -> Int {
      pool.submit(Job(id: id, band: .medium), to: view, in: .medium, now: { 0 })
    }

    _ = submit(0, to: pool.background)
    #expect(pool.usesTokens == false)
    _ = submit(1, to: view)
    let cancelled = submit(2, to: view)
    #expect(pool.usesTokens == true)
    _ = pool.remove(at: cancelled, in: .medium, isBarrier: false, from: view, now: { 0 })
    for _ in 0..<2 { pool.finish(pool.start(now: { 0 })!, now: { 0 }) }
    #expect(pool.usesTokens == false)

    _ = submit(3, to: pool.background)
    _ = submit(4, to: pool.background)
    #expect(pool.usesTokens == false)
    let started = pool.start(now: { 0 })!
    #expect(pool.background.queue.heldTokens.count == 0)
    pool.finish(started, now: { 0 })
    #expect(pool.background.queue.heldTokens.count == 0 && pool.viewsWithTokens == 0)
  }

  @Test("finds every ready token again after many others were dropped, and keeps few dead ones")
  func compactsTurns() {
    var pool = PoolOrder<Job>(width: 2, agingStep: 10)
    let views = (0..<4).map { _ in PoolView<Job>(width: 2, workerWidth: 2, agingStep: 10) }
    func submit(_ id: Int, to view: Int) -> Int {
      pool.submit(Job(id: id, band: .medium), to: views[view], in: .medium, now: { 0 })
    }
    func remove(_ position: Int, from view: Int) {
      _ = pool.remove(
        at: position, in: .medium, isBarrier: false, from: views[view], now: { 0 })
    }
    let cancelledLater = submit(0, to: 0)
    _ = submit(1, to: 1)
    for id in 10..<200 {
      remove(submit(id, to: 3), from: 3)
      #expect(pool.tokens.deadSlots <= 2 + ReadyQueue<Int>.deadAllowance)
    }
    _ = submit(2, to: 2)

    remove(cancelledLater, from: 0)

    #expect(pool.tokens.count == 2)
    #expect(pool.start(now: { 0 })?.taken.entry.id == 1)
    #expect(pool.start(now: { 0 })?.taken.entry.id == 2)
    #expect(pool.viewsWithTokens == 0)
  }

  @Test("gives a new task of the background no age of one that was cancelled or has started")
  func forgetsTheAgeOfTurnsThatAreGone() {
    for cancels in [false, true] {
      var pool = PoolOrder<Job>(width: 2, agingStep: 10)
      let view = PoolView<Job>(width: 1, workerWidth: 1, agingStep: 10)
      func submit(_ id: Int, to view: PoolView<Job>, in band: PriorityBand) -> Int {
        pool.submit(Job(id: id, band: band), to: view, in: band, now: { 0 })
      }
      let position = submit(-1, to: pool.background, in: .medium)
      if !cancels { _ = submit(-2, to: pool.background, in: .medium) }
      for id in 0..<3 { _ = submit(id, to: view, in: .high) }
      let first = pool.start(now: { 0 })!
      if cancels {
        _ = pool.remove(
          at: position, in: .medium, isBarrier: false, from: pool.background, now: { 0 })
        _ = submit(-2, to: pool.background, in: .medium)
      } else {
        pool.finish(pool.start(now: { 0 })!, now: { 0 })
      }

      pool.finish(first, now: { 20 })

      #expect(first.taken.entry.id == 0)
      #expect(pool.start(now: { 20 })?.taken.entry.id == 1)
    }
  }
}
