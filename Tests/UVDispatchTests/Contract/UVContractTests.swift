import TaskDispatchContract
import TaskDispatchTesting
import Testing

extension OnePool {
  @Suite("UVDispatcher keeps the dispatcher contract")
  struct UVContractTests {
    @Test("keeps", arguments: DispatcherContract.rules(for: UVSubject()))
    func keeps(_ rule: DispatcherContract.Rule) throws {
      try rule.check(UVSubject())
    }
  }
}
