import Oracle
import Testing

@Suite("The judge of where user code is told that it stands", .serialized)
struct PlaceJudgeTests {
  private let desk = Desk()
  private let judge: PlaceJudge
  private let inQueue0 = Standing(task: 1, queue: 0)

  init() {
    judge = PlaceJudge(court: desk.court)
    Hand.current.stand.role = .worker
  }

  @Test("lets a body see its own task and queue, and nothing else")
  func body() {
    let ticket = desk.submit()
    judge.enterBody(.body, ticket, mark: 1, seen: inQueue0)
    judge.leave()
    #expect(desk.broken == [])

    for wrong in [
      Standing.nowhere, Standing(task: 2, queue: 0), Standing(task: 1, queue: 1),
      Standing(task: 1, queues: 3),
    ] {
      let desk = Desk()
      let judge = PlaceJudge(court: desk.court)
      judge.enterBody(.body, desk.submit(), mark: 1, seen: wrong)
      judge.leave()
      #expect(desk.broken == [.standing], "\(wrong)")
    }
  }

  @Test("lets the body of a sync see its caller's queues, and one that a waiting worker runs not")
  func nested() {
    let (outer, inner) = (Standing(task: 7, queue: 3), desk.submit())
    judge.enterAnywhere(.body, mark: 7, seen: outer)
    judge.enterBody(
      .synced, inner, mark: 1, standsOnCaller: true, seen: Standing(task: 1, queues: 0b1001))
    judge.leave()
    judge.enterBody(.body, inner, mark: 1, seen: inQueue0)
    judge.leave()
    #expect(desk.broken == [])

    judge.enterBody(.body, inner, mark: 1, seen: Standing(task: 1, queues: 0b1001))
    judge.leave()
    judge.leave()
    #expect(desk.broken == [.standing])
  }

  @Test("wants a callback of the dispatcher's own thread to stand nowhere")
  func callback() {
    judge.enterCallback(.whenEmpty, mark: 1, seen: .nowhere)
    judge.leave()
    #expect(desk.broken == [])

    judge.enterCallback(.whenEmpty, mark: 1, seen: Standing(task: 2, queue: 0))
    judge.leave()
    #expect(desk.broken == [.standing])
  }

  @Test("lets a callback inside a call of user code stand where that does, and not elsewhere")
  func insideCall() {
    let outer = Standing(task: 7, queue: 3)
    judge.enterAnywhere(.body, mark: 7, seen: outer)
    for right in [outer, .nowhere] {
      judge.enterCallback(.result, mark: 1, seen: right)
      judge.leave()
    }
    #expect(desk.broken == [])

    judge.enterCallback(.result, mark: 1, seen: inQueue0)
    judge.leave()
    judge.leave()
    #expect(desk.broken == [.standing])
  }

  @Test("wants what a body had captured to end in that body's standing, if the body ran")
  func captured() {
    let ticket = desk.submit()
    judge.enterCaptured(ticket, mark: 1, seen: .nowhere)
    judge.leave()
    desk.run(ticket)
    judge.enterCaptured(ticket, mark: 1, seen: inQueue0)
    judge.leave()
    #expect(desk.broken == [])

    judge.enterCaptured(ticket, mark: 1, seen: .nowhere)
    judge.leave()
    #expect(desk.broken == [.standing])
  }

  @Test("sees a job in another queue, and code of no dispatcher that stands in one")
  func outside() {
    judge.enterJob(in: 0, isLate: false, seen: Standing(task: -1, queue: 0))
    judge.leave()
    judge.enterJob(in: 0, isLate: true, seen: .nowhere)
    judge.leave()
    judge.enterOutside(.task, seen: .nowhere)
    judge.leave()
    #expect(desk.broken == [])

    judge.enterJob(in: 0, isLate: false, seen: .nowhere)
    judge.leave()
    #expect(desk.broken == [.standing])
    let other = Desk()
    let judge = PlaceJudge(court: other.court)
    judge.enterOutside(.task, seen: inQueue0)
    judge.leave()
    #expect(other.broken == [.standing])
  }

  @Test("counts the workers that are in user code, each once, and no other threads")
  func busy() {
    judge.enterCallback(.whenEmpty, mark: 0, seen: .nowhere)
    judge.enterCallback(.result, mark: 0, seen: .nowhere)
    #expect(judge.busyWorkers == 1)
    judge.leave()
    #expect(judge.busyWorkers == 1)
    judge.leave()
    #expect(judge.busyWorkers == 0)

    Hand.current.stand.role = .loop
    judge.enterCallback(.whenEmpty, mark: 0, seen: .nowhere)
    #expect(judge.busyWorkers == 0)
    judge.leave()
    Hand.current.stand.role = .worker
  }

  @Test("knows since when a thread stands in a call, and when it was last seen outside one")
  func calls() {
    let stand = Hand.current.stand
    let before = monotonicNanoseconds()
    judge.enterCallback(.whenEmpty, mark: 0, seen: .nowhere)
    #expect(stand.longestCall == nil)
    stand.call("outer") {
      #expect(stand.lastSeen >= before)
      stand.call("inner", holdsRuntimeLock: true) { #expect(stand.isUnderRuntimeLock) }
      #expect(stand.longestCall?.name == "outer")
      #expect(!stand.isUnderRuntimeLock)
    }
    #expect(stand.longestCall == nil)
    judge.leave()
    #expect(stand.depth == 0)
  }

  @Test("does not count an observer as a sight of its thread")
  func observer() {
    let stand = Hand.current.stand
    judge.enterCallback(.whenEmpty, mark: 0, seen: .nowhere)
    judge.leave()
    let before = stand.lastSeen
    judge.enterAnywhere(.observer, mark: 0, seen: .nowhere)
    stand.call("something") {}
    judge.leave()
    #expect(stand.lastSeen == before)

    judge.enterCallback(.result, mark: 0, seen: .nowhere)
    judge.leave()
    #expect(stand.lastSeen > before)
  }
}
