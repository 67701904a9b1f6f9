import TaskDispatch
import TaskDispatchTesting
import Testing

/// The policy for code under test that is not expected to use its dispatcher at all.
@Suite("The policy .unimplemented")
struct UnimplementedTests {
  private let dispatcher = RecordingDispatcher(.init(policy: .unimplemented))

  @Test("is content with a dispatcher that no code uses")
  func unused() throws {
    try dispatcher.finish()
  }

  @Test("refuses a submission, runs nothing, and names the caller at finish()")
  func namesTheCaller() throws {
    let log = Log()

    let line = #line + 1
    let admission = dispatcher.background { log.note("ran") }

    #expect(admission == .refused(.unimplemented))
    #expect(log.all.isEmpty)
    let error = try #require(finishError(dispatcher))
    #expect(error.unexpectedUses.map(\.line) == [UInt32(line)])
    #expect(
      error.unexpectedUses.map(\.fileID) == ["TaskDispatchTestingTests/UnimplementedTests.swift"])
    #expect(dispatcher.ledger.refused == 1)
  }

  @Test("says so at once to the hook, on the thread of the use")
  func hook() throws {
    let sites = Slot<[CallSite]>()
    sites.value = []
    dispatcher.onUnexpectedUse = { sites.value?.append($0) }

    dispatcher.foreground {}
    #expect(sites.value?.count == 1)

    dispatcher.foreground.after(.seconds(1)) {}
    #expect(sites.value?.count == 2)
    _ = finishError(dispatcher)
  }

  @Test("refuses every form of submission", arguments: 0..<7)
  func everyForm(index: Int) throws {
    let queue = dispatcher.makeQueue(label: "queue", width: 1)
    switch index {
    case 0: #expect(queue.async(label: "options") {} == .refused(.unimplemented))
    case 1:
      #expect(queue.submit {}.outcomeIfFinished == .refused(.unimplemented))
    case 2:
      #expect(queue.after(.seconds(1)) {}.outcomeIfFinished == .refused(.unimplemented))
    case 3:
      #expect(queue.every(.seconds(1)) {}.outcomeIfFinished == .refused(.unimplemented))
    case 4:
      guard case .refused(.unimplemented) = waitRefusal({ try queue.sync {} }) else { return }
    case 5: #expect(queue.barrier {} == .refused(.unimplemented))
    default:
      #expect(WorkGroup().notify(on: queue) {} == .refused(.unimplemented))
    }

    #expect(finishError(dispatcher)?.unexpectedUses.count == 1)
  }

  @Test("fails an async run with the refusal")
  func asyncRun() async throws {
    let error = await #expect(throws: NoValue.self) {
      try await dispatcher.background.run(label: "fetch") {}
    }

    #expect(error?.outcome == .refused(.unimplemented))
    #expect(error?.label == "fetch")
    #expect(finishError(dispatcher)?.unexpectedUses.count == 1)
  }

  @Test("notes the registration of an event as a use")
  func events() throws {
    _ = try? dispatcher.onSignal(.terminate) { _ in }
    _ = try? dispatcher.onReady(0, for: .readable) { _ in }

    #expect(finishError(dispatcher)?.unexpectedUses.count == 2)
  }

  @Test("notes a Task that is started on it as a use")
  func jobs() throws {
    Task(executorPreference: dispatcher.background.executor) {}

    #expect(finishError(dispatcher)?.unexpectedUses.count == 1)
  }
}
