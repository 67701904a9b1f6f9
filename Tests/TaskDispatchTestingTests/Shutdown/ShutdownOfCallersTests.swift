import TaskDispatch
import TaskDispatchTesting
import Testing

@Suite("A caller that waits in sync when a shutdown")
struct ShutdownOfCallersTests {
  private let dispatcher = RecordingDispatcher()
  private let log = Log()

  @Test("has nothing left to do is refused, and the report counts it")
  func suspended() throws {
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    disk.suspend()
    dispatcher.background { [dispatcher] in dispatcher.beginShutdown() }

    #expect(throws: WaitRefusal.refused(.shutDown)) { try disk.sync { log.note("ran") } }

    #expect(log.all.isEmpty)
    try endsBalanced(cancelled: 1)
  }

  @Test("gives up what runs is refused, whatever stands before it")
  func behindStuck() throws {
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    disk.suspend()
    disk.async(label: "before") { [log] in log.note("before") }
    dispatcher.background { [dispatcher] in
      dispatcher.beginShutdown(ShutdownPolicy(drain: .zero, cancel: .zero))
    }

    #expect(throws: WaitRefusal.refused(.shutDown)) { try disk.sync { log.note("ran") } }

    #expect(log.all.isEmpty)
    try endsBalanced(cancelled: 2)
  }

  @Test("gives up the body before it is refused: the body keeps its queue until it ends")
  func behindGivenUp() throws {
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    let never = WorkGroup()
    never.enter()
    disk { [dispatcher, log] in
      dispatcher.beginShutdown(ShutdownPolicy(drain: .zero, cancel: .milliseconds(10)))
      #expect(throws: WaitRefusal.timedOut) { try never.wait(timeout: .seconds(1)) }
      log.note("given up")
    }

    #expect(throws: WaitRefusal.refused(.shutDown)) { try disk.sync { log.note("ran") } }

    #expect(log.all == ["given up"])
    try endsBalanced(cancelled: 1, abandoned: 1)
    never.leave()
  }

  @Test("gives up what runs is refused, although it was admitted just before")
  func admitted() throws {
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    disk.suspend()
    dispatcher.background { [dispatcher, log] in
      disk.resume()
      dispatcher.beginShutdown(ShutdownPolicy(drain: .zero, cancel: .zero))
      log.note("resumed")
    }

    #expect(throws: WaitRefusal.refused(.shutDown)) { try disk.sync { log.note("ran") } }

    #expect(log.all == ["resumed"])
    try endsBalanced(cancelled: 1)
  }

  @Test("is the end of the test is refused, although it was admitted just before")
  func admittedAtTheFinish() {
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    disk.suspend()
    dispatcher.background { [dispatcher, log] in
      disk.resume()
      #expect(throws: Never.self) { try dispatcher.finish() }
      log.note("finished")
    }

    #expect(throws: WaitRefusal.refused(.shutDown)) { try disk.sync { log.note("ran") } }

    #expect(log.all == ["finished"])
    #expect(dispatcher.ledger.balances && dispatcher.ledger.waiting == 0)
  }

  private func endsBalanced(cancelled: Int, abandoned: Int = 0) throws {
    try dispatcher.runUntilIdle()
    let report = try #require(dispatcher.report)
    #expect(report.ledger == dispatcher.ledger)
    #expect(report.ledger.balances)
    #expect(report.ledger.waiting == 0)
    #expect(report.ledger.cancelled == cancelled)
    #expect(report.ledger.abandoned == abandoned)
    try dispatcher.finish()
  }
}
