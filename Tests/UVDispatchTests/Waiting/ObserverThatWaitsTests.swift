import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("An observer that waits, while the thread that tells it holds a queue,")
  struct ObserverThatWaitsTests {
    /// Calls `wait` when the first task of a queue starts, or is enqueued.
    private final class Waiter: TaskObserver {
      let wait: @Sendable () throws -> Void
      let answer = Box<String?>(nil)
      let answered = Latch()
      let isArmed = Flag()
      private let isDone = Flag()
      private let queue: String
      private let kind: TaskEvent.Kind

      init(
        on queue: String, when kind: TaskEvent.Kind = .started,
        _ wait: @escaping @Sendable () throws -> Void
      ) {
        self.queue = queue
        self.kind = kind
        self.wait = wait
      }

      func observe(_ event: TaskEvent) {
        guard event.kind == kind, event.task.queue == queue else { return }
        guard isArmed.isRaised, !isDone.isRaised else { return }
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
      waiter.isArmed.raise()
      if onWorker {
        dispatcher.background { try? queue.sync {} }
      } else {
        queue.async(label: "first") {}
      }

      #expect(waiter.answered.wait(patience))
      #expect(waiter.answer.value == "refused")
      dispatcher.runUntilIdle()
      view.value = nil
      made.value = nil
    }

    @Test("is refused its sync behind that of its own thread, which has no task, at once")
    func ownTurn() throws {
      let view = Box<TaskQueue?>(nil)
      let waiter = Waiter(on: "view", when: .enqueued) { try view.value!.sync {} }
      let dispatcher = try UVDispatcher(.init(observer: waiter))
      let queue = dispatcher.makeQueue(label: "view", width: 1)
      view.value = queue
      let (isHeld, gate, ran) = (Latch(), Latch(), Box(0))
      queue {
        isHeld.open()
        gate.hold(patience)
      }
      #expect(isHeld.wait(patience))
      waiter.isArmed.raise()
      let caller = OtherThread { try? queue.sync { _ = ran.increment() } }

      // The refusal comes while a body runs that has the view.
      #expect(waiter.answered.wait(patience))
      #expect(waiter.answer.value == "refused")
      gate.open()
      #expect(caller.join())
      #expect(ran.value == 1)
      dispatcher.runUntilIdle()
      view.value = nil
    }
  }
}
