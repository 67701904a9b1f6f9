import TaskDispatch
import Testing

@testable import TaskDispatchTesting
@testable import UVDispatch

extension OnePool {
  @Suite("Jobs of Tasks that stand in a suspended view when a shutdown ends")
  struct StrandedJobTests {
    @Test("hold up nobody, and go on elsewhere")
    func goOn() async throws {
      let dispatcher = try UVDispatcher()
      let view = dispatcher.makeQueue(label: "held", width: 1)
      view.suspend()
      let task = Task(executorPreference: view.executor) { 12 }
      let resident = Resident(on: view)
      async let entering: Void = resident.enter()

      let report = await onOtherThread {
        dispatcher.waitUntil { $0.ledger.waiting == 2 }
        dispatcher.beginShutdown()
        return dispatcher.run()
      }

      #expect(report.ledger.balances)
      #expect(report.ledger.waiting == 0)
      #expect(await task.value == 12)
      await entering
      #expect(await resident.entered == 1)
    }
  }
}
