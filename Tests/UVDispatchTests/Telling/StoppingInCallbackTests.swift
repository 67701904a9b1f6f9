import Glibc
import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("A callback after the end of a task of a view, whose thread is the only one of the pool,")
  struct StoppingInCallbackTests {
    /// Runs a task of a view, with another one behind it.
    ///
    /// - Parameters:
    ///   - callback: Called between the two, with the view and the handle of the second.
    ///   - check: Called once nothing can start any more, with how often the second has run.
    private static func play(
      _ callback: @escaping @Sendable (TaskQueue, TaskHandle<Void>) -> Void,
      _ check: (TaskQueue, Int) -> Void
    ) throws {
      unsafe setenv("UV_THREADPOOL_SIZE", "1", 1)
      let dispatcher = try UVDispatcher()
      let view = dispatcher.makeQueue(label: "view", width: 1)
      let gate = Latch()
      let hasCalled = Latch()
      let ran = Box(0)
      let group = WorkGroup()
      view { gate.hold(patience) }
      view.async(group: group) {}
      let behind = view.submit { _ = ran.increment() }
      group.whenEmpty {
        callback(view, behind)
        hasCalled.open()
      }
      try dispatcher.start()
      gate.open()
      #expect(hasCalled.wait(patience))
      // One thread takes everything in order, so all that stood before this task could start.
      #expect(try dispatcher.background.submit {}.wait() == .completed)
      dispatcher.waitUntil { $0.running.isEmpty && $0.workers.searching == 0 }
      check(view, ran.value)
      dispatcher.end()
    }

    @Test("cancels the task behind that, which never runs")
    func cancels() async {
      await #expect(processExitsWith: .success) {
        try blocking {
          let answer = Box<Cancellation?>(nil)
          try Self.play({ answer.value = $1.cancel() }) { _, runs in
            #expect(answer.value == .beforeStart)
            #expect(runs == 0)
          }
        }
      }
    }

    @Test("suspends the view, and the task behind that waits until it is resumed")
    func suspends() async {
      await #expect(processExitsWith: .success) {
        try blocking {
          let after = Box(0)
          try Self.play({ view, _ in view.suspend() }) { view, runs in
            #expect(runs == 0)
            view { after.increment() }
            view.resume()
          }
          #expect(after.value == 1)
        }
      }
    }
  }
}
