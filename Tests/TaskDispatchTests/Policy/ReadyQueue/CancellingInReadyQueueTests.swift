import TestSupport
import Testing

@testable import TaskDispatch

@Suite("Removing from a ready queue")
struct CancellingInReadyQueueTests {
  @Test("leaves every order of what stays as it was, through compaction, between all barriers")
  func compactsBetweenBarriers() throws {
    var relocations = 0
    try forEveryProgram { choices in
      var trial = ReadyQueueTrial(agingStep: 2)
      var doomed: [Int] = []
      for _ in 0..<4 {
        switch choices.choose(4) {
        case 0: trial.perform(.push(.medium))
        case 1: trial.perform(.pushBarrier(.medium))
        case 2:
          for _ in 0..<18 {
            trial.perform(.push(.medium))
            doomed.append(trial.newest)
          }
        default:
          for _ in 0..<18 {
            trial.perform(.pushBarrier(.low))
            doomed.append(trial.newest)
          }
        }
      }
      trial.perform(.push(.medium))
      try trial.check()

      if choices.choose(2) == 0 { doomed.reverse() }
      for id in doomed {
        trial.perform(trial.removal(of: id))
        try trial.check()
      }

      relocations += trial.relocations
      if trial.removableCount > 1 {
        trial.perform(trial.removal(of: trial.removable[choices.choose(trial.removableCount)]))
      }
      try trial.drain()
    }
    #expect(relocations > 500)
  }

  @Test("lets go of the element at once")
  func releasesAtOnce() {
    var queue = ReadyQueue<Token>(agingStep: 1)
    let census = Census()
    weak var removed: Token?
    weak var fenced: Token?
    weak var barrier: Token?
    let ahead = queue.push(Token(0, in: census), in: .low)
    let position = queue.push(newToken(1, in: census, &removed), in: .low)
    let barrierPosition = queue.pushBarrier(newToken(2, in: census, &barrier), in: .low)
    let fencedPosition = queue.push(newToken(3, in: census, &fenced), in: .low)

    _ = queue.remove(at: position, in: .low)
    #expect(removed == nil)
    _ = queue.remove(at: fencedPosition, in: .low)
    #expect(fenced == nil)
    _ = queue.removeBarrier(at: barrierPosition)
    #expect(barrier == nil)

    #expect(census.living == 1)
    _ = queue.remove(at: ahead, in: .low)
    #expect(census.living == 0)
  }

  @Test("lets go of everything with the queue")
  func releasesWithTheQueue() {
    let census = Census()
    do {
      var queue = ReadyQueue<Token>(agingStep: 1)
      for number in 0..<100 {
        queue.push(Token(number, in: census), in: PriorityBand.allCases[number % 4])
        if number % 10 == 0 { queue.pushBarrier(Token(number, in: census), in: .high) }
      }
      for position in 0..<5 { _ = queue.remove(at: position * 4, in: .low) }
      #expect(census.living == 105)
    }
    #expect(census.living == 0)
  }

  @Test("says nothing for a position that was taken, removed or never given out")
  func removesOnce() {
    var queue = ReadyQueue<Int>(agingStep: 1)
    for number in 0..<4 { queue.push(number, in: .high) }
    let barrier = queue.pushBarrier(4, in: .high)

    #expect(queue.take(at: 0) == 0)
    #expect(queue.remove(at: 2, in: .high) == 2)
    #expect(queue.removeBarrier(at: barrier) == 4)

    for position in [-1, 0, 2, 4, 100] { #expect(queue.remove(at: position, in: .high) == nil) }
    for position in 0..<4 { #expect(queue.remove(at: position, in: .low) == nil) }
    for position in -1..<3 { #expect(queue.removeBarrier(at: position) == nil) }
    #expect(queue.count == 2)
  }

  @Test("a barrier twice takes it out once, also while it stands as a tombstone")
  func removesBarrierOnce() {
    var queue = ReadyQueue<Int>(agingStep: 1)
    let first = queue.pushBarrier(0, in: .high)
    let second = queue.pushBarrier(1, in: .high)

    #expect(queue.removeBarrier(at: second) == 1)
    #expect(queue.removeBarrier(at: second) == nil)
    #expect(queue.count == 1)
    #expect(queue.takeBarrier() == 0)
    #expect(queue.removeBarrier(at: first) == nil)
    #expect(queue.count == 0)
    #expect(queue.deadSlots == 0)
  }

  @Test("the head lets the next one begin to age anew")
  func agesAnewAfterRemoval() {
    var queue = ReadyQueue<Int>(agingStep: 10)
    for number in 0..<4 { queue.push(number, in: .high) }
    let head = queue.push(10, in: .medium)
    queue.push(11, in: .medium)

    #expect(queue.take(at: 0) == 0)
    #expect(queue.remove(at: head, in: .medium) == 10)
    #expect(queue.take(at: 10) == 1)
    #expect(queue.take(at: 19) == 2)
    #expect(queue.take(at: 20) == 11)
  }

  @Test("behind the head leaves the head as old as it was")
  func keepsAgeOfTheHead() {
    var queue = ReadyQueue<Int>(agingStep: 10)
    for number in 0..<4 { queue.push(number, in: .high) }
    queue.push(10, in: .medium)
    let second = queue.push(11, in: .medium)

    #expect(queue.take(at: 0) == 0)
    #expect(queue.remove(at: second, in: .medium) == 11)
    #expect(queue.take(at: 10) == 10)
  }

  @Test("never lets tombstones outnumber live entries by more than the allowance")
  func boundsDeadSlots() {
    var queue = ReadyQueue<Int>(agingStep: 1)
    let allowance = ReadyQueue<Int>.deadAllowance
    queue.push(-1, in: .medium)
    for number in 0..<10_000 {
      let position = queue.push(number, in: .medium)
      _ = queue.remove(at: position, in: .medium)
      guard queue.deadSlots <= 1 + allowance else {
        Issue.record("\(queue.deadSlots) dead slots beside one live one")
        return
      }
    }
    #expect(queue.bands[PriorityBand.medium.index].ring.capacity <= 64)
    #expect(queue.take(at: 0) == -1)
    #expect(queue.deadSlots == 0)
  }

  @Test("never lets removed barriers outnumber those that stand by more than the allowance")
  func boundsOpenMarks() {
    var queue = ReadyQueue<Int>(agingStep: 1)
    let allowance = ReadyQueue<Int>.deadAllowance
    queue.pushBarrier(-1, in: .medium)
    for number in 0..<10_000 {
      queue.push(number, in: .medium)
      let barrier = queue.pushBarrier(number, in: .medium)
      _ = queue.removeBarrier(at: barrier)
      guard queue.deadSlots <= 1 + allowance else {
        Issue.record("\(queue.deadSlots) marks beside one barrier")
        return
      }
    }
    #expect(queue.barriers.capacity <= 64)
    #expect(queue.takeBarrier() == -1)
    #expect(queue.startable[PriorityBand.medium.index] == 10_000)
  }

  @Test("in one band does not cost another band its memory under a steady load")
  func leavesMemoryOfOtherBands() {
    var queue = ReadyQueue<Int>(agingStep: 1)
    for number in 0..<3 { queue.push(number, in: .low) }
    _ = queue.remove(at: 1, in: .low)
    for _ in 0..<4 {
      for number in 0..<3_000 { queue.push(number, in: .high) }
      for _ in 0..<3_000 { _ = queue.take(at: 0) }
      #expect(queue.bands[PriorityBand.high.index].ring.capacity == 4096)
    }
    #expect(queue.deadSlots == 1)
  }

  @Test("half of a great many moves only few of the others")
  func movesFew() {
    final class Moves { var count = 0 }
    let moves = Moves()
    var queue = ReadyQueue<Int>(agingStep: 1) { _, _ in moves.count += 1 }
    for number in 0..<10_000 { queue.push(number, in: .medium) }

    for position in stride(from: 1, to: 10_000, by: 2) {
      _ = queue.remove(at: position, in: .medium)
    }

    #expect(moves.count == 0)
    #expect(queue.deadSlots == 5_000)
  }

  /// A token that the caller refers to only weakly.
  private func newToken(_ number: Int, in census: Census, _ remembered: inout Token?) -> Token {
    let token = Token(number, in: census)
    remembered = token
    return token
  }
}

extension ReadyQueueTrial {
  /// The element that was put in last.
  fileprivate var newest: Int { model.waiting.last!.id }
}
