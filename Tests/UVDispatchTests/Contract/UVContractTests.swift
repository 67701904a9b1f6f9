import TaskDispatchTesting
import Testing

@Suite("UVDispatcher keeps the dispatcher contract", .serialized)
struct UVContractTests {
  @Test("keeps", arguments: DispatcherContract.rules(for: UVSubject()))
  func keeps(_ rule: DispatcherContract.Rule) throws {
    try rule.check(UVSubject())
  }
}
