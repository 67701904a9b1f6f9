import TestSupport

@testable import TaskDispatch

/// Performs each step on a ring of tokens and on a list of slots.
struct RingTrial: ~Copyable {
  private enum Step {
    case append, appendDead, takeFirst
    case remove(at: Int)
    /// Does nothing if no element is at the position.
    case leaveTombstone(at: Int)
    case compact, dropDeadHead, runUntilIdle
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
    case 2: perform(slots.isEmpty ? .runUntilIdle : .takeFirst)
    case 3: perform(.compact)
    case 4: perform(.dropDeadHead)
    case 5: perform(.remove(at: head + slots.count))
    case ..<(6 + slots.count): perform(.remove(at: head + choice - 6))
    default: perform(.leaveTombstone(at: head + choice - 6 - slots.count))
    }
  }

  mutating func randomStep(_ dice: inout Dice, growing: Bool) {
    switch dice.roll(40) {
    case 0: perform(.compact)
    case 1: perform(.dropDeadHead)
    case 2..<6: perform(.appendDead)
    case 6..<10: perform(.remove(at: head - 2 + dice.roll(slots.count + 4)))
    case 10..<14: perform(.leaveTombstone(at: head - 2 + dice.roll(slots.count + 4)))
    case 14..<(growing ? 30 : 20): perform(.append)
    default: perform(slots.isEmpty ? .runUntilIdle : .takeFirst)
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
    case .takeFirst where ring.isTombstone(at: ring.head):
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
    case .leaveTombstone(let position):
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
    case .runUntilIdle:
      ring.shrinkWhenEmpty()
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

extension Ring {
  /// The positions that hold an element.
  var living: [Int] { (head..<tail).filter { isAlive(at: $0) } }
}

extension Ring where Element == Token {
  /// Leaves a tombstone at `position` and releases the slot's reference, as code does that holds the token
  /// itself.
  mutating func vacateToken(at position: Int) -> Bool {
    let token = withElement(at: position) { $0 }
    guard leaveTombstone(at: position) else { return false }
    letGoOfShare(in: token)
    return true
  }
}

extension Ring where Element == Int {
  /// Fills the ring with `count` elements and drains it, as a burst of work does.
  mutating func passThrough(_ count: Int) {
    for number in 0..<count { append(number) }
    while !isEmpty { _ = takeFirst() }
    shrinkWhenEmpty()
  }
}
