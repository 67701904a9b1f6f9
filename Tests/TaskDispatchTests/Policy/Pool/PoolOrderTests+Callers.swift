import TestSupport
import Testing

@testable import TaskDispatch

/// Blocked callers of `sync` that age lets begin.
extension PoolOrderTests {
  @Test("lets a caller run whose task has come of age, when a helper looks and when a worker does")
  func grantsWhatComesOfAge() {
    for (helps, isBackground) in [(false, false), (false, true), (true, false), (true, true)] {
      var pool = PoolOrder<Job>(width: 1, agingStep: 10)
      let own = PoolView<Job>(width: 1, workerWidth: 1, agingStep: 10)
      let view = isBackground ? pool.background : own
      let caller = Job(id: 9, band: .medium, runsOnCaller: true)
      _ = pool.submit(Job(id: 0, band: .high), to: view, in: .high, now: { 0 })
      _ = pool.submit(Job(id: 1, band: .high), to: view, in: .high, now: { 0 })
      _ = pool.submit(caller, to: view, in: .medium, now: { 0 })
      let first = pool.start(now: { 0 })!
      pool.finish(first, now: { 9 })
      #expect(pool.takeAdmitted().count == 0)

      #expect(pool.canStart(now: { 10 }) == true)
      let next = helps ? pool.startToHelp(view, now: { 10 }) : pool.start(now: { 10 })

      #expect(next == nil)
      let admitted = pool.takeAdmitted()
      #expect(admitted.map(\.taken.entry.id) == [9])
      guard let grant = admitted.first else { continue }
      pool.finish(grant, now: { 10 })
      #expect(pool.start(now: { 10 })?.taken.entry.id == 1)
    }
  }

  @Test(
    "admits and starts everything while its clock runs on between any two looks",
    arguments: [1, 3])
  func leavesNothingBehindWhileItsClockRuns(viewCount: Int) {
    for seed in 0..<100 as Range<UInt64> {
      var dice = Dice(seed: seed)
      var time: Int64 = 0
      let tick = Int64(1 + dice.roll(9))
      func now() -> Int64 {
        time += tick
        return time
      }
      var pool = PoolOrder<Job>(width: 1 + dice.roll(2), agingStep: 10)
      let views =
        [pool.background]
        + (1..<viewCount).map { _ in
          PoolView<Job>(width: 2, workerWidth: 1 + dice.roll(2), agingStep: 10)
        }
      var running: [PoolOrder<Job>.Started] = []
      for id in 0..<24 {
        let band = PriorityBand.allCases[dice.roll(4)]
        let job = Job(id: id, band: band, runsOnCaller: dice.once(in: 2))
        _ = pool.submit(job, to: views[dice.roll(viewCount)], in: band, now: now)
        running += pool.takeAdmitted()
      }
      while true {
        if let started = pool.start(now: now) {
          #expect(started.taken.entry.runsOnCaller == false, "seed \(seed)")
          running.append(started)
        }
        running += pool.takeAdmitted()
        guard let first = running.first else { break }
        running.removeFirst()
        pool.finish(first, now: now)
        running += pool.takeAdmitted()
      }
      for view in views { #expect(view.queue.ready.count == 0, "seed \(seed)") }
    }
  }

  @Test("starts a task of the background in the same look that finds a caller's come of age")
  func startsBesideTheGrant() {
    var pool = PoolOrder<Job>(width: 2, agingStep: 10)
    let caller = Job(id: 9, band: .medium, runsOnCaller: true)
    for id in 0..<2 {
      _ = pool.submit(Job(id: id, band: .high), to: pool.background, in: .high, now: { 0 })
    }
    _ = pool.submit(caller, to: pool.background, in: .medium, now: { 0 })
    pool.finish(pool.start(now: { 0 })!, now: { 9 })

    #expect(pool.start(now: { 10 })?.taken.entry.id == 1)
    #expect(pool.takeAdmitted().map(\.taken.entry.id) == [9])
  }
}
