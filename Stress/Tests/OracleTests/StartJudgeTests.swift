import Oracle
import Testing

@Suite("The judge of what starts although it was held back")
struct StartJudgeTests {
  private let desk = Desk()
  private let judge: StartJudge

  init() { judge = StartJudge(queues: 1, court: desk.court) }

  @Test("has nothing to say of a body whose thread was last seen before the view was suspended")
  func wasTaken() {
    judge.suspended(0, at: 100)

    judge.begins(desk.submit(), lastSeen: 99)
    judge.begins(desk.submit(), lastSeen: 100)

    #expect(desk.broken == [])
  }

  @Test("sees a body whose thread was in other user code after the view had been suspended")
  func suspended() {
    judge.suspended(0, at: 100)

    judge.begins(desk.submit(), lastSeen: 101)

    #expect(desk.broken == [.suspension])
  }

  @Test("knows a view that was resumed, and one that was suspended twice")
  func nested() {
    judge.suspended(0, at: 100)
    judge.suspended(0, at: 200)
    judge.resumes(0)
    judge.begins(desk.submit(), lastSeen: 100)
    #expect(desk.broken == [])
    judge.begins(desk.submit(), lastSeen: 150)
    #expect(desk.broken == [.suspension])

    let other = Desk()
    let judge = StartJudge(queues: 1, court: other.court)
    judge.suspended(0, at: 100)
    judge.resumes(0)
    judge.begins(other.submit(), lastSeen: 150)
    #expect(other.broken == [])
  }

  @Test(
    "sees a body that cancel() said had started, and whose thread did something else after that")
  func saidStarted() {
    let (first, second) = (
      desk.submit(.handled, isCertain: false), desk.submit(.handled, isCertain: false)
    )
    judge.saidStarted(first, at: 100)
    judge.saidStarted(second, at: 300)
    judge.saidStarted(second, at: 200)

    judge.begins(first, lastSeen: 100)
    #expect(desk.broken == [])
    // The first answer counts.
    judge.begins(second, lastSeen: 250)

    #expect(desk.broken == [.cancel])
  }
}
