import TestSupport
import Testing

@testable import TaskDispatch

#if DEBUG
  /// Debug builds count the slots that a ready queue touches.
  @Suite("The steps of a ready queue")
  struct StepsOfReadyQueueTests {
    private static let sizes = [100, 1_000, 10_000, 100_000]

    private func inbox(of count: Int) -> Ring<Int> {
      var inbox = Ring<Int>()
      for number in 0..<count { inbox.append(number) }
      return inbox
    }

    @Test("are none to absorb an inbox into an empty band", arguments: sizes)
    func absorbsIntoEmpty(count: Int) {
      var queue = ReadyQueue<Int>(agingStep: 1)
      var inbox = inbox(of: count)
      let before = inbox.looks

      queue.absorb(&inbox, alive: count, in: .medium)

      // The queue and the inbox have exchanged their rings, so no slot was touched.
      let (looks, held) = (queue.looks + inbox.looks, queue.count)
      #expect(looks == before)
      #expect(held == count)
    }

    @Test(
      "are as many as the inbox holds if the band is not empty, whatever that holds",
      arguments: sizes)
    func absorbs(count: Int) {
      var queue = ReadyQueue<Int>(agingStep: 1)
      for number in 0..<count { queue.push(number, in: .medium) }
      var inbox = inbox(of: 50)
      let before = queue.looks + inbox.looks

      queue.absorb(&inbox, alive: 50, in: .medium)

      // Each element is taken out of the inbox and put into the queue.
      let looks = queue.looks + inbox.looks - before
      #expect(looks <= 2 * 50)
    }

    @Test(
      "are a few for each element that is put in, taken, or taken back, however many wait",
      arguments: sizes)
    func amortised(count: Int) {
      var dice = Dice(seed: UInt64(count))
      var queue = ReadyQueue<Int>(agingStep: 10)
      var places: [(position: Int, band: PriorityBand)] = []
      func push(_ number: Int) {
        let band = PriorityBand.allCases[dice.roll(4)]
        places.append((queue.push(number, in: band), band))
      }
      for number in 0..<count { push(number) }
      let before = queue.looks
      var (calls, time) = (0, Int64(0))

      while !queue.isEmpty {
        let index = dice.roll(places.count)
        places.swapAt(index, places.count - 1)
        let place = places.removeLast()
        // Compaction may have moved the element. Then nothing is at this position, or another element is.
        _ = queue.remove(at: place.position, in: place.band)
        time += 1
        _ = queue.take(now: { time })
        calls += 2
        if calls < count / 2 {
          push(calls)
          calls += 1
        }
        if places.isEmpty { break }
      }
      while queue.take(now: { time }) != nil { calls += 1 }

      // The steps put in, take, drop a tombstone, and compact. Compaction moves at most as many elements as
      // were taken back.
      let (looks, isEmpty) = (queue.looks - before, queue.isEmpty)
      #expect(looks <= 8 * (calls + count))
      #expect(isEmpty)
    }

    @Test("are as many as came in, to assign positions, however much waits", arguments: sizes)
    func positions(count: Int) {
      var queue = ReadyQueue<Int>(agingStep: 1)
      for number in 0..<count { queue.push(number, in: .medium) }
      var inbox = inbox(of: 50)
      queue.absorb(&inbox, alive: 50, in: .medium, isUnindexed: true)
      let before = queue.looks
      var told = 0

      queue.assignPositions(in: .medium) { _, _ in told += 1 }
      queue.assignPositions(in: .medium) { _, _ in told += 1 }

      #expect(told == 50)
      let looks = queue.looks - before
      #expect(looks <= 50)
    }

    @Test("are a few for each barrier, whatever stands around it", arguments: sizes)
    func barriers(count: Int) {
      var queue = ReadyQueue<Int>(agingStep: 1)
      for number in 0..<count { queue.push(number, in: .medium) }
      let before = queue.looks
      var (fences, rounds) = (0, 100)

      for round in 0..<rounds {
        _ = queue.pushBarrier(round, in: .medium)
        queue.push(round, in: .low)
        fences += 1
      }
      let position = queue.push(0, in: .high)
      _ = queue.remove(at: position, in: .high)

      // Each round puts in a barrier and an element. A barrier notes itself where it divides each band.
      let put = queue.looks - before
      #expect(put <= 8 * (fences + 2))
      rounds = 0
      for _ in 0..<count { _ = queue.take(now: { 0 }) }
      let then = queue.looks
      while queue.takeBarrier() != nil {
        while queue.take(now: { 0 }) != nil { rounds += 1 }
      }
      #expect(rounds == fences)
      let taken = queue.looks - then
      #expect(taken <= 12 * (fences + 1))
    }

    @Test("are none for what a view wants of the workers, however much waits", arguments: sizes)
    func turns(count: Int) {
      var view = ViewQueue<Job>(width: 3, workerWidth: 3, agingStep: 1)
      for number in 0..<count {
        let band = PriorityBand.allCases[number % 4]
        _ = view.push(Job(id: number, band: band), in: band)
      }
      let before = view.ready.looks

      for _ in 0..<100 { _ = view.wantedTokens(now: { 0 }) }

      let looks = view.ready.looks
      #expect(looks == before)
    }
  }
#endif
