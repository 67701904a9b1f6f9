import TestSupport
import Testing

@testable import TaskDispatch

@Suite("A ready queue")
struct ReadyQueueTests {
  @Test("takes, ages and divides as rule 7 says, in every short program")
  func keepsRule7InEveryShortProgram() throws {
    let programs = try forEveryProgram { choices in
      var trial = ReadyQueueTrial(agingStep: 2)
      for _ in 0..<5 {
        trial.perform(choices.choose(from: trial.possibleSteps))
        if choices.isNew { try trial.check() }
      }
      try trial.checkShown()
      try trial.drain()
    }
    #expect(programs == 20_976)
  }

  @Test("ages its heads as rule 7 says, in every short series of takes")
  func agesInEveryShortSeries() throws {
    let programs = try forEveryProgram { choices in
      var trial = ReadyQueueTrial(agingStep: 2)
      for band in PriorityBand.allCases { trial.perform(.push(band)) }
      for round in 0..<3 {
        // Nothing ages before the first take.
        trial.perform(.take(after: round == 0 ? 0 : choices.choose(from: [0, 1, 2, 5])))
        // The push may refill the band that was taken from, so that every band stays at work, or another band.
        trial.perform(.push(choices.choose(from: PriorityBand.allCases)))
        if choices.isNew { try trial.check() }
      }
      trial.perform(.take(after: choices.choose(from: [0, 1, 2, 5])))
      try trial.drain()
    }
    #expect(programs == 4 * 4 * 4 * 4 * 4 * 4)
  }

  @Test("keeps what barriers divide apart, in every short program")
  func dividesInEveryShortProgram() throws {
    let programs = try forEveryProgram { choices in
      var trial = ReadyQueueTrial(agingStep: 2)
      for _ in 0..<7 {
        trial.perform(choices.choose(from: trial.possibleStepsInOneBand))
        if choices.isNew { try trial.check() }
      }
      try trial.drain()
    }
    // With k elements waiting there are 2 ways to add one, and k + 1 ways to take one out. So p(n, k) is 2 p(n
    // − 1, k + 1) + (k + 1) p(n − 1, k − 1), without the second part while k is 0.
    #expect(programs == 13_680)
  }

  @Test("does as rule 7 says, in long programs", arguments: 1...6 as ClosedRange<UInt64>)
  func keepsRule7InLongPrograms(seed: UInt64) throws {
    for round in 0..<6 {
      var dice = Dice(seed: seed * 1_000 + UInt64(round))
      let step = [1, 3, 10, 1_000][dice.roll(4)]
      var trial = ReadyQueueTrial(agingStep: Int64(step), setting: "seed \(seed), round \(round)")
      let usesInbox = dice.once(in: 2)
      for _ in 0..<600 {
        trial.randomStep(&dice, usesInbox: usesInbox, agingStep: step)
        try trial.check()
      }
      try trial.checkShown()
      try trial.drain()
    }
  }

  @Test("reads the clock once when a take passes a head over, and else never")
  func readsClockOnlyToPassOver() {
    var queue = ReadyQueue<Int>(agingStep: 1)
    var readings = 0
    func now() -> Int64 {
      readings += 1
      return 0
    }

    queue.push(1, in: .low)
    queue.push(2, in: .low)
    queue.pushBarrier(3, in: .high)
    queue.push(4, in: .high)
    #expect(queue.take(now: now) == 1)
    #expect(queue.take(now: now) == 2)
    #expect(queue.take(now: now) == nil)
    #expect(readings == 0)

    queue.push(5, in: .medium)
    #expect(queue.takeBarrier() == 3)
    #expect(queue.take(now: now) == 4)
    #expect(readings == 1)
    #expect(queue.take(now: now) == 5)
    #expect(readings == 1)
  }

  @Test("shows what waits, band by band, and the barriers last")
  func showsWhatWaits() {
    var queue = ReadyQueue<Int>(agingStep: 1)
    for (number, band) in [PriorityBand.low, .high, .low, .medium].enumerated() {
      queue.push(number, in: band)
    }
    queue.pushBarrier(4, in: .high)
    queue.push(5, in: .high)
    _ = queue.remove(at: 0, in: .low)
    var shown: [Int] = []

    queue.forEach({ shown.append($0) })

    #expect(shown == [1, 5, 3, 2, 4])
  }

  @Test("does not age what a clock that stands still passes over")
  func standsStillWithTheClock() {
    var queue = ReadyQueue<Int>(agingStep: 1)
    queue.push(-1, in: .lowest)
    for number in 0..<1_000 { queue.push(number, in: .high) }

    for number in 0..<1_000 { #expect(queue.take(at: 7) == number) }
    #expect(queue.take(at: 7) == -1)
  }

  @Test("is not confused by times at the ends of the clock")
  func agesAtTheEndsOfTheClock() {
    for start: Int64 in [.min + 1, -3, 0, .max - 8] {
      var queue = ReadyQueue<Int>(agingStep: 2)
      queue.push(1, in: .high)
      queue.push(2, in: .high)
      queue.push(3, in: .high)
      queue.push(4, in: .lowest)

      #expect(queue.take(at: start) == 1)
      #expect(queue.take(at: start + 5) == 2)
      #expect(queue.take(at: start + 6) == 4)
      #expect(queue.take(at: start + 7) == 3)
    }
  }

  @Test("gives a head that has aged for years no more than the first place")
  func agesForYears() {
    var queue = ReadyQueue<Int>(agingStep: 1)
    queue.push(1, in: .high)
    queue.push(2, in: .lowest)
    queue.push(3, in: .high)
    #expect(queue.take(at: 0) == 1)

    let next = queue.withNext(now: { .max - 1 }, { $0 })

    #expect(next == 2)
    #expect(queue.take(at: .max - 1) == 2)
    #expect(queue.take(at: .max - 1) == 3)
  }
}

extension ReadyQueueTrial {
  /// All steps that can be done. The time before a take matters only if the take passes a head over.
  fileprivate var possibleSteps: [Step] {
    var steps: [Step] = PriorityBand.allCases.map { .push($0) }
    steps.append(.pushBarrier(.high))
    let bands = PriorityBand.allCases.count { model.startableCount(in: $0) > 0 }
    if bands > 1 { steps += [.take(after: 0), .take(after: 2), .take(after: 5)] }
    if bands == 1 { steps.append(.take(after: 2)) }
    if model.nextBarrier != nil { steps.append(.takeBarrier) }
    for waiting in model.waiting { steps.append(removal(of: waiting.id)) }
    return steps
  }

  fileprivate var possibleStepsInOneBand: [Step] {
    var steps: [Step] = [.push(.medium), .pushBarrier(.low)]
    if model.startableCount(in: .medium) > 0 { steps.append(.take(after: 0)) }
    if model.nextBarrier != nil { steps.append(.takeBarrier) }
    for waiting in model.waiting { steps.append(removal(of: waiting.id)) }
    return steps
  }

  /// A step that lets the queue grow to some dozens, and then shrink again, mostly by removals.
  fileprivate mutating func randomStep(_ dice: inout Dice, usesInbox: Bool, agingStep: Int) {
    let count = removableCount
    switch dice.roll(20) {
    case 0..<3 where count > 0:
      let removable = removable
      for _ in 0..<min(dice.roll(count) + 1, 60) {
        let id = removable[dice.roll(count)]
        if isWaiting(id) { perform(removal(of: id)) }
      }
    case 3..<5: perform(.pushBarrier(PriorityBand.allCases[dice.roll(4)]))
    case 5..<7: perform(.takeBarrier)
    case 7..<11: perform(.take(after: Int64(dice.roll(2 * agingStep + 1))))
    case 11 where usesInbox: perform(.absorb)
    default:
      for _ in 0..<dice.roll(12) {
        let band = PriorityBand.allCases[dice.roll(4)]
        perform(usesInbox && band == .medium ? .post : .push(band))
      }
    }
  }
}
