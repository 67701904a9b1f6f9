import TestSupport
import Testing

@testable import TaskDispatch

#if DEBUG
  /// Debug builds count the entries that a deadline queue looks at.
  @Suite("The steps of a deadline queue")
  struct StepsOfDeadlineQueueTests {
    /// In nanoseconds: none, one that reaches few other elements, one that reaches all.
    private static let tolerances: [Int64] = [0, 10, 3_600_000_000_000]

    @Test(
      "are as many as the logarithm of what waits, whatever the tolerance",
      arguments: tolerances, [256, 4_096, 65_536])
    func logarithmic(tolerance: Int64, count: Int) {
      var dice = Dice(seed: UInt64(count))
      var queue = DeadlineQueue<Int>()
      for number in 0..<count {
        queue.insert(number, due: Int64(dice.roll(1_000_000)), tolerance: tolerance)
      }
      // Four children are looked at on each level of a way down, and one on a way up.
      var levels = 1
      while 1 << (2 * levels) < count { levels += 1 }
      let (up, down) = (levels + 1, 4 * (levels + 1) + 1)
      let before = queue.looks

      let rounds = 1_000
      for number in 0..<rounds {
        let due = Int64(dice.roll(1_000_000))
        let ticket = queue.insert(number, due: due, tolerance: tolerance)
        _ = queue.nextWakeUp
        _ = queue.nextDeadline
        if number % 2 == 0 { _ = queue.remove(ticket) } else { _ = queue.popNext(dueBy: .max) }
        _ = queue.nextWakeUp
      }

      // With a tolerance, an element stands in two heaps, and each question looks at two heads.
      let heaps = tolerance == 0 ? 1 : 2
      let most = rounds * (heaps * (up + max(up, down)) + 4 * 3)
      #expect(queue.looks - before <= most)
    }

    @Test("are two at most for the next wake-up, however many a look would find due")
    func nextWakeUp() {
      var queue = DeadlineQueue<Int>()
      for number in 0..<10_000 {
        queue.insert(number, due: Int64(number), tolerance: number % 3 == 0 ? 0 : 1_000_000)
      }
      let before = queue.looks

      for _ in 0..<1_000 { #expect(queue.nextWakeUp == 0) }

      #expect(queue.looks - before <= 2_000)
    }

    @Test("are the same without tolerances, whether others have had one or not")
    func others() {
      func looks(withOthers: Bool) -> Int {
        var queue = DeadlineQueue<Int>()
        if withOthers {
          for number in 0..<1_000 { queue.insert(number, due: 1_000_000, tolerance: 1_000) }
        }
        let before = queue.looks
        for number in 0..<1_000 { queue.insert(number, due: Int64(number * 7 % 1_000)) }
        return queue.looks - before
      }

      #expect(looks(withOthers: true) == looks(withOthers: false))
    }
  }
#endif

@Suite("The moves of what waits")
struct MovesTests {
  @Test("are amortised: growing moves each element of a buffer less than twice")
  func growing() {
    var buffer = GrowableBuffer<Int>()
    var ring = Ring<Int>()
    var (moved, capacity) = (0, 0)
    var (movedInRing, capacityOfRing) = (0, 0)
    for number in 0..<100_000 {
      buffer.append(number)
      ring.append(number)
      if buffer.capacity != capacity { (moved, capacity) = (moved + number, buffer.capacity) }
      if ring.capacity != capacityOfRing {
        (movedInRing, capacityOfRing) = (movedInRing + number, ring.capacity)
      }
    }

    #expect(moved < 200_000)
    #expect(movedInRing < 200_000)
  }

  @Test("are amortised: compacting moves less than two elements for each that was removed")
  func compacting() {
    for seed in 1...20 as ClosedRange<UInt64> {
      var dice = Dice(seed: seed)
      let moves = Moves()
      var queue = ReadyQueue<Slot>(agingStep: 1) { slot, position in
        moves.count += 1
        slot.position.value = position
      }
      var waiting: [Slot] = []
      var removed = 0
      for number in 0..<20_000 {
        let slot = Slot()
        slot.position.value = queue.push(slot, in: .medium)
        waiting.append(slot)
        // Long stretches in which more is removed than comes, and some in which nothing is removed.
        let removals = number / 2_000 % 2 == 0 ? 0 : dice.roll(4)
        for _ in 0..<min(removals, waiting.count) {
          let index = dice.roll(waiting.count)
          waiting.swapAt(index, waiting.count - 1)
          let gone = waiting.removeLast()
          #expect(queue.remove(at: gone.position.value, in: .medium) != nil)
          removed += 1
        }
      }

      #expect(moves.count <= 2 * removed, "seed \(seed)")
    }
  }

  @Test("are told only to what came in since the last time")
  func telling() {
    var queue = ReadyQueue<Int>(agingStep: 1)
    var shown = 0
    for round in 1...100 {
      var inbox = Ring<Int>()
      for number in 0..<round { inbox.append(number) }
      queue.absorb(&inbox, alive: round, in: .medium, isUnindexed: true)
      let before = shown
      queue.assignPositions(in: .medium) { _, _ in shown += 1 }
      #expect(shown - before == round)
      queue.assignPositions(in: .medium) { _, _ in shown += 1 }
      #expect(shown - before == round)
    }
  }

  private final class Moves { var count = 0 }

  private struct Slot {
    final class Position { var value = 0 }
    let position = Position()
  }
}
