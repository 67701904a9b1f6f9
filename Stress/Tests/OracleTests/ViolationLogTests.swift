import Oracle
import Testing

@Suite("A violation")
struct ViolationLogTests {
  @Test("is kept with the ticket, the queue and what led there; of those that follow, their number")
  func first() {
    let fixture = Fixture()
    fixture.violations.nameQueues(["the queue"])
    let (first, second) = (fixture.submit(), fixture.submit())
    fixture.run(first)

    fixture.run(first)
    fixture.run(first)
    fixture.run(second)

    #expect(fixture.violations.all.count == 1)
    let finding = fixture.violations.all[0]
    #expect(finding.rule == .once)
    #expect(finding.count == 2)
    #expect(finding.first.hasSuffix("(medium) on the queue: ran twice"))
    #expect(finding.history.contains { $0.contains("begins <--") })
    #expect(finding.history.contains { $0.contains("submits") })
  }

  @Test("of each rule is kept")
  func rules() {
    let violations = ViolationLog()
    #expect(!violations.hasFindings)

    for rule in Rule.allCases { violations.report(rule, nil, "broken") }

    #expect(violations.all.map(\.rule) == Rule.allCases.sorted { $0.rawValue < $1.rawValue })
    #expect(violations.hasFindings)
  }
}

@Suite("Counts of many threads")
struct CountTests {
  @Test("add up")
  func addUp() {
    let count = Count()

    count.add()
    count.add(41)
    count.add(-1)

    let sum = count.value
    #expect(sum == 41)
  }
}
