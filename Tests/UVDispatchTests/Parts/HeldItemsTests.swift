import TaskDispatch
import TestSupport
import Testing

@testable import UVDispatch

@Suite("Notifications whose group is not empty, as a value")
struct HeldItemsTests {
  private let work = LooseWork()

  private func names(_ items: [WorkItem]) -> [ObjectIdentifier] {
    items.map(ObjectIdentifier.init)
  }

  @Test(
    "each of three leaves once, whichever comes first, and leaves the two others", arguments: 0..<3)
  func one(index: Int) {
    var held = HeldItems()
    let items = (0..<3).map { _ in work.item(.notification) }
    for item in items { held.insert(item) }

    let (first, again) = (held.remove(items[index]), held.remove(items[index]))

    let left = items.filter { $0 !== items[index] }
    #expect(first && !again)
    #expect(Set(names(held.all)) == Set(names(left)))
    let others = left.map { held.remove($0) }
    #expect(others == [true, true])
    #expect(held.isEmpty)
  }

  @Test("one that was never held does not leave, and takes no other with it")
  func neverHeld() {
    var held = HeldItems()
    let (item, other) = (work.item(.notification), work.item(.notification))
    let fromNothing = held.remove(other)
    held.insert(item)

    let isOut = held.remove(other)

    #expect(!fromNothing && !isOut)
    #expect(names(held.all) == names([item]))
  }

  @Test("they leave in any order, each once, and take no other with them", arguments: 1...5)
  func anyOrder(seed: Int) {
    var dice = Dice(seed: seed)
    var held = HeldItems()
    var expected: [WorkItem] = []
    var gone: [WorkItem] = []
    for step in 0..<500 {
      if expected.isEmpty || dice.roll(5) < 3 {
        let item = work.item(.notification)
        held.insert(item)
        expected.append(item)
      } else {
        let item = expected.remove(at: dice.roll(expected.count))
        #if DEBUG
          let before = held.looks
        #endif
        let isOut = held.remove(item)
        #expect(isOut, "seed \(seed), step \(step)")
        #if DEBUG
          #expect(held.looks == before + 1, "it looks at its own place alone")
        #endif
        gone.append(item)
      }
      if let item = gone.last {
        let isOutAgain = held.remove(item)
        #expect(!isOutAgain, "seed \(seed), step \(step)")
      }
      #expect(Set(names(held.all)) == Set(names(expected)), "seed \(seed), step \(step)")
      #expect(held.all.count == expected.count, "seed \(seed), step \(step)")
    }
    for item in gone + expected.reversed() { _ = held.remove(item) }
    #expect(held.isEmpty)
  }
}
