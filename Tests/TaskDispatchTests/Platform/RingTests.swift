import TestSupport
import Testing

@testable import TaskDispatch

@Suite("A ring")
struct RingTests {
  @Test("names each element by a position that never repeats")
  func positionsCount() {
    var ring = Ring<Int>()

    for number in 0..<100 {
      #expect(ring.append(number) == number)
      if number % 3 != 0 { #expect(ring.takeFirst() == ring.head - 1) }
    }

    #expect(ring.tail == 100)
    #expect(ring.slotCount == 34)
  }

  @Test("holds no memory before its first element")
  func beginsWithoutMemory() {
    let ring = Ring<Int>()

    #expect(ring.capacity == 0)
    #expect(ring.slotCount == 0)
  }

  @Test("keeps its elements in order when it grows, wherever it wraps")
  func growsAcrossEveryWrap() {
    for full in [8, 16, 32, 64] {
      for offset in 0..<2 * full {
        var ring = Ring<Int>()
        for _ in 0..<full { ring.append(-1) }
        for _ in 0..<full { _ = ring.takeFirst() }
        for _ in 0..<offset {
          ring.append(-1)
          _ = ring.takeFirst()
        }
        let first = ring.tail

        for number in 0..<4 * full { ring.append(number) }

        #expect(ring.capacity == 4 * full)
        #expect(ring.living == Array(first..<first + 4 * full))
        var order: [Int?] = []
        while !ring.isEmpty { order.append(ring.takeFirst()) }
        #expect(order == Array(0..<4 * full), "capacity \(full), head at \(offset)")
      }
    }
  }

  @Test("does what a list of slots does, in every short program, near every wrap")
  func matchesListOfSlots() throws {
    let programs = try forEveryProgram { choices in
      let offset = choices.choose(8)
      let filled = choices.choose(4) * 2 + 2
      var trial = RingTrial(offset: offset, filled: filled)
      for _ in 0..<3 {
        trial.step(&choices)
        if choices.isNew { try trial.check() }
      }
      try trial.drain()
    }
    #expect(programs > 10_000)
  }

  @Test("does what a list of slots does, in long programs", arguments: [1, 2, 3] as [UInt64])
  func matchesListOfSlotsForLong(seed: UInt64) throws {
    var dice = Dice(seed: seed)
    var trial = RingTrial(offset: 0, filled: 0)
    for round in 0..<3_000 {
      // Long stretches with more appends, then long stretches with more takes.
      trial.randomStep(&dice, growing: round / 200 % 2 == 0)
      try trial.check()
    }
    try trial.drain()
  }

  @Test("counts an element that is nil as alive")
  func holdsNil() {
    var ring = Ring<Int?>()
    ring.append(nil)
    ring.append(1)

    ring.dropDeadHead()

    #expect(ring.living == [0, 1])
    #expect(ring.takeFirst() == .some(nil))
  }

  @Test("drops the tombstones at its head, and only those")
  func dropsDeadHead() {
    for dead in 0..<32 {
      var ring = Ring<Int>()
      for number in 0..<5 { ring.append(number) }
      for position in 0..<5 where dead & 1 << position != 0 { _ = ring.remove(at: position) }

      ring.dropDeadHead()

      let alive = (0..<5).filter { dead & 1 << $0 == 0 }
      #expect(ring.head == alive.first ?? 5)
      #expect(ring.living == alive)
    }
  }

  @Test("changes an element where it stands")
  func updatesInPlace() {
    var ring = Ring<Int>()
    ring.append(1)
    ring.append(2)

    ring.update(at: 1) { $0 += 40 }

    #expect(ring.withElement(at: 1) { $0 } == 42)
    #expect(ring.withElement(at: 0) { $0 } == 1)
  }

  @Test("can be given any next position while it is empty")
  func rebases() {
    for position in [0, 5, 8, 1_000_003] {
      var ring = Ring<Int>()
      ring.append(0)
      _ = ring.takeFirst()

      ring.rebase(at: position)

      #expect(ring.slotCount == 0)
      for number in 0..<20 { #expect(ring.append(number) == position + number) }
      for number in 0..<20 { #expect(ring.takeFirst() == number) }
    }
  }
}

@Suite("A ring that is compacted")
struct RingCompactionTests {
  @Test("keeps the order and the tail, and says where each element went, the newest first")
  func movesAgainstTheTail() {
    for vacates in [false, true] {
      for offset in 0..<8 {
        for length in 0...7 {
          for living in 0..<1 << length {
            var ring = Ring<Int>()
            for _ in 0..<offset {
              ring.append(-1)
              _ = ring.takeFirst()
            }
            for number in 0..<length { ring.append(number) }
            for number in 0..<length where living & 1 << number == 0 {
              // Numbers own nothing, so no reference has to be released.
              if vacates {
                _ = ring.leaveTombstone(at: offset + number)
              } else {
                _ = ring.remove(at: offset + number)
              }
            }
            var moves: [[Int]] = []

            ring.compact { moves.append([$0, $1]) }

            let alive = (0..<length).filter { living & 1 << $0 != 0 }
            let first = offset + length - alive.count
            let expected = alive.enumerated()
              .filter { first + $0.offset != offset + $0.element }
              .map { [$0.element, first + $0.offset] }
            #expect(moves == expected.reversed())
            #expect(ring.head == first && ring.tail == offset + length)
            #expect(ring.living == Array(first..<ring.tail))
            #expect(alive.map { _ in ring.takeFirst() } == alive)
          }
        }
      }
    }
  }

  @Test("goes on as before: the next element comes after all others")
  func goesOn() {
    var ring = Ring<Int>()
    for number in 0..<8 { ring.append(number) }
    for position in [0, 2, 3, 6] { _ = ring.remove(at: position) }
    ring.compact { _, _ in }

    for number in 8..<20 { #expect(ring.append(number) == number) }

    var order: [Int?] = []
    while !ring.isEmpty { order.append(ring.takeFirst()) }
    #expect(order == [1, 4, 5, 7] + Array(8..<20))
  }
}

@Suite("The memory of a ring")
struct RingMemoryTests {
  @Test("doubles when it is full, from 8 slots on")
  func doubles() {
    var ring = Ring<Int>()
    var capacities: [Int] = []
    for number in 0..<129 {
      ring.append(number)
      if ring.capacity != capacities.last { capacities.append(ring.capacity) }
    }
    #expect(capacities == [8, 16, 32, 64, 128, 256])
  }

  @Test("doubles for tombstones too")
  func doublesForDeadSlots() {
    var ring = Ring<Int>()
    for _ in 0..<9 { ring.appendSlot(nil) }
    ring.appendSlot(7)

    #expect(ring.capacity == 16)
    ring.dropDeadHead()
    #expect(ring.head == 9 && ring.takeFirst() == 7)
  }

  @Test(
    "halves when a fill and drain used less than an eighth of it, down to 1024 slots",
    arguments: [
      (4096, 512, 4096), (4096, 511, 2048), (2048, 256, 2048), (2048, 255, 1024), (2048, 0, 1024),
      (1024, 0, 1024), (512, 0, 512), (8, 0, 8),
    ])
  func halves(capacity: Int, used: Int, expected: Int) {
    var ring = Ring<Int>()
    ring.passThrough(capacity)
    #expect(ring.capacity == capacity)

    ring.passThrough(used)

    #expect(ring.capacity == expected)
    ring.passThrough(expected)
    #expect(ring.capacity == expected)
  }

  @Test("stays as it is under a steady load")
  func staysAsItIs() {
    var ring = Ring<Int>()
    ring.passThrough(3_000)
    for _ in 0..<10 {
      ring.passThrough(3_000)
      #expect(ring.capacity == 4096)
    }
  }

  @Test("is given back burst by burst after one great burst")
  func isGivenBack() {
    var ring = Ring<Int>()
    ring.passThrough(100_000)
    for _ in 0..<20 { ring.passThrough(10) }
    #expect(ring.capacity == 1024)
  }

  @Test("counts what was used from the new position on after a rebase")
  func countsFromTheRebase() {
    var ring = Ring<Int>()
    ring.passThrough(2_048)

    ring.rebase(at: 1_000_000)
    ring.passThrough(10)

    #expect(ring.capacity == 1024)
  }

  @Test("is used again after it shrank, wherever the head stands")
  func isUsedAfterShrinking() {
    for offset in [0, 1, 7, 1_023, 1_024, 1_500] {
      var ring = Ring<Int>()
      ring.passThrough(2_048)
      ring.rebase(at: offset)
      ring.shrinkWhenEmpty()
      #expect(ring.capacity == 1024)

      for number in 0..<3_000 { ring.append(number) }

      for number in 0..<3_000 where ring.takeFirst() != number {
        Issue.record("element \(number) is wrong after a shrink at \(offset)")
        return
      }
    }
  }
}
