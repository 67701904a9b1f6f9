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
    disk(label: "before") { [log] in log.note("before") }
    dispatcher.background { [dispatcher] in
      dispatcher.beginShutdown(ShutdownPolicy(drain: .zero, cancel: .zero))
    }

    #expect(throws: WaitRefusal.refused(.shutDown)) { try disk.sync { log.note("ran") } }

    #expect(log.all.isEmpty)
    try endsBalanced(cancelled: 2)
  }

  private func endsBalanced(cancelled: Int) throws {
    try dispatcher.runUntilIdle()
    let report = try #require(dispatcher.report)
    #expect(report.ledger == dispatcher.ledger)
    #expect(report.ledger.balances)
    #expect(report.ledger.waiting == 0)
    #expect(report.ledger.cancelled == cancelled)
    try dispatcher.finish()
  }
}
