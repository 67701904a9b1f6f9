import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing
import UVDispatch

extension OnePool {
  @Suite("run()")
  struct RunTests {
    @Test("returns the report, which is the dispatcher's")
    func returnsReport() throws {
      let dispatcher = try UVDispatcher()
      dispatcher.foreground.async(label: "skipped", atShutdown: .skip) {}
      let view = dispatcher.makeQueue(label: "held", width: 1)
      view.suspend()
      view.async(label: "never") {}
      dispatcher.beginShutdown()

      let report = dispatcher.run()

      #expect(report.unfinished.map(\.label) == ["skipped", "never"])
      #expect(report.ledger.balances)
      #expect(report.ledger.cancelled == 2)
      #expect(dispatcher.report?.ledger == report.ledger)
      #expect(dispatcher.report?.unfinished == report.unfinished)
      #expect(dispatcher.ledger == report.ledger)
    }

    @Test("makes the calling thread the foreground, in bodies only")
    func callingThread() throws {
      let dispatcher = try UVDispatcher()
      let here = CurrentThread.id
      let there = Box<(thread: UInt, isForeground: Bool)?>(nil)
      dispatcher.foreground {
        there.value = (CurrentThread.id, dispatcher.isForeground)
        dispatcher.beginShutdown()
      }

      #expect(!dispatcher.isForeground)
      dispatcher.run()

      #expect(there.value?.thread == here)
      #expect(there.value?.isForeground == true)
      #expect(!dispatcher.isForeground)
    }

    @Test("returns at once if the shutdown began before it and nothing was submitted")
    func emptyShutdown() throws {
      let dispatcher = try UVDispatcher()
      dispatcher.beginShutdown()

      let report = dispatcher.run()

      #expect(report.ledger == Ledger())
      #expect(report.unfinished.isEmpty)
    }

    @Test("runs what was submitted before it, in order, and what came due")
    func runsWhatWaited() throws {
      let dispatcher = try UVDispatcher()
      let notes = Box([String]())
      dispatcher.background.after(.nanoseconds(1)) {
        notes.change { $0.append("timer") }
        dispatcher.foreground { dispatcher.beginShutdown() }
      }
      dispatcher.foreground { notes.change { $0.append("first") } }
      dispatcher.foreground { notes.change { $0.append("second") } }
      // The body that the pool has run shows that the timer had its chance. The timer needs the loop.
      let proof = Latch()
      dispatcher.background { proof.open() }
      #expect(proof.wait(patience))
      #expect(notes.value == [])

      dispatcher.run()

      #expect(notes.value.filter { $0 != "timer" } == ["first", "second"])
      #expect(notes.value.count == 3)
    }

    @Test("of one dispatcher may stand in a task of another")
    func nestedDispatchers() throws {
      let outer = try UVDispatcher()
      let inner = try UVDispatcher()
      let isForeground = Box<(outer: Bool, inner: Bool)?>(nil)
      inner.foreground {
        isForeground.value = (outer.isForeground, inner.isForeground)
        inner.beginShutdown()
      }
      outer.foreground {
        inner.run()
        outer.beginShutdown()
      }

      let report = outer.run()

      #expect(report.ledger.completed == 1)
      #expect(inner.report?.ledger.completed == 1)
      #expect(isForeground.value?.inner == true)
    }
  }
}
