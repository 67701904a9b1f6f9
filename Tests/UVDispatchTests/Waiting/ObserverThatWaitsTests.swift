import TaskDispatch
import Testing

@testable import TaskDispatchTesting
@testable import UVDispatch

extension OnePool {
  @Suite("An observer that waits, while the thread that tells it holds a queue,")
  struct ObserverThatWaitsTests {
    /// Calls `wait` when the first task of a queue starts.
    private final class Waiter: TaskObserver {
      let wait: @Sendable () throws -> Void
      let answer = Box<String?>(nil)
      let answered = Latch()
      private let isDone = Flag()
      private let queue: String

      init(on queue: String, _ wait: @escaping @Sendable () throws -> Void) {
        self.queue = queue
        self.wait = wait
      }

      func observe(_ event: TaskEvent) {
        guard case .started = event.kind, event.task.queue == queue, !isDone.isRaised else {
          return
        }
        isDone.raise()
        do {
          try wait()
          answer.value = "went on"
        } catch WaitRefusal.wouldDeadlock {
          answer.value = "refused"
        } catch { answer.value = "\(error)" }
        answered.open()
      }
    }

    @Test("is refused what its own queue would have to run", arguments: [false, true])
    func refused(onWorker: Bool) throws {
      let made = Box<UVDispatcher?>(nil)
      let view = Box<TaskQueue?>(nil)
      let waiter = Waiter(on: "view") {
        try view.value!.submit(label: "behind") {}.wait()
      }
      let dispatcher = try UVDispatcher(.init(backgroundWidth: 1, observer: waiter))
      made.value = dispatcher
      view.value = dispatcher.makeQueue(label: "view", width: 1)
      let queue = view.value!
      if onWorker {
        dispatcher.background { try? queue.sync {} }
      } else {
        queue(label: "first") {}
      }

      #expect(waiter.answered.wait(patience))
      #expect(waiter.answer.value == "refused")
      dispatcher.runUntilIdle()
      view.value = nil
      made.value = nil
    }
  }
}
