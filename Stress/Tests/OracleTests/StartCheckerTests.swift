import Oracle
import Testing

@Suite("The checker of what starts although it was held back")
struct StartCheckerTests {
  private let fixture = Fixture()
  private let checker: StartChecker

  init() { checker = StartChecker(queues: 1, violations: fixture.violations) }

  @Test("has nothing to say of a body whose thread was last seen before the view was suspended")
  func wasTaken() {
    checker.suspended(0, at: 100)

    checker.begins(fixture.submit(), lastSeen: 99)
    checker.begins(fixture.submit(), lastSeen: 100)

    #expect(fixture.broken == [])
  }

  @Test("sees a body whose thread was in other user code after the view had been suspended")
  func suspended() {
    checker.suspended(0, at: 100)

    checker.begins(fixture.submit(), lastSeen: 101)

    #expect(fixture.broken == [.suspension])
  }

  @Test("knows a view that was resumed, and one that was suspended twice")
  func nested() {
    checker.suspended(0, at: 100)
    checker.suspended(0, at: 200)
    checker.resumes(0)
    checker.begins(fixture.submit(), lastSeen: 100)
    #expect(fixture.broken == [])
    checker.begins(fixture.submit(), lastSeen: 150)
    #expect(fixture.broken == [.suspension])

    let other = Fixture()
    let checker = StartChecker(queues: 1, violations: other.violations)
    checker.suspended(0, at: 100)
    checker.resumes(0)
    checker.begins(other.submit(), lastSeen: 150)
    #expect(other.broken == [])
  }

  @Test(
    "sees a body that cancel() said had started, and whose thread did something else after that")
  func saidStarted() {
    let (first, second) = (
      fixture.submit(.handled, isCertain: false), fixture.submit(.handled, isCertain: false)
    )
    checker.saidStarted(first, at: 100)
    checker.saidStarted(second, at: 300)
    checker.saidStarted(second, at: 200)

    checker.begins(first, lastSeen: 100)
    #expect(fixture.broken == [])
    // The first answer counts.
    checker.begins(second, lastSeen: 250)

    #expect(fixture.broken == [.cancel])
  }
}
