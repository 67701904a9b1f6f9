import TaskDispatchContract
import Testing

@Suite("A dispatcher made with public calls alone keeps the dispatcher contract")
struct SteppedContractTests {
  @Test("keeps", arguments: DispatcherContract.rules(for: SteppedSubject()))
  func keeps(_ rule: DispatcherContract.Rule) throws {
    try rule.check(SteppedSubject())
  }
}
