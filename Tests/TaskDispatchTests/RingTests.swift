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
      // Long stretches of more appending, then of more taking.
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

  @Test("drops the dead slots at its head, and only those")
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
              // Numbers own nothing that would have to be let go of.
              if vacates {
                _ = ring.vacate(at: offset + number)
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

  @Test("doubles for dead slots too")
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
      ring.settleWhenEmpty()
      #expect(ring.capacity == 1024)

      for number in 0..<3_000 { ring.append(number) }

      for number in 0..<3_000 where ring.takeFirst() != number {
        Issue.record("element \(number) is wrong after a shrink at \(offset)")
        return
      }
    }
  }
}

@Suite("The elements of a ring")
struct RingLifetimeTests {
  @Test("are let go of when they are taken or removed, and never twice")
  func areReleasedWhenTakenOut() {
    let census = Census()
    var ring = Ring<Token>()
    for number in 0..<20 { ring.append(Token(number, in: census)) }

    #expect(census.living == 20)
    #expect(ring.takeFirst()?.number == 0)
    #expect(census.living == 19)
    #expect(ring.remove(at: 7)?.number == 7)
    #expect(census.living == 18)
    #expect(ring.remove(at: 7) == nil)
    #expect(ring.remove(at: 0) == nil)
    #expect(ring.remove(at: 20) == nil)
    ring.compact { _, _ in }
    #expect(census.living == 18)
  }

  @Test("are dead where a slot was vacated, whatever the ring does then")
  func areDeadWhereVacated() {
    let census = Census()
    var ring = Ring<Token>()
    for number in 0..<8 { ring.append(Token(number, in: census)) }
    for position in [1, 2, 7] { #expect(ring.vacateToken(at: position) == true) }

    #expect(census.living == 5)
    for position in [1, 2, 7] {
      #expect(ring.vacate(at: position) == false)
      #expect(ring.remove(at: position) == nil)
      #expect(ring.isAlive(at: position) == false)
    }
    for position in [-1, 8] { #expect(ring.vacate(at: position) == false) }

    var copy = ring.clone()
    for number in 8..<40 { ring.append(Token(number, in: census)) }
    #expect(ring.capacity == 64)
    #expect(ring.living == [0, 3, 4, 5, 6] + Array(8..<40))
    for position in [0, 3, 4] { #expect(ring.vacateToken(at: position) == true) }
    ring.dropDeadHead()
    #expect(ring.head == 5)
    // The same slots again, a round later.
    for number in 40..<69 { ring.append(Token(number, in: census)) }
    #expect(ring.capacity == 64)
    #expect(ring.living == [5, 6] + Array(8..<69))

    copy.dropDeadHead()
    #expect(copy.takeFirst()?.number == 0)
    copy.dropDeadHead()
    #expect(copy.head == 3)
    #expect(copy.living == [3, 4, 5, 6])
  }

  @Test(
    "are let go of with the ring, wherever it wraps, dead slots or not", arguments: [false, true])
  func areReleasedWithTheRing(vacates: Bool) {
    for offset in 0..<16 {
      for count in [0, 1, 7, 8, 9, 20] {
        for removed in 0..<8 {
          let census = Census()
          do {
            var ring = Ring<Token>()
            for number in 0..<offset {
              ring.append(Token(number, in: census))
              _ = ring.takeFirst()
            }
            for number in 0..<count { ring.append(Token(number, in: census)) }
            for bit in 0..<3 where removed & 1 << bit != 0 {
              let position = offset + bit * 3
              if vacates, ring.isAlive(at: position) {
                _ = ring.vacateToken(at: position)
              } else {
                _ = ring.remove(at: position)
              }
            }
            let dead = (0..<3).count { removed & 1 << $0 != 0 && $0 * 3 < count }
            #expect(census.living == count - dead)
          }
          #expect(census.living == 0, "offset \(offset), count \(count), removed \(removed)")
        }
      }
    }
  }
}

extension Ring {
  /// The positions that hold an element.
  fileprivate var living: [Int] { (head..<tail).filter { isAlive(at: $0) } }
}

extension Ring where Element == Token {
  /// Vacates a slot as whoever knows its token does.
  fileprivate mutating func vacateToken(at position: Int) -> Bool {
    let token = withElement(at: position) { $0 }
    guard vacate(at: position) else { return false }
    letGoOfShare(in: token)
    return true
  }
}

extension Ring where Element == Int {
  /// Fills the ring with `count` elements and drains it, as a burst of work does.
  fileprivate mutating func passThrough(_ count: Int) {
    for number in 0..<count { append(number) }
    while !isEmpty { _ = takeFirst() }
    settleWhenEmpty()
  }
}

/// A ring of tokens next to a list of slots that does the same.
private struct RingTrial: ~Copyable {
  private enum Step {
    case append, appendDead, takeFirst
    case remove(at: Int)
    /// Nothing, if no element stands there.
    case vacate(at: Int)
    case compact, dropDeadHead, settle
  }

  private let census = Census()
  private var ring = Ring<Token>()
  private var slots: [Int?] = []
  private var head: Int
  private var nextNumber = 0
  private var steps: [Step] = []
  private let setting: String
  private var surprise: String?

  init(offset: Int, filled: Int) {
    head = offset
    setting = "head at \(offset), \(filled) held"
    for _ in 0..<offset {
      ring.append(Token(-1, in: census))
      _ = ring.takeFirst()
    }
    for _ in 0..<filled { perform(.append) }
    steps = []
  }

  mutating func step(_ choices: inout Choices) {
    let choice = choices.choose(6 + 2 * slots.count)
    switch choice {
    case 0: perform(.append)
    case 1: perform(.appendDead)
    case 2: perform(slots.isEmpty ? .settle : .takeFirst)
    case 3: perform(.compact)
    case 4: perform(.dropDeadHead)
    case 5: perform(.remove(at: head + slots.count))
    case ..<(6 + slots.count): perform(.remove(at: head + choice - 6))
    default: perform(.vacate(at: head + choice - 6 - slots.count))
    }
  }

  mutating func randomStep(_ dice: inout Dice, growing: Bool) {
    switch dice.roll(40) {
    case 0: perform(.compact)
    case 1: perform(.dropDeadHead)
    case 2..<6: perform(.appendDead)
    case 6..<10: perform(.remove(at: head - 2 + dice.roll(slots.count + 4)))
    case 10..<14: perform(.vacate(at: head - 2 + dice.roll(slots.count + 4)))
    case 14..<(growing ? 30 : 20): perform(.append)
    default: perform(slots.isEmpty ? .settle : .takeFirst)
    }
  }

  private mutating func perform(_ step: Step) {
    steps.append(step)
    switch step {
    case .append:
      let position = ring.append(Token(nextNumber, in: census))
      if position != head + slots.count { surprise = "position \(position)" }
      slots.append(nextNumber)
      nextNumber += 1
    case .appendDead:
      ring.appendSlot(nil)
      slots.append(nil)
    case .takeFirst where slots.first == .some(nil):
      perform(.dropDeadHead)
    case .takeFirst:
      let taken = ring.takeFirst()?.number
      if taken != slots.removeFirst() { surprise = "took \(taken, default: "nothing")" }
      head += 1
    case .remove(let position):
      let removed = ring.remove(at: position)?.number
      let isHeld = slots.indices.contains(position - head)
      if removed != (isHeld ? slots[position - head] : nil) {
        surprise = "removed \(removed, default: "nothing")"
      }
      if isHeld { slots[position - head] = nil }
    case .vacate(let position):
      guard ring.isAlive(at: position) else { break }
      if !ring.vacateToken(at: position) { surprise = "did not vacate" }
      slots[position - head] = nil
    case .compact:
      var moved: [Int: Int] = [:]
      ring.compact { moved[$0.number] = $1 }
      let before = slots
      let oldHead = head
      let tail = head + slots.count
      slots = before.filter { $0 != nil }
      head = tail - slots.count
      var expected: [Int: Int] = [:]
      for (index, number) in before.enumerated() {
        guard let number, let place = slots.firstIndex(of: number) else { continue }
        if oldHead + index != head + place { expected[number] = head + place }
      }
      if moved != expected { surprise = "moved \(moved) and not \(expected)" }
    case .dropDeadHead:
      ring.dropDeadHead()
      let dead = slots.prefix { $0 == nil }.count
      slots.removeFirst(dead)
      head += dead
    case .settle:
      ring.settleWhenEmpty()
    }
  }

  func check() throws {
    if let surprise { throw Mismatch(surprise, after: steps, of: setting) }
    guard ring.head == head, ring.slotCount == slots.count else {
      throw Mismatch("head \(ring.head), \(ring.slotCount) slots", after: steps, of: setting)
    }
    for (index, number) in slots.enumerated() {
      let held =
        ring.isAlive(at: head + index) ? ring.withElement(at: head + index) { $0.number } : nil
      guard held == number else {
        throw Mismatch("wrong element at \(head + index)", after: steps, of: setting)
      }
    }
    guard !ring.isAlive(at: head - 1), !ring.isAlive(at: head + slots.count) else {
      throw Mismatch("something is alive outside", after: steps, of: setting)
    }
    guard census.living == slots.count(where: { $0 != nil }) else {
      throw Mismatch("\(census.living) tokens live", after: steps, of: setting)
    }
  }

  mutating func drain() throws {
    while !slots.isEmpty { perform(.takeFirst) }
    try check()
  }
}
