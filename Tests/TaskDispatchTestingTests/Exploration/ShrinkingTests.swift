import TaskDispatch
import TestSupport
import Testing

@testable import TaskDispatchTesting

@Suite("Shrinking")
struct ShrinkingTests {
  /// For each subset of `count` elements, as bits, whether a predicate holds for it.
  private func predicate(_ dice: inout Dice, _ count: Int) -> [Bool] {
    let density = 1 + dice.roll(4)
    var holds = (0..<(1 << count)).map { _ in dice.roll(5) < density }
    holds[(1 << count) - 1] = true
    if dice.once(in: 2) {
      // More facts do not take such a failure back; most bugs are like that.
      let causes = (0..<(1 + dice.roll(3))).map { _ in 1 + dice.roll((1 << count) - 1) }
      holds = holds.indices.map { set in causes.contains { set & $0 == $0 } }
      holds[(1 << count) - 1] = true
    }
    return holds
  }

  @Test("leaves nothing that could be left out alone, as trying all of it shows")
  func oneMinimal() throws {
    var dice = Dice(seed: 7)
    for trial in 0..<4_000 {
      let count = 1 + dice.roll(8)
      let holds = predicate(&dice, count)
      func set(_ elements: [Int]) -> Int { elements.reduce(0) { $0 | 1 << $1 } }
      var asked = 0
      var shrinking = Shrinking<Int>(budget: 10_000) { elements in
        asked += 1
        #expect(elements == elements.sorted() && Set(elements).count == elements.count)
        return holds[set(elements)]
      }

      let answer = shrinking.shrink(Array(0..<count))
      let shrunk = try #require(answer)

      let bits = set(shrunk)
      #expect(holds[bits], "trial \(trial)")
      #expect(
        bits == 0 || shrunk.allSatisfy { !holds[bits & ~(1 << $0)] },
        "trial \(trial): \(shrunk) of \(count)")
      #expect(shrinking.runs == asked)
    }
  }

  @Test("says that it cannot if all elements together do not do it")
  func cannot() {
    var shrinking = Shrinking<Int>(budget: 100) { $0.count == 1 }

    #expect(shrinking.shrink([1, 2, 3]) == nil)
    #expect(shrinking.runs == 2)
  }

  @Test("stops when it has asked as often as it may, with what still holds", arguments: 1...40)
  func budget(budget: Int) throws {
    var asked = 0
    var shrinking = Shrinking<Int>(budget: budget) {
      asked += 1
      return $0.contains(3) && $0.contains(77)
    }

    let shrunk = shrinking.shrink(Array(0..<100))

    #expect(asked <= budget && shrinking.runs == asked)
    if budget >= 2 { #expect(try #require(shrunk).contains(3) && shrunk!.contains(77)) }
  }

  /// Two chains in which every step looks whether the first went first: 300 bodies, and one pair of them that
  /// matters.
  @Test("brings an order of 300 steps that fails down to the one fact that matters")
  func longOrder() throws {
    let failure = try #require(throws: ScheduleFailure.self) {
      _ = try explore(.random(seed: 4, schedules: 50), configuration: .init(width: 2)) {
        dispatcher in
        let isReady = Slot<Bool>()
        for number in 0..<300 {
          dispatcher.background.async(label: "\(number)") {
            if number == 140, isReady.value == nil { isReady.value = true }
            if number == 141, isReady.value == nil { isReady.value = false }
          }
        }
        try dispatcher.runUntilIdle()
        if isReady.value == false { throw FoundBugsTests.Broken("141 came before 140") }
        return 0
      }
    }

    #expect(failure.facts.map(\.description) == [#""140" waits for "141""#])
    #expect(failure.witness.factsBeforeShrinking > 100)
    #expect(failure.witness.replays <= 40, "\(failure.witness.replays)")
    #expect("\(failure)".contains("1 of \(failure.witness.factsBeforeShrinking) facts matter"))
  }

  @Test("does nothing to what needs nothing")
  func preferred() throws {
    let failure = try #require(throws: ScheduleFailure.self) {
      _ = try explore { dispatcher -> Int in throw FoundBugsTests.Broken("at once") }
    }

    #expect(failure.facts.isEmpty)
    #expect(failure.token == "facts1:")
    #expect(failure.witness.replays == 1)
  }
}
