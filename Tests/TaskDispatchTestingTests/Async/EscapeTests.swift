import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@Suite("A Task that is resumed from elsewhere")
struct EscapeTests {
  private let waiting = Slot<CheckedContinuation<Void, Never>>()
  private let log = Log()

  /// Starts a Task of `dispatcher`, and steps until it waits for something that the fake does not control.
  private func begin(on dispatcher: RecordingDispatcher) throws {
    Task(executorPreference: dispatcher.foreground.executor) { [waiting, log] in
      await withCheckedContinuation { waiting.value = $0 }
      log.note("went on")
    }
    try dispatcher.runUntilIdle()
  }

  @Test("goes on all the same, and is told by finish()")
  func reported() throws {
    let dispatcher = RecordingDispatcher()
    try begin(on: dispatcher)

    onAnotherThread { [waiting] in waiting.value!.resume() }
    try dispatcher.runUntilIdle()

    #expect(log.all == ["went on"])
    let escapes = dispatcher.history.filter { $0.kind == .escaped }.map(\.task)
    #expect(escapes.count == 1)
    #expect(finishError(dispatcher)?.escapes == escapes)
  }

  @Test("is told before the test steps it too")
  func beforeItRuns() throws {
    let dispatcher = RecordingDispatcher(.init(leftovers: .ignore))
    try begin(on: dispatcher)

    onAnotherThread { [waiting] in waiting.value!.resume() }

    #expect(finishError(dispatcher)?.escapes.count == 1)
  }

  @Test("is no failure where the configuration says so, and is still in the history")
  func allowed() throws {
    let dispatcher = RecordingDispatcher(.init(escapesFail: false))
    try begin(on: dispatcher)

    onAnotherThread { [waiting] in waiting.value!.resume() }
    try dispatcher.runUntilIdle()

    #expect(dispatcher.history.contains { $0.kind == .escaped })
    try dispatcher.finish()
  }

  @Test("is not noticed without the history")
  func withoutHistory() throws {
    let dispatcher = RecordingDispatcher(.init(recordsHistory: false))
    try begin(on: dispatcher)

    onAnotherThread { [waiting] in waiting.value!.resume() }
    try dispatcher.runUntilIdle()

    #expect(log.all == ["went on"])
    try dispatcher.finish()
  }

  @Test("for the first time is no escape: any thread may start a Task")
  func startedElsewhere() throws {
    let dispatcher = RecordingDispatcher()
    onAnotherThread { [log] in
      Task(executorPreference: dispatcher.background.executor) { log.note("ran") }
    }

    try dispatcher.runUntilIdle()

    #expect(log.all == ["ran"])
    try dispatcher.finish()
  }

  @Test("by a body of another fake that the test steps is no escape")
  func otherFake() throws {
    let dispatcher = RecordingDispatcher()
    let other = RecordingDispatcher()
    try begin(on: dispatcher)
    other.background { [waiting] in waiting.value!.resume() }

    try other.runUntilIdle()
    try dispatcher.runUntilIdle()

    #expect(log.all == ["went on"])
    try other.finish()
    try dispatcher.finish()
  }

  @Test("has escaped in the words of an operation that nothing here can let go on")
  func operation() throws {
    let dispatcher = RecordingDispatcher()
    let waiting = waiting

    let error = stepError {
      try dispatcher.runAsync { await withCheckedContinuation { waiting.value = $0 } }
    }

    guard case .escaped(_, let pending, nil) = error else {
      Issue.record("\(error as Any)")
      return
    }
    #expect(pending.isEmpty)
    // Nothing is lost: the operation goes on when any thread resumes it.
    waiting.value!.resume()
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }
}
