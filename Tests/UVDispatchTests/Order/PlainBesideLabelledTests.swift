import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing
import UVDispatch

extension OnePool {
  /// A plain body comes into its queue by another way than a task with options (rules 3 and 7).
  @Suite("Plain bodies beside labelled tasks")
  struct PlainBesideLabelledTests {
    private let notes = Box([String]())

    private func note(_ text: String, _ ended: Latch? = nil) -> @Sendable () -> Void {
      { [notes] in
        notes.change { $0.append(text) }
        ended?.open()
      }
    }

    @Test("of the foreground run in the order of submission")
    func foreground() throws {
      let dispatcher = try UVDispatcher()
      let queue = dispatcher.foreground
      queue(note("plain 1"))
      queue.async(label: "labelled", note("labelled 2"))
      queue(note("plain 3"))
      queue.submit(note("submitted 4"))
      queue(note("plain 5"))

      dispatcher.runUntilIdle()

      #expect(notes.value == ["plain 1", "labelled 2", "plain 3", "submitted 4", "plain 5"])
    }

    @Test("of the background start in the order of submission")
    func background() throws {
      let dispatcher = try UVDispatcher(.init(backgroundWidth: 1))
      let queue = dispatcher.background
      let (gate, ended) = (heldWorker(of: dispatcher), Latch(5))
      queue(note("plain 1", ended))
      queue.async(label: "labelled", note("labelled 2", ended))
      queue(note("plain 3", ended))
      queue.submit(note("submitted 4", ended))
      queue(note("plain 5", ended))

      gate.open()
      // The test waits on a latch: if it looked at the dispatcher, it would drain an inbox that the worker
      // forgets.
      #expect(ended.wait(patience))

      #expect(notes.value == ["plain 1", "labelled 2", "plain 3", "submitted 4", "plain 5"])
    }

    @Test("of the background start before what is lower, though that came first")
    func lower() throws {
      let dispatcher = try UVDispatcher(.init(backgroundWidth: 1, agingStep: .seconds(3600)))
      let queue = dispatcher.background
      let (gate, ended) = (heldWorker(of: dispatcher), Latch(2))
      queue.async(priority: .lowest, note("low", ended))
      queue(note("plain", ended))

      gate.open()
      // The test waits on a latch: if it looked at the dispatcher, it would drain an inbox that the worker
      // forgets.
      #expect(ended.wait(patience))

      #expect(notes.value == ["plain", "low"])
    }

    @Test("of the background start behind what is higher, though that came last")
    func higher() throws {
      let dispatcher = try UVDispatcher(.init(backgroundWidth: 1, agingStep: .seconds(3600)))
      let queue = dispatcher.background
      let (gate, ended) = (heldWorker(of: dispatcher), Latch(2))
      queue(note("plain", ended))
      queue.async(priority: .high, note("high", ended))

      gate.open()
      // The test waits on a latch: if it looked at the dispatcher, it would drain an inbox that the worker
      // forgets.
      #expect(ended.wait(patience))

      #expect(notes.value == ["high", "plain"])
    }
  }
}

/// Holds the only worker of `dispatcher` until the returned gate is opened.
private func heldWorker(of dispatcher: UVDispatcher) -> Latch {
  let (started, gate) = (Latch(), Latch())
  dispatcher.background {
    started.open()
    gate.hold(patience)
  }
  #expect(started.wait(patience))
  return gate
}
