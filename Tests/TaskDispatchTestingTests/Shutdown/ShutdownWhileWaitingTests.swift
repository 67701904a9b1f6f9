import TaskDispatch
import TaskDispatchTesting
import Testing

@Suite("A shutdown of the fake goes on")
struct ShutdownWhileWaitingTests {
  private let dispatcher = RecordingDispatcher()
  private let never = WorkGroup()

  init() { never.enter() }

  @Test("while a foreground body waits: its deadlines come first", arguments: [true, false])
  func beforeTheTimeOut(ofForeground: Bool) throws {
    let suspended = dispatcher.makeQueue(label: "disk", width: 1)
    suspended.suspend()
    let handle = suspended.submit {}
    (ofForeground ? dispatcher.foreground : dispatcher.background).async(label: "waits") {
      [dispatcher] in
      dispatcher.beginShutdown(.init(drain: .milliseconds(100), cancel: .seconds(10)))
      #expect(throws: Never.self) {
        let outcome = try handle.wait(timeout: .seconds(1))
        #expect(outcome == .cancelled)
      }
      #expect(dispatcher.now.sinceStart == .milliseconds(100))
    }

    try dispatcher.runUntilIdle()

    #expect(dispatcher.report?.ledger.completed == 1)
    try dispatcher.finish()
  }

  @Test("so what has come about before a time-out is no time-out")
  func expired() throws {
    let suspended = dispatcher.makeQueue(label: "disk", width: 1)
    suspended.suspend()
    let handle = suspended.submit(timeToLive: .milliseconds(1)) {}
    dispatcher.foreground { [dispatcher] in
      let outcome = try? handle.wait(timeout: .milliseconds(5))
      #expect(outcome == .expired)
      _ = dispatcher
    }

    try dispatcher.runUntilIdle()

    #expect(handle.outcomeIfFinished == .expired)
    try dispatcher.finish()
  }

  @Test("to its end when a later one leaves no time, although it cancels already")
  func shortened() throws {
    dispatcher.background.async(label: "has its slot") {}
    dispatcher.background.async(label: "runs") {}
    try dispatcher.runTask(labeled: "runs")
    dispatcher.beginShutdown(.init(drain: .zero, cancel: .seconds(5)))
    #expect(dispatcher.report == nil)

    dispatcher.beginShutdown(.init(drain: .zero, cancel: .zero))

    #expect(dispatcher.report?.unfinished.map(\.label) == ["has its slot"])
    #expect(dispatcher.report?.ledger.abandoned == 1)
    try dispatcher.finish()
  }

  @Test("at once if a body leaves no time: that body sees it, and has its own outcome")
  func withoutTime() throws {
    let suspended = dispatcher.makeQueue(label: "disk", width: 1)
    suspended.suspend()
    let waiting = suspended.submit {}
    dispatcher.background.async(label: "has its slot") {}
    let handle = dispatcher.background.submit(label: "asks") { [dispatcher] in
      dispatcher.beginShutdown(.init(drain: .zero, cancel: .zero))
      #expect(CurrentTask.isCancelled)
      #expect(waiting.outcomeIfFinished == .cancelled)
      #expect(waiting.cancel() == .tooLate)
      #expect(dispatcher.background {} == .refused(.shutDown))
      #expect(throws: WaitRefusal.refused(.shutDown)) { try dispatcher.foreground.sync {} }
      #expect(dispatcher.report == nil)
    }

    try dispatcher.runTask(labeled: "asks")

    #expect(handle.outcomeIfFinished == .completed)
    #expect(dispatcher.report?.unfinished.map(\.label) == [nil, "has its slot"])
    #expect(dispatcher.report?.ledger.abandoned == 1)
    try dispatcher.finish()
  }

  @Test("to its report after the callback that has begun it, and not inside that")
  func inCallback() throws {
    let log = Log()
    let site = CallSite(fileID: #fileID, line: #line)
    let item = WorkItem.make(
      kind: .task, queue: dispatcher.background, label: nil, site: site
    ) {}
    item.whenFinished { [dispatcher] _ in
      dispatcher.beginShutdown(.init(drain: .zero, cancel: .zero))
      log.note("\(dispatcher.report == nil)")
    }
    dispatcher.submit(item)

    try dispatcher.runNextBackgroundTask()

    #expect(log.all == ["true"])
    #expect(dispatcher.report?.ledger.completed == 1)
    try dispatcher.finish()
  }

  @Test(
    "and a submission that waits for room is refused for it", arguments: [nil, Duration.seconds(1)])
  func room(timeout: Duration?) throws {
    let overflow = Overflow.blockCaller(limit: 1, timeout: timeout)
    let dispatcher = RecordingDispatcher(.init(leftovers: .ignore, overflow: overflow))
    let suspended = dispatcher.makeQueue(label: "disk", width: 1)
    suspended.suspend()
    suspended {}
    dispatcher.foreground { dispatcher.beginShutdown(.init(drain: .seconds(60))) }

    #expect(suspended {} == .refused(.shutDown))

    try dispatcher.runUntilIdle()
    #expect(dispatcher.report?.ledger.waiting == 0)
    try dispatcher.finish()
  }

  @Test("when an inline body has begun it")
  func inline() throws {
    let dispatcher = RecordingDispatcher(.init(policy: .inline))

    dispatcher.foreground { dispatcher.beginShutdown() }

    #expect(dispatcher.report?.ledger.completed == 1)
    try dispatcher.finish()
  }

  @Test("only when what was cancelled has been released: its deinit may submit more")
  func deinits() throws {
    let log = Log()
    let suspended = dispatcher.makeQueue(label: "disk", width: 1)
    suspended.suspend()
    func submit() {
      let held = AtEnd { [dispatcher] in
        let admission = dispatcher.background { log.note("ran") }
        log.note("\(admission)")
      }
      suspended { withExtendedLifetime(held) {} }
    }
    submit()
    dispatcher.foreground { [dispatcher] in dispatcher.beginShutdown() }

    try dispatcher.runUntilIdle()

    #expect(log.all == ["accepted", "ran"])
    #expect(dispatcher.report?.ledger == dispatcher.ledger)
    try dispatcher.finish()
  }

  @Test("and every order of it lets a wait end that only it can end")
  func explored() throws {
    let result = try explore(.exhaustive) { dispatcher in
      let suspended = dispatcher.makeQueue(label: "disk", width: 1)
      suspended.suspend()
      let handle = suspended.submit {}
      dispatcher.foreground { dispatcher.beginShutdown() }
      return try "\(handle.wait())"
    }

    #expect(result.outcomes.map(\.self) == ["\(Outcome.cancelled)"])
  }

  @Test("and a flush that waits for a Task's job ends with the test")
  func flushAtTheEnd() async throws {
    let dispatcher = RecordingDispatcher(.init(leftovers: .ignore))
    let suspended = dispatcher.makeQueue(label: "disk", width: 1)
    suspended.suspend()
    Task(executorPreference: suspended.executor) {}
    let flush = Task(executorPreference: dispatcher.foreground.executor) { await suspended.flush() }
    try dispatcher.runForegroundUntilIdle()

    try dispatcher.finish()

    await flush.value
  }
}
