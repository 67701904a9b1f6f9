import Oracle
import Testing

@Suite("A violation")
struct CourtTests {
  @Test("is kept with the ticket, the queue and what led there; of those that follow, their number")
  func first() {
    let desk = Desk()
    desk.court.nameQueues(["the queue"])
    let (first, second) = (desk.submit(), desk.submit())
    desk.run(first)

    desk.run(first)
    desk.run(first)
    desk.run(second)

    #expect(desk.court.all.count == 1)
    let finding = desk.court.all[0]
    #expect(finding.rule == .once)
    #expect(finding.count == 2)
    #expect(finding.first.hasSuffix("(medium) on the queue: ran twice"))
    #expect(finding.history.contains { $0.contains("begins <--") })
    #expect(finding.history.contains { $0.contains("submits") })
  }

  @Test("of each rule is kept")
  func rules() {
    let court = Court()
    #expect(!court.hasFindings)

    for rule in Rule.allCases { court.report(rule, nil, "broken") }

    #expect(court.all.map(\.rule) == Rule.allCases.sorted { $0.rawValue < $1.rawValue })
    #expect(court.hasFindings)
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
