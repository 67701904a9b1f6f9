import TaskDispatch
import TaskDispatchContract
import TaskDispatchTesting
import Testing

@Suite("The contract suite finds what is wrong")
struct ContractFaultTests {
  @Test("and finds nothing in a dispatcher that only passes everything on")
  func acceptsAPassage() {
    for rule in DispatcherContract.rules(for: FaultySubject(fault: nil)) {
      #expect(throws: Never.self) { try rule.check(FaultySubject(fault: nil)) }
    }
  }

  /// The checks that hold without a fault. A check that fails anyway shows nothing.
  private static let sound = DispatcherContract.rules(for: FaultySubject(fault: nil)).filter {
    (try? $0.check(FaultySubject(fault: nil))) != nil
  }

  @Test("with a check of the rule that is broken", arguments: Fault.allCases)
  func catches(_ fault: Fault) {
    #expect(Self.violation(of: fault) != nil)
  }

  /// The violation that the first failing check of the broken rule reports for a dispatcher with `fault`.
  static func violation(of fault: Fault) -> ContractViolation? {
    for rule in sound where rule.number == fault.rule {
      do throws(ContractViolation) { try rule.check(FaultySubject(fault: fault)) } catch {
        if error.rule == fault.rule { return error }
      }
    }
    return nil
  }

  @Test("in each rule that a dispatcher without threads can show")
  func coversEveryRule() {
    let checked = Set(DispatcherContract.rules(for: FakeSubject()).map(\.number))

    #expect(checked == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 17, 19, 20])
    #expect(Set(Fault.allCases.map(\.rule)) == checked)
  }
}
