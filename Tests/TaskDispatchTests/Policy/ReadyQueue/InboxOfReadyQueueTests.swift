import Testing

@testable import TaskDispatch

@Suite("Absorbing an inbox into a ready queue")
struct InboxOfReadyQueueTests {
  @Test("continues the band, in every short program of posting, removing and taking")
  func continuesTheBand() throws {
    try forEveryProgram { choices in
      var trial = ReadyQueueTrial(agingStep: 2)
      for _ in 0..<5 {
        trial.perform(choices.choose(from: trial.possibleSteps))
        if choices.isNew { try trial.check() }
      }
      trial.perform(.absorb)
      try trial.check()
      try trial.drain()
    }
  }

  @Test("gives tombstones the same bound as removing does, wherever they stand")
  func boundsDeadSlotsOfTheInbox() throws {
    try forEveryProgram { choices in
      var trial = ReadyQueueTrial(agingStep: 2)
      // How many elements the band holds before, whether barriers divide it, and what is removed in the inbox.
      let before = [0, 1, 40][choices.choose(3)]
      for _ in 0..<before { trial.perform(.post) }
      trial.perform(.absorb)
      if choices.choose(2) == 1 { trial.perform(.pushBarrier(.medium)) }
      let size = [1, 33, 34, 80][choices.choose(4)]
      for _ in 0..<size { trial.perform(.post) }
      let kept = [0, 1, 3][choices.choose(3)]
      let keepsTheNewest = choices.choose(2) == 1
      let posted = trial.removable.suffix(size)
      for id in keepsTheNewest ? posted.dropLast(kept) : posted.dropFirst(kept) {
        trial.perform(.remove(id))
      }
      trial.perform(.absorb)
      try trial.check()
      trial.perform(.post)
      trial.perform(.absorb)
      try trial.check()
      for id in trial.removable.prefix(3) { trial.perform(trial.removal(of: id)) }
      try trial.check()
      try trial.drain()
    }
  }

  @Test("keeps positions that the inbox gave out, whatever has been compacted since")
  func keepsPositions() {
    var queue = ReadyQueue<Int>(agingStep: 1)
    var inbox = Ring<Int>()
    for number in 0..<80 { #expect(inbox.append(number) == number) }
    queue.absorb(&inbox, in: .medium)
    for number in 80..<90 { #expect(inbox.append(number) == number) }
    for position in 10..<79 { #expect(queue.remove(at: position, in: .medium) == position) }

    queue.absorb(&inbox, in: .medium)

    for position in 80..<90 { #expect(queue.remove(at: position, in: .medium) == position) }
    #expect(queue.count == 11)
    #expect(inbox.append(90) == 90)
  }

  @Test("swaps the memory of an empty band with the inbox's, and makes none")
  func swapsMemory() {
    var queue = ReadyQueue<Int>(agingStep: 1)
    var inbox = Ring<Int>()
    for round in 0..<10 {
      for number in 0..<3_000 { inbox.append(number) }
      queue.absorb(&inbox, in: .medium)
      while queue.take(at: 0) != nil {}
      let band = queue.bands[PriorityBand.medium.index].ring.capacity
      #expect(band == 4096)
      #expect(inbox.capacity == (round == 0 ? 0 : 4096))
    }
  }

  @Test(
    "gives what was posted positions behind what was pushed before it is absorbed",
    arguments: 0..<20)
  func renumbers(pushed: Int) {
    var queue = ReadyQueue<Int>(agingStep: 1)
    var inbox = Ring<Int>()
    for number in 0..<pushed { #expect(queue.push(number, in: .medium) == number) }
    while queue.take(at: 0) != nil {}

    for number in 0..<11 { inbox.append(number) }
    queue.absorb(&inbox, in: .medium)

    for position in 0..<pushed { #expect(queue.remove(at: position, in: .medium) == nil) }
    #expect(inbox.tail == queue.push(11, in: .medium))
    #expect((0..<12).map { _ in queue.take(at: 0) } == Array(0..<12))
  }

  @Test("puts what was posted behind what waits, also without a number for it")
  func absorbsBehindOthers() {
    var queue = ReadyQueue<Int>(agingStep: 1)
    var inbox = Ring<Int>()
    let first = queue.push(0, in: .medium)
    for number in 1..<5 { inbox.append(number) }
    queue.absorb(&inbox, in: .medium)
    let last = queue.push(5, in: .medium)

    #expect(queue.remove(at: first, in: .medium) == 0)
    #expect(queue.remove(at: last, in: .medium) == 5)
    #expect((1..<5).map { _ in queue.take(at: 0) } == [1, 2, 3, 4])
  }

  @Test("lets what waits be changed in place, barriers and tombstones aside")
  func changesInPlace() {
    var queue = ReadyQueue<Int>(agingStep: 1)
    queue.push(1, in: .medium)
    let removed = queue.push(2, in: .medium)
    queue.pushBarrier(3, in: .high)
    queue.push(4, in: .high)
    _ = queue.remove(at: removed, in: .medium)

    queue.updateEach { element, position in element += 10 * (position + 1) }

    #expect(queue.take(at: 0) == 11)
    #expect(queue.takeBarrier() == 3)
    #expect(queue.take(at: 0) == 14)
  }

  @Test("of nothing changes nothing")
  func absorbsNothing() {
    var queue = ReadyQueue<Int>(agingStep: 1)
    var inbox = Ring<Int>()

    queue.absorb(&inbox, in: .medium)

    #expect(queue.count == 0)
    #expect(queue.take(at: 0) == nil)
  }

  @Test("whose every task was cancelled leaves the queue empty")
  func absorbsTheDead() {
    var queue = ReadyQueue<Int>(agingStep: 1)
    var inbox = Ring<Int>()
    for number in 0..<5 { inbox.append(number) }
    for position in 0..<5 { _ = inbox.remove(at: position) }

    queue.absorb(&inbox, in: .medium)

    #expect(queue.count == 0 && queue.deadSlots == 0)
    #expect(queue.hasStartable == false)
    #expect(inbox.append(5) == 5)
  }
}

extension ReadyQueueTrial {
  fileprivate var possibleSteps: [Step] {
    var steps: [Step] = [.post, .push(.high), .pushBarrier(.high)]
    if removableCount > model.waiting.count { steps.append(.absorb) }
    if model.waiting.contains(where: { !$0.isBarrier }) { steps.append(.take(after: 1)) }
    if model.nextBarrier != nil { steps.append(.takeBarrier) }
    for id in removable { steps.append(removal(of: id)) }
    return steps
  }
}

extension ReadyQueue {
  mutating func absorb(_ inbox: inout Ring<Element>, in band: PriorityBand) {
    var alive = 0
    for position in inbox.head..<inbox.tail where inbox.isAlive(at: position) { alive += 1 }
    absorb(&inbox, alive: alive, in: band)
  }
}
