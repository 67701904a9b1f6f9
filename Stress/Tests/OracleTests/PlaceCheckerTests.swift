import Oracle
import Testing

@Suite("The checker of where user code is told that it stands", .serialized)
struct PlaceCheckerTests {
  private let fixture = Fixture()
  private let checker: PlaceChecker
  private let inQueue0 = Standing(task: 1, queue: 0)

  init() {
    checker = PlaceChecker(violations: fixture.violations)
    ThreadRecorder.current.stand.role = .worker
  }

  @Test("lets a body see its own task and queue, and nothing else")
  func body() {
    let ticket = fixture.submit()
    checker.enterBody(.body, ticket, mark: 1, seen: inQueue0)
    checker.leave()
    #expect(fixture.broken == [])

    for wrong in [
      Standing.nowhere, Standing(task: 2, queue: 0), Standing(task: 1, queue: 1),
      Standing(task: 1, queues: 3),
    ] {
      let fixture = Fixture()
      let checker = PlaceChecker(violations: fixture.violations)
      checker.enterBody(.body, fixture.submit(), mark: 1, seen: wrong)
      checker.leave()
      #expect(fixture.broken == [.standing], "\(wrong)")
    }
  }

  @Test("lets the body of a sync see its caller's queues, and one that a waiting worker runs not")
  func nested() {
    let (outer, inner) = (Standing(task: 7, queue: 3), fixture.submit())
    checker.enterAnywhere(.body, mark: 7, seen: outer)
    checker.enterBody(
      .synced, inner, mark: 1, standsOnCaller: true, seen: Standing(task: 1, queues: 0b1001))
    checker.leave()
    checker.enterBody(.body, inner, mark: 1, seen: inQueue0)
    checker.leave()
    #expect(fixture.broken == [])

    checker.enterBody(.body, inner, mark: 1, seen: Standing(task: 1, queues: 0b1001))
    checker.leave()
    checker.leave()
    #expect(fixture.broken == [.standing])
  }

  @Test("wants a callback of the dispatcher's own thread to stand nowhere")
  func callback() {
    checker.enterCallback(.whenEmpty, mark: 1, seen: .nowhere)
    checker.leave()
    #expect(fixture.broken == [])

    checker.enterCallback(.whenEmpty, mark: 1, seen: Standing(task: 2, queue: 0))
    checker.leave()
    #expect(fixture.broken == [.standing])
  }

  @Test("lets a callback inside a call of user code stand where that does, and not elsewhere")
  func insideCall() {
    let outer = Standing(task: 7, queue: 3)
    checker.enterAnywhere(.body, mark: 7, seen: outer)
    for right in [outer, .nowhere] {
      checker.enterCallback(.result, mark: 1, seen: right)
      checker.leave()
    }
    #expect(fixture.broken == [])

    checker.enterCallback(.result, mark: 1, seen: inQueue0)
    checker.leave()
    checker.leave()
    #expect(fixture.broken == [.standing])
  }

  @Test("wants what a body had captured to end in that body's standing, if the body ran")
  func captured() {
    let ticket = fixture.submit()
    checker.enterCaptured(ticket, mark: 1, seen: .nowhere)
    checker.leave()
    fixture.run(ticket)
    checker.enterCaptured(ticket, mark: 1, seen: inQueue0)
    checker.leave()
    #expect(fixture.broken == [])

    checker.enterCaptured(ticket, mark: 1, seen: .nowhere)
    checker.leave()
    #expect(fixture.broken == [.standing])
  }

  @Test("sees a job in another queue, and code of no dispatcher that stands in one")
  func outside() {
    checker.enterJob(in: 0, isLate: false, seen: Standing(task: -1, queue: 0))
    checker.leave()
    checker.enterJob(in: 0, isLate: true, seen: .nowhere)
    checker.leave()
    checker.enterOutside(.task, seen: .nowhere)
    checker.leave()
    #expect(fixture.broken == [])

    checker.enterJob(in: 0, isLate: false, seen: .nowhere)
    checker.leave()
    #expect(fixture.broken == [.standing])
    let other = Fixture()
    let checker = PlaceChecker(violations: other.violations)
    checker.enterOutside(.task, seen: inQueue0)
    checker.leave()
    #expect(other.broken == [.standing])
  }

  @Test("counts the workers that are in user code, each once, and no other threads")
  func busy() {
    checker.enterCallback(.whenEmpty, mark: 0, seen: .nowhere)
    checker.enterCallback(.result, mark: 0, seen: .nowhere)
    #expect(checker.busyWorkers == 1)
    checker.leave()
    #expect(checker.busyWorkers == 1)
    checker.leave()
    #expect(checker.busyWorkers == 0)

    ThreadRecorder.current.stand.role = .loop
    checker.enterCallback(.whenEmpty, mark: 0, seen: .nowhere)
    #expect(checker.busyWorkers == 0)
    checker.leave()
    ThreadRecorder.current.stand.role = .worker
  }

  @Test("knows since when a thread stands in a call, and when it was last seen outside one")
  func calls() {
    let stand = ThreadRecorder.current.stand
    let before = monotonicNanoseconds()
    checker.enterCallback(.whenEmpty, mark: 0, seen: .nowhere)
    #expect(stand.longestCall == nil)
    stand.call("outer") {
      #expect(stand.lastSeen >= before)
      stand.call("inner", holdsRuntimeLock: true) { #expect(stand.isUnderRuntimeLock) }
      #expect(stand.longestCall?.name == "outer")
      #expect(!stand.isUnderRuntimeLock)
    }
    #expect(stand.longestCall == nil)
    checker.leave()
    #expect(stand.depth == 0)
  }

  @Test("does not count an observer as a sight of its thread")
  func observer() {
    let stand = ThreadRecorder.current.stand
    checker.enterCallback(.whenEmpty, mark: 0, seen: .nowhere)
    checker.leave()
    let before = stand.lastSeen
    checker.enterAnywhere(.observer, mark: 0, seen: .nowhere)
    stand.call("something") {}
    checker.leave()
    #expect(stand.lastSeen == before)

    checker.enterCallback(.result, mark: 0, seen: .nowhere)
    checker.leave()
    #expect(stand.lastSeen > before)
  }
}
