import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

/// The contract has checks of its own for this, at rules 9 and 19.
extension OnePool {
  @Suite("A body that cancels its own task")
  struct CancelOwnTaskTests {
    private static func dispatchers() throws -> [any TaskDispatcher] {
      [try UVDispatcher(), RecordingDispatcher()]
    }

    private func run(_ dispatcher: any TaskDispatcher) throws {
      if let fake = dispatcher as? RecordingDispatcher { try fake.runUntilIdle() }
      (dispatcher as? UVDispatcher)?.runUntilIdle()
    }

    @Test("is told that there is nothing to cancel, where no handle could")
    func nothing() throws {
      for dispatcher in try Self.dispatchers() {
        let answers = Box([String: Bool]())
        let (foreground, view) = (
          dispatcher.foreground, dispatcher.makeQueue(label: "view", width: 1)
        )
        dispatcher.background { answers.change { $0["plain"] = CurrentTask.cancel() } }
        foreground {
          Task(executorPreference: foreground.executor) {
            answers.change { $0["job"] = CurrentTask.cancel() }
          }
        }
        foreground.submit {
          try view.sync { answers.change { $0["sync"] = CurrentTask.cancel() } }
          answers.change { $0["after sync"] = CurrentTask.isCancelled }
        }

        try run(dispatcher)

        #expect(
          answers.value == ["plain": false, "job": false, "sync": false, "after sync": false])
        #expect(!CurrentTask.cancel())
        try run(dispatcher)
      }
    }

    @Test("is told so to the observer, once")
    func observed() throws {
      let counter = RequestCounter()
      let dispatchers: [any TaskDispatcher] = [
        try UVDispatcher(.init(observer: counter)), RecordingDispatcher(.init(observer: counter)),
      ]
      for dispatcher in dispatchers {
        dispatcher.background.submit(label: "own") {
          CurrentTask.cancel()
          CurrentTask.cancel()
        }
        try run(dispatcher)
        #expect(counter.requests.value == 1)
        counter.requests.value = 0
      }
    }

    @Test("in a handler removes it also if its registration was not kept")
    func droppedRegistration() throws {
      let dispatcher = try UVDispatcher()
      let calls = Box(0)
      let pipe = Pipe()
      // The pipe stays readable, so a handler that is still registered would be called for ever.
      try dispatcher.onReady(pipe.readEnd, for: .readable) { _ in
        calls.increment()
        #expect(CurrentTask.cancel())
        #expect(CurrentTask.cancel())
      }
      pipe.write()

      dispatcher.runUntilIdle()

      #expect(calls.value == 1)
      #expect(dispatcher.engine.withCore { $0.awaitsEvents } == false)
    }

    @Test("in a handler of the fake removes it also if its registration was not kept")
    func droppedRegistrationOfTheFake() throws {
      let dispatcher = RecordingDispatcher()
      try dispatcher.onSignal(.hangup) { _ in #expect(CurrentTask.cancel()) }
      try dispatcher.raise(.hangup)

      try dispatcher.runUntilIdle()

      #expect(dispatcher.awaitedEvents == [])
      try dispatcher.finish()
    }
  }
}

private final class RequestCounter: TaskObserver {
  let requests = Box(0)

  func observe(_ event: TaskEvent) {
    if event.kind == .cancellationRequested { requests.increment() }
  }
}
