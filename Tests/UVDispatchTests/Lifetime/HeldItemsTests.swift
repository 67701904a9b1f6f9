import TaskDispatch
import Testing

import struct RandomTesting.Dice

@testable import TaskDispatchTesting
@testable import UVDispatch

@Suite("Notifications that are held")
struct HeldItemsTests {
  @Test("leave in any order, each once, and take no other with them", arguments: 1...5)
  func anyOrder(seed: Int) {
    let bare = BareCore()
    var dice = Dice(seed: seed)
    var held = HeldItems()
    var expected: [WorkItem] = []
    var gone: [WorkItem] = []
    for _ in 0..<500 {
      if expected.isEmpty || dice.roll(5) < 3 {
        let item = bare.fresh(.notification)
        held.insert(item)
        expected.append(item)
      } else {
        let item = expected.remove(at: dice.roll(expected.count))
        let isOut = held.remove(item)
        #expect(isOut)
        gone.append(item)
      }
      if let item = gone.last {
        let isOutAgain = held.remove(item)
        #expect(!isOutAgain)
      }
      #expect(Set(held.all.map(ObjectIdentifier.init)) == Set(expected.map(ObjectIdentifier.init)))
      #expect(held.all.count == expected.count)
    }
    for item in gone + expected.reversed() { _ = held.remove(item) }
    #expect(held.isEmpty)
  }

  @Test("are all cancelled by a shutdown, in the order of submission, by however many they are")
  func shutdown() throws {
    let dispatcher = try UVDispatcher()
    let group = WorkGroup()
    group.enter()
    let count = 8_000
    for number in 0..<count {
      group.notify(on: number % 2 == 0 ? dispatcher.foreground : dispatcher.background) {
        Issue.record("the group was never empty")
      }
    }
    dispatcher.beginShutdown()

    let report = dispatcher.run()

    #expect(report.ledger.cancelled == count)
    #expect(report.ledger.balances)
    #if DEBUG
      let looks = dispatcher.engine.withCore { $0.standby.held.looks }
      #expect(looks == count, "each looks at its own place alone")
    #endif
    group.leave()
  }
}
