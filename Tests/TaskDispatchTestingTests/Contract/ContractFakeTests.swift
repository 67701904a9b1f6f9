import TaskDispatch
import TaskDispatchContract
import TaskDispatchTesting
import Testing

@Suite("RecordingDispatcher keeps the dispatcher contract")
struct ContractFakeTests {
  @Test("keeps", arguments: DispatcherContract.rules(for: FakeSubject()))
  func keeps(_ rule: DispatcherContract.Rule) throws {
    try rule.check(FakeSubject())
  }
}
