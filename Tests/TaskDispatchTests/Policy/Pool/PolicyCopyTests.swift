import TestSupport
import Testing

@testable import TaskDispatch

@Suite("A copy of the pool's order")
struct PolicyCopyTests {
  @Test(
    "starts what the original then starts, and leaves it alone, as do the questions that need none",
    arguments: 1...8 as ClosedRange<UInt64>)
  func foresees(seed: UInt64) {
    var dice = Dice(seed: seed)
    var time: Int64 = 0
    var pool = PoolOrder<Job>(width: 1 + dice.roll(4), agingStep: 10) { $0.position = $1 }
    let views =
      [pool.background]
      + (0..<3).map { _ in
        PoolView<Job>(width: 1 + dice.roll(3), workerWidth: 1 + dice.roll(3), agingStep: 10) {
          $0.position = $1
        }
      }
    var waiting: [(job: Job, view: Int)] = []
    var running: [PoolOrder<Job>.Started] = []
    for id in 0..<500 {
      time += Int64(dice.roll(8))
      let view = dice.roll(4)
      let now = time
      switch dice.roll(9) {
      case 0..<5:
        let job = Job(
          id: id, band: PriorityBand.allCases[dice.roll(4)], isBarrier: dice.once(in: 9),
          runsOnCaller: dice.once(in: 9))
        waiting.append((job, view))
        job.position = pool.submit(
          job, to: views[view], in: job.band, isBarrier: job.isBarrier, now: { now })
      case 5 where !waiting.isEmpty:
        let (job, view) = waiting.remove(at: dice.roll(waiting.count))
        _ = pool.remove(
          at: job.position, in: job.band, isBarrier: job.isBarrier, from: views[view],
          now: { now })
      case 6 where !running.isEmpty:
        pool.finish(running.remove(at: dice.roll(running.count)), now: { now })
      case 7:
        let before = views.map { ($0.queue.ready.count, $0.queue.running) }
        var copy = pool.clone()
        var foreseen: [Int] = []
        while let next = copy.start(now: { now }) { foreseen.append(next.taken.entry.id) }
        for grant in copy.takeAdmitted() { foreseen.append(grant.taken.entry.id) }
        var startable: [Int] = []
        func note(_ job: borrowing Job) { startable.append(job.id) }
        func id(_ job: borrowing Job) -> Int { job.id }
        pool.forEachStartable(now: { now }, note)
        let next = pool.withNext(now: { now }, id)
        let after = views.map { ($0.queue.ready.count, $0.queue.running) }
        #expect(before.elementsEqual(after, by: ==), "seed \(seed), step \(id)")
        #expect(startable.first == next, "seed \(seed), step \(id)")
        var seen: [Int] = []
        while let next = pool.start(now: { now }) {
          seen.append(next.taken.entry.id)
          running.append(next)
        }
        #expect(startable == seen, "seed \(seed), step \(id)")
        let admitted = pool.takeAdmitted()
        running += admitted
        seen += admitted.map(\.taken.entry.id)
        #expect(foreseen == seen, "seed \(seed), step \(id)")
      default: break
      }
      running += pool.takeAdmitted()
      for started in running { waiting.removeAll { $0.job === started.taken.entry } }
    }
  }
}
