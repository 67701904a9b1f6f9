import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing
import UVDispatch

extension OnePool {
  @Suite("start()")
  struct StartTests {
    @Test("runs the loop on a thread of its own, until the shutdown that is awaited")
    func ownThread() async throws {
      let dispatcher = try UVDispatcher()
      let threads = Box(Set<UInt>())
      let ran = Latch(2)
      try dispatcher.start()
      for _ in 0..<2 {
        dispatcher.foreground {
          if dispatcher.isForeground { threads.change { _ = $0.insert(CurrentThread.id) } }
          ran.open()
        }
      }
      let here = await onOtherThread { ran.wait(patience) ? CurrentThread.id : 0 }

      let report = await dispatcher.shutdown()

      #expect(here != 0)
      #expect(threads.value.count == 1)
      #expect(!threads.value.contains(here))
      #expect(report.ledger.completed == 2)
      #expect(report.ledger.balances)
    }

    @Test(
      "names its thread after the label, as much of it as the kernel takes",
      arguments: [
        "spoold", "exactly15bytes!", "a label of more than fifteen bytes", "größe", "",
      ])
    func name(label: String) async throws {
      let dispatcher = try UVDispatcher(.init(label: label))
      let name = Box<String?>(nil)
      dispatcher.foreground { name.value = CurrentThread.name }
      try dispatcher.start()

      _ = await dispatcher.shutdown()

      #expect(name.value == String(decoding: label.utf8.prefix(15), as: UTF8.self))
    }

    @Test("leaves the caller's mask of signals as it was")
    func signalMask() async throws {
      let dispatcher = try UVDispatcher()
      let (before, after) = try await onOtherThread {
        let before = CurrentThread.blocks(15)
        try dispatcher.start()
        return (before, CurrentThread.blocks(15))
      }

      _ = await dispatcher.shutdown()

      #expect(before == after)
    }

    @Test("of many dispatchers at once gives each a loop of its own")
    func many() async throws {
      let dispatchers = try (0..<20).map { _ in try UVDispatcher() }
      let threads = Box(Set<UInt>())
      let all = Latch(dispatchers.count)
      for dispatcher in dispatchers {
        // Each body holds its loop's thread until all bodies are there, so no two can be on the same thread.
        dispatcher.foreground {
          threads.change { _ = $0.insert(CurrentThread.id) }
          all.open()
          all.hold(patience)
        }
        try dispatcher.start()
      }

      for dispatcher in dispatchers { _ = await dispatcher.shutdown() }

      #expect(threads.value.count == dispatchers.count)
    }
  }
}
