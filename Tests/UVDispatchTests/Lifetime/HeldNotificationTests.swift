import TaskDispatch
import TaskDispatchTesting
import Testing

@testable import UVDispatch

@Suite("Notifications that are held")
struct HeldNotificationTests {
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
