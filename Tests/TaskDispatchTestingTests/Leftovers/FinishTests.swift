import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@Suite("finish()")
struct FinishTests {
  @Test("says what it has to say once; a second call does nothing")
  func once() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.foreground {}

    #expect(finishError(dispatcher) != nil)

    try dispatcher.finish()
    try dispatcher.finish()
  }

  @Test("closes the dispatcher: every submission afterwards is refused", arguments: 0..<6)
  func closes(form: Int) throws {
    let dispatcher = RecordingDispatcher()
    let queue = dispatcher.makeQueue(label: "queue", width: 1)
    try dispatcher.finish()

    switch form {
    case 0: #expect(dispatcher.foreground {} == .refused(.shutDown))
    case 1: #expect(queue.async(label: "labelled") {} == .refused(.shutDown))
    case 2: #expect(queue.submit {}.outcomeIfFinished == .refused(.shutDown))
    case 3: #expect(queue.every(.seconds(1)) {}.outcomeIfFinished == .refused(.shutDown))
    case 4:
      guard case .refused(.shutDown) = waitRefusal({ try queue.sync {} }) else { return }
    default:
      #expect(throws: EventRefusal.shutDown) { try dispatcher.onSignal(.terminate) { _ in } }
    }
    #expect(dispatcher.pendingTasks.isEmpty)
  }

  @Test("cancels what is left: handles, groups and the ledger know")
  func cancels() throws {
    let dispatcher = RecordingDispatcher(.init(leftovers: .ignore))
    let group = WorkGroup()
    let task = dispatcher.background.submit(group: group) {}
    let timer = dispatcher.foreground.after(.seconds(1)) {}
    let ticks = dispatcher.foreground.every(.seconds(1)) {}
    dispatcher.foreground {}

    try dispatcher.finish()

    #expect(task.outcomeIfFinished == .cancelled)
    #expect(timer.outcomeIfFinished == .cancelled)
    #expect(ticks.outcomeIfFinished == .cancelled)
    #expect(group.count == 0)
    #expect(dispatcher.pendingTasks.isEmpty)
    #expect(dispatcher.ledger.cancelled == 4)
    #expect(dispatcher.ledger.waiting == 0)
    #expect(dispatcher.ledger.balances)
  }

  @Test("releases every body that waits, wherever it waits")
  func releases() throws {
    let dispatcher = RecordingDispatcher(
      .init(width: 4, leftovers: .ignore, overflow: .reject(limit: 3)))
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    let group = WorkGroup()
    group.enter()
    disk.suspend()
    weak var leftover: Token?
    do {
      let token = Token()
      leftover = token
      dispatcher.foreground { token.touch() }
      dispatcher.background { token.touch() }
      disk { token.touch() }
      disk.barrier { token.touch() }
      disk.async(label: "labelled") { token.touch() }
      dispatcher.foreground.after(.seconds(1)) { token.touch() }
      dispatcher.foreground.every(.seconds(1)) { token.touch() }
      group.notify(on: dispatcher.foreground) { token.touch() }
      try dispatcher.onSignal(.terminate) { _ in token.touch() }
      try dispatcher.raise(.terminate)
      try dispatcher.onReady(0, for: .readable) { _ in token.touch() }
    }
    dispatcher.background.async(label: "last") {}
    try dispatcher.runTask(labeled: "last")
    #expect(dispatcher.pendingTasks.filter(\.isStarted).count == 1)

    try dispatcher.finish()

    #expect(dispatcher.ledger.waiting == 0)
    group.leave()
    #expect(leftover == nil)
  }

  @Test("frees a dispatcher that its own leftover bodies hold")
  func breaksCycles() throws {
    weak var freed: RecordingDispatcher?
    do {
      let dispatcher = RecordingDispatcher(.init(leftovers: .ignore))
      freed = dispatcher
      let disk = dispatcher.makeQueue(label: "disk", width: 1)
      disk.suspend()
      dispatcher.foreground { dispatcher.foreground {} }
      disk { disk {} }
      dispatcher.background.every(.seconds(1)) { dispatcher.foreground {} }
      WorkGroup().notify(on: disk) { _ = dispatcher.now }
      try dispatcher.onSignal(.terminate) { _ in dispatcher.beginShutdown() }
      try dispatcher.finish()
    }

    #expect(freed == nil)
  }

  @Test("is not needed to free a dispatcher that nothing of its own holds")
  func noCycle() throws {
    weak var freed: RecordingDispatcher?
    do {
      let dispatcher = RecordingDispatcher()
      freed = dispatcher
      dispatcher.foreground {}
      dispatcher.makeQueue(label: "disk", width: 1).after(.seconds(1)) {}
    }

    #expect(freed == nil)
  }

  @Test("is the only place that complains: deinit never does")
  func neverInDeinit() async {
    await #expect(processExitsWith: .success) {
      do {
        let dispatcher = RecordingDispatcher()
        struct Torn: Error {}
        dispatcher.foreground.async(label: "left over") {}
        dispatcher.background.submit { throw Torn() }
        _ = try? dispatcher.runBackgroundUntilIdle()
      }
    }
  }

  @Test("releases the body of a Task that waits for room")
  func releasesThoseWaitingForRoom() async throws {
    let dispatcher = RecordingDispatcher(
      .init(leftovers: .ignore, overflow: .reject(limit: 1)))
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    disk.suspend()
    disk {}
    weak var leftover: Token?
    let task: Task<Void, any Error>
    do {
      let token = Token()
      leftover = token
      task = Task(executorPreference: dispatcher.foreground.executor) {
        try await disk.run { token.touch() }
      }
    }
    try dispatcher.runForegroundUntilIdle()
    #expect(leftover != nil)

    try dispatcher.finish()
    _ = await task.result

    #expect(leftover == nil)
  }

  @Test("leaves no Task waiting for ever", .timeLimit(.minutes(10)), arguments: 0..<5)
  func tasksGoOn(waitingFor: Int) async throws {
    let dispatcher = RecordingDispatcher(
      .init(leftovers: .ignore, overflow: .reject(limit: 1)))
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    disk.suspend()
    disk {}
    // An awaited shutdown has this task to wait for.
    dispatcher.background {}
    let task = Task(executorPreference: dispatcher.foreground.executor) { () -> String in
      do {
        switch waitingFor {
        case 0: try await dispatcher.clock.sleep(for: .seconds(1))
        case 1: try await dispatcher.makeQueue(label: "b", width: 1).run {}
        case 2: try await disk.run {}
        case 3: await disk.flush()
        default: _ = await dispatcher.shutdown(.init(drain: .seconds(1)))
        }
        return "went on"
      } catch {
        return "\(type(of: error))"
      }
    }
    try dispatcher.runForegroundUntilIdle()

    try dispatcher.finish()

    let result = await task.value
    switch waitingFor {
    case 0, 1: #expect(result == "CancellationError")
    case 2: #expect(result == "NoValue" || result == "CancellationError")
    default: #expect(result == "went on")
    }
  }

  @Test("lets a Task that has not begun run elsewhere, for its jobs cannot be refused")
  func jobsRunElsewhere() async throws {
    let dispatcher = RecordingDispatcher(.init(leftovers: .ignore))
    let task = Task(executorPreference: dispatcher.background.executor) { 5 }

    try dispatcher.finish()

    #expect(await task.value == 5)
    #expect(await Task(executorPreference: dispatcher.foreground.executor) { 6 }.value == 6)
  }
}
