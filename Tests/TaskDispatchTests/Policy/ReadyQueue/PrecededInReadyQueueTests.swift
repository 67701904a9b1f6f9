import Testing

@testable import TaskDispatch

@Suite("What stands before an element of a ready queue")
struct PrecededInReadyQueueTests {
  private func preceding(
    _ position: Int, in queue: borrowing ReadyQueue<Int>, isBarrier: Bool = false
  ) -> [Int] {
    var found: [Int] = []
    for wanted in 0...6
    where queue.isPreceded(at: position, in: .medium, isBarrier: isBarrier, by: { $0 == wanted }) {
      found.append(wanted)
    }
    return found
  }

  @Test("is what is in a higher band, or before it in its own, and nothing of a lower one")
  func bands() {
    var queue = ReadyQueue<Int>(agingStep: 1_000)
    _ = queue.push(1, in: .high)
    _ = queue.push(2, in: .medium)
    _ = queue.push(3, in: .low)
    let position = queue.push(4, in: .medium)
    _ = queue.push(5, in: .medium)

    #expect(preceding(position, in: queue) == [1, 2])
  }

  @Test("is everything before a barrier that it stands behind, whatever its band")
  func behindBarrier() {
    var queue = ReadyQueue<Int>(agingStep: 1_000)
    _ = queue.push(1, in: .low)
    _ = queue.pushBarrier(2, in: .low)
    _ = queue.push(3, in: .low)
    let position = queue.push(4, in: .medium)

    #expect(preceding(position, in: queue) == [1, 2])
  }

  @Test("is nothing behind a barrier that it stands before")
  func beforeBarrier() {
    var queue = ReadyQueue<Int>(agingStep: 1_000)
    let position = queue.push(1, in: .medium)
    let barrier = queue.pushBarrier(2, in: .medium)
    _ = queue.push(3, in: .high)

    #expect(preceding(position, in: queue).isEmpty)
    #expect(preceding(barrier, in: queue, isBarrier: true) == [1])
  }

  @Test("goes by no barrier that was removed")
  func removedBarrier() {
    var queue = ReadyQueue<Int>(agingStep: 1_000)
    _ = queue.pushBarrier(0, in: .medium)
    _ = queue.push(1, in: .low)
    let removed = queue.pushBarrier(2, in: .medium)
    let position = queue.push(3, in: .medium)
    #expect(preceding(position, in: queue) == [0, 1, 2])

    _ = queue.removeBarrier(at: removed)

    #expect(preceding(position, in: queue) == [0])
    _ = queue.push(4, in: .high)
    let last = queue.pushBarrier(5, in: .medium)
    _ = queue.push(6, in: .high)
    #expect(preceding(position, in: queue) == [0, 4])
    _ = queue.removeBarrier(at: last)
    #expect(preceding(position, in: queue) == [0, 4, 6])
  }
}
