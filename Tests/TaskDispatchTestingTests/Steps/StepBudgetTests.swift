import TaskDispatch
import Testing

@testable import TaskDispatchTesting

@Suite("The budget of a call that makes steps")
struct StepBudgetTests {
  private let clock: Entry = {
    let item = WorkItem.make(
      kind: .task, queue: RecordingDispatcher().background, label: "clock", site: .here()
    ) {}
    item.finish(.cancelled)
    return Entry(
      .item(item), id: 1, lane: .background, view: nil, site: item.site, at: 0, parent: nil,
      dispatcher: ObjectIdentifier(item), shutdown: ShutdownFlag())
  }()

  @Test("is new at each time, and not without end")
  func inAll() {
    let budget = StepBudget(10_000)
    var seconds = 0
    while budget.spent == nil {
      seconds += 1
      budget.count(clock)
      budget.timeHasMoved()
    }

    #expect(seconds == 100_000)
    guard case .stepLimitReached(100_000, let recurring) = budget.error else {
      Issue.record("\(budget.error)")
      return
    }
    #expect(recurring.map(\.label) == ["clock"])
    #expect("\(budget.error)".contains("skipTime(by:)"))
  }

  @Test("lasts ten times its limit in all, if that is more, and does not overflow")
  func manySteps() {
    let budget = StepBudget(11_000)
    for _ in 0..<10 {
      #expect(budget.spent == nil)
      for _ in 0..<10_999 { budget.count(clock) }
      budget.timeHasMoved()
    }
    for _ in 0..<10 { budget.count(clock) }
    #expect(budget.spent === budget)

    let endless = StepBudget(.max)
    endless.count(clock)
    #expect(endless.spent == nil)
  }

  @Test(
    "is also used by the calls inside it, of which the nearest that is spent ends the innermost")
  func inside() {
    let outer = StepBudget(5)
    let middle = StepBudget(3, inside: outer)
    let inner = StepBudget(4, inside: middle)
    outer.count(clock)
    for _ in 0..<2 { inner.count(clock) }
    #expect(inner.spent == nil && outer.spent == nil)

    inner.count(clock)
    #expect(inner.spent === middle && middle.spent === middle && outer.spent == nil)
    inner.timeHasMoved()
    #expect(inner.spent === middle)

    inner.count(clock)
    #expect(inner.spent === middle && outer.spent === outer)
    #expect(inner.steps == 4 && middle.steps == 0 && outer.steps == 1)
  }
}
