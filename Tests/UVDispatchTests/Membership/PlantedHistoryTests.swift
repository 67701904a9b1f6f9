import TaskDispatch
import Testing

@testable import TaskDispatchTesting

/// A checker that never finds anything would find every history legal.
@Suite("A planted history")
struct PlantedHistoryTests {
  @Test("is refused by its rule, and accepted without its fault:", arguments: Plant.all)
  func told(_ plant: Plant) {
    let legal = plant.story.history(plant.legal)
    let illegal = plant.spoilt.history(plant.illegal)

    #expect(Membership.violations(in: legal) == [])
    let violations = Membership.violations(in: illegal)
    #expect(violations.contains { $0.rule == plant.rule }, "\(violations)")
    #expect(violations.allSatisfy { "\($0)".hasPrefix("rule \($0.rule): ") })
  }

  @Test(
    "is judged as well if the end of each task is told before its beginning:", arguments: Plant.all)
  func toldLate(_ plant: Plant) {
    let legal = plant.story.history(plant.legal).toldLate()
    let illegal = plant.spoilt.history(plant.illegal).toldLate()

    #expect(Membership.violations(in: legal) == [])
    #expect(Membership.violations(in: illegal).contains { $0.rule == plant.rule })
  }

  @Test("says which tasks and which events it is about")
  func message() throws {
    let story = Story(tasks: [.init(1, "view"), .init(2, "view")])

    let violations = Membership.violations(in: story.history("+1 +2 >2 .2 >1 .1"))

    let violation = try #require(violations.first)
    #expect(violations.count == 1)
    #expect("\(violation)".contains("#1 (line 1, handled) on view was overtaken by #2"))
    #expect(violation.events.map(\.task.id) == [1, 1, 1, 2, 2, 2].map { TaskID($0) })
  }
}

extension History {
  /// The history as threads report it that report last what they have enqueued.
  fileprivate func toldLate() -> History {
    let late = entries.filter { $0.event?.kind == .enqueued }
    return History(
      entries.filter { $0.event?.kind != .enqueued } + late, declared: declared, queues: queues,
      workers: workers, agingStep: agingStep, ledger: ledger, report: report)
  }
}
