import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing
import UVDispatch

extension OnePool {
  @Suite("withLoop")
  struct WithLoopTests {
    @Test("hands out the same loop every time, and returns what its body returns")
    func sameLoop() throws {
      let dispatcher = try UVDispatcher()
      let addresses = Box([UInt]())
      for _ in 0..<2 {
        dispatcher.foreground {
          let address = unsafe dispatcher.withLoop { unsafe UInt(bitPattern: $0.pointer) }
          addresses.change { $0.append(address) }
        }
      }

      dispatcher.runUntilIdle()

      #expect(addresses.value.count == 2)
      #expect(Set(addresses.value).count == 1)
      #expect(addresses.value.first != 0)
    }

    @Test("throws what its body throws")
    func throwsOn() throws {
      struct Oops: Error {}
      let dispatcher = try UVDispatcher()
      let threw = Box(false)
      dispatcher.foreground {
        do { try unsafe dispatcher.withLoop { _ in throw Oops() } } catch is Oops {
          threw.value = true
        } catch {}
      }

      dispatcher.runUntilIdle()

      #expect(threw.value)
    }

    @Test("may be called from a timer, a reply, a sync and an actor of the foreground")
    func everyForm() async throws {
      let dispatcher = try UVDispatcher()
      let count = Box(0)
      let call: @Sendable () -> Void = {
        unsafe dispatcher.withLoop { (_: OpaqueLoop) -> Void in count.increment() }
      }
      dispatcher.foreground.after(.nanoseconds(1), call)
      dispatcher.background.async {
        1
      } then: { _ in
        call()
      }
      Task(executorPreference: dispatcher.foreground.executor) { call() }
      try dispatcher.start()
      let synced = await onOtherThread { (try? dispatcher.foreground.sync(call)) != nil }
      await dispatcher.background.flush()

      _ = await dispatcher.shutdown()

      #expect(synced)
      #expect(count.value >= 3)
    }
  }
}
