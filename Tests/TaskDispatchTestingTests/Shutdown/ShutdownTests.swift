import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@Suite("Shutting down a fake")
struct ShutdownTests {
  private let dispatcher = RecordingDispatcher()

  @Test("that is idle ends at once, with a report that balances")
  func idle() throws {
    dispatcher.background {}
    try dispatcher.runUntilIdle()
    #expect(dispatcher.report == nil)

    dispatcher.beginShutdown()

    let report = try #require(dispatcher.report)
    #expect(report.unfinished.isEmpty)
    #expect(report.ledger == dispatcher.ledger)
    #expect(report.ledger.completed == 1)
    #expect(report.ledger.balances)
    try dispatcher.finish()
  }

  @Test("lets what was accepted drain as the test steps it, and reports when the last has ended")
  func drains() throws {
    let log = Log()
    let dispatcher = dispatcher
    dispatcher.background { log.note("background") }
    dispatcher.foreground { log.note("foreground, report: \(dispatcher.report != nil)") }

    dispatcher.beginShutdown()
    #expect(log.all.isEmpty)
    try dispatcher.runNextBackgroundTask()
    #expect(dispatcher.report == nil)
    try dispatcher.runNextForegroundTask()

    #expect(log.all == ["background", "foreground, report: false"])
    #expect(dispatcher.report?.ledger.completed == 2)
    #expect(dispatcher.now == .start)
    try dispatcher.finish()
  }

  @Test("drains what draining bodies submit, on every queue, and their replies")
  func drainsDescendants() throws {
    let log = Log()
    let dispatcher = dispatcher
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    dispatcher.background {
      disk { log.note("child") }
      dispatcher.background.async {
        5
      } then: {
        log.note("reply \(try! $0.get())")
      }
      let admission = dispatcher.foreground { log.note("foreground") }
      #expect(admission == .accepted)
    }

    dispatcher.beginShutdown()
    try dispatcher.runUntilIdle()

    #expect(Set(log.all) == ["child", "foreground", "reply 5"])
    #expect(dispatcher.report?.ledger.completed == 5)
    try dispatcher.finish()
  }

  @Test("refuses what comes from outside, each form of it, and never runs it", arguments: 0..<7)
  func refuses(form: Int) throws {
    let dispatcher = dispatcher
    let log = Log()
    weak var released: Token?
    dispatcher.background.async(label: "draining") {}
    dispatcher.beginShutdown()

    do {
      let token = Token()
      released = token
      let body: @Sendable () -> Void = {
        token.touch()
        log.note("ran")
      }
      let queue = dispatcher.background
      switch form {
      case 0: #expect(queue { body() } == .refused(.shutDown))
      case 1: #expect(queue.async(label: "late") { body() } == .refused(.shutDown))
      case 2:
        #expect(queue.submit(label: "late") { body() }.outcomeIfFinished == .refused(.shutDown))
      case 3:
        let timer = queue.after(.seconds(1), label: "late") { body() }
        #expect(timer.outcomeIfFinished == .refused(.shutDown))
      case 4:
        let timer = queue.every(.seconds(1), label: "late") { body() }
        #expect(timer.outcomeIfFinished == .refused(.shutDown))
      case 5: #expect(WorkGroup().notify(on: queue) { body() } == .refused(.shutDown))
      default:
        #expect(
          queue.async {
            body()
          } then: { _ in
          } == .refused(.shutDown))
      }
    }

    #expect(released == nil)
    #expect(dispatcher.history.last?.kind == .refused(.shutDown))
    try dispatcher.runUntilIdle()
    #expect(log.all.isEmpty)
    #expect(dispatcher.report?.ledger.refused == 1)
    #expect(dispatcher.report?.ledger.balances == true)
    try dispatcher.finish()
  }

  @Test("refuses everything once the report is there")
  func afterReport() throws {
    dispatcher.beginShutdown()
    let before = try #require(dispatcher.report)

    #expect(dispatcher.background {} == .refused(.shutDown))
    #expect(dispatcher.foreground.async(label: "late") {} == .refused(.shutDown))

    #expect(dispatcher.report?.ledger == before.ledger, "a report does not change")
    #expect(dispatcher.ledger.refused == 2)
    #expect(dispatcher.pendingTasks.isEmpty)
    try dispatcher.finish()
  }

  @Test("may begin in a task, which goes on and may still submit, without the flag")
  func inTask() throws {
    let dispatcher = dispatcher
    let log = Log()
    dispatcher.foreground {
      dispatcher.beginShutdown()
      log.note("cancelled: \(CurrentTask.isCancelled)")
      log.note("\(dispatcher.background { log.note("child") })")
    }

    try dispatcher.runUntilIdle()

    #expect(log.all == ["cancelled: false", "accepted", "child"])
    #expect(dispatcher.report?.unfinished == [])
    try dispatcher.finish()
  }

  @Test("gives the same report to every Task that awaits it, before and after")
  func awaited() throws {
    let dispatcher = dispatcher
    let reports = Slot<[ShutdownReport]>()
    reports.value = []
    dispatcher.background.async(label: "left") {}
    for _ in 0..<2 {
      Task(executorPreference: dispatcher.foreground.executor) {
        reports.value! += [await dispatcher.shutdown()]
      }
    }
    try dispatcher.runUntilIdle()
    #expect(reports.value?.count == 2)

    let late = try dispatcher.runAsync { await dispatcher.shutdown() }

    let ledgers = try #require(reports.value).map(\.ledger) + [late.ledger]
    #expect(Set(ledgers).count == 1)
    #expect(ledgers.first?.balances == true)
    try dispatcher.finish()
  }

  @Test("may be waited for with run(until:)")
  func runUntilReport() throws {
    let dispatcher = dispatcher
    dispatcher.background.async(label: "left") {}
    dispatcher.beginShutdown()

    try dispatcher.run { dispatcher.report != nil }

    #expect(dispatcher.hasRun("left"))
    try dispatcher.finish()
  }

  @Test("drains by itself where the policy runs by itself", arguments: [true, false])
  func automatic(isAll: Bool) throws {
    let dispatcher = RecordingDispatcher(.init(policy: isAll ? .automatic : .automaticForeground))
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    disk.suspend()
    disk.async(label: "held") {}

    dispatcher.beginShutdown()

    #expect(dispatcher.report?.unfinished.map(\.label) == ["held"])
    try dispatcher.finish()
  }

  @Test("leaves finish() nothing to say, whatever it cancelled")
  func finishAfter() throws {
    dispatcher.background.after(.seconds(1)) {}
    dispatcher.background.async(atShutdown: .skip) {}
    dispatcher.background.every(.seconds(1)) {}
    dispatcher.beginShutdown()
    #expect(dispatcher.report != nil)

    try dispatcher.finish()
  }

  @Test("that has not ended leaves finish() what still waits, and finish() ends it")
  func finishBefore() throws {
    dispatcher.background.async(label: "left") {}
    dispatcher.beginShutdown()
    #expect(dispatcher.report == nil)

    #expect(finishError(dispatcher)?.leftovers.labels == ["left"])

    #expect(dispatcher.report?.ledger.cancelled == 1)
    #expect(dispatcher.report?.ledger.balances == true)
  }

  @Test("is over for signals too: no handler is told of them after the report")
  func signals() throws {
    let log = Log()
    let registration = try dispatcher.onSignal(.terminate) { _ in log.note("handled") }
    dispatcher.background {}
    dispatcher.beginShutdown()
    try dispatcher.raise(.terminate)
    try dispatcher.runUntilIdle()
    #expect(log.all == ["handled"], "while it drains they are handled")
    #expect(dispatcher.report != nil)

    guard case .noRegistration = stepError({ try dispatcher.raise(.terminate) }) else { return }

    #expect(dispatcher.ledger.waiting == 0)
    withExtendedLifetime(registration) {}
    try dispatcher.finish()
  }
}
