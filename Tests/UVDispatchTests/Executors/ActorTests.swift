import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("Actors that live on a queue")
  struct ActorTests {
    @Test("of the foreground run on the loop's thread, one call at a time")
    func foreground() async throws {
      let dispatcher = try UVDispatcher()
      let resident = Resident(on: dispatcher.foreground)
      let loop = Box<UInt>(0)
      dispatcher.foreground { loop.value = CurrentThread.id }
      try dispatcher.start()

      await withTaskGroup { group in
        for _ in 0..<1_000 { group.addTask { await resident.enter() } }
      }

      #expect(await resident.entered == 1_000)
      #expect(await resident.most == 1)
      #expect(await resident.isAtHome)
      #expect(await resident.thread == loop.value)
      _ = await dispatcher.shutdown()
    }

    @Test("of a view of width 1 run one call at a time, and never on the loop")
    func view() async throws {
      let dispatcher = try UVDispatcher()
      let resident = Resident(on: dispatcher.makeQueue(label: "home", width: 1))
      let loop = Box<UInt>(0)
      dispatcher.foreground { loop.value = CurrentThread.id }
      try dispatcher.start()

      await withTaskGroup { group in
        for _ in 0..<1_000 { group.addTask { await resident.enter() } }
      }
      await dispatcher.foreground.flush()

      #expect(await resident.entered == 1_000)
      #expect(await resident.most == 1)
      #expect(await resident.isAtHome)
      #expect(await resident.thread != loop.value)
      _ = await dispatcher.shutdown()
    }

    @Test("of two queues call each other without end, and neither blocks a thread")
    func pingPong() async throws {
      let dispatcher = try UVDispatcher()
      let first = Resident(on: dispatcher.foreground)
      let second = Resident(on: dispatcher.makeQueue(label: "home", width: 1))
      try dispatcher.start()

      for _ in 0..<500 {
        await first.enter()
        await second.enter()
      }

      #expect(await first.entered == 500)
      #expect(await second.entered == 500)
      _ = await dispatcher.shutdown()
    }

    @Test("are isolated in bodies and syncs of their queue, and nowhere else")
    func isolation() async throws {
      let dispatcher = try UVDispatcher()
      let view = dispatcher.makeQueue(label: "home", width: 1)
      let onLoop = Resident(on: dispatcher.foreground)
      let onView = Resident(on: view)
      let seen = Box([String: Bool]())
      @Sendable func look(_ place: String) {
        seen.change {
          $0["\(place): loop"] = isIsolated(onLoop)
          $0["\(place): view"] = isIsolated(onView)
        }
      }
      dispatcher.foreground { look("foreground") }
      dispatcher.foreground.after(.nanoseconds(1)) { look("timer") }
      dispatcher.background { look("background") }
      view { look("view") }
      view.barrier { look("barrier") }
      dispatcher.background { _ = try? view.sync { look("sync from a worker") } }
      dispatcher.foreground { _ = try? view.sync { look("sync from the loop") } }
      try dispatcher.start()
      await onOtherThread {
        look("thread")
        _ = try? view.sync { look("sync from a thread") }
        _ = try? dispatcher.foreground.sync { look("sync on the loop") }
      }

      _ = await dispatcher.shutdown()

      let both = ["sync from the loop"]
      let loop = ["foreground", "timer", "sync on the loop"] + both
      let home = ["view", "barrier", "sync from a worker", "sync from a thread"] + both
      #expect(seen.value.count == 20)
      #expect(
        Set(seen.value.filter(\.value).keys)
          == Set(loop.map { "\($0): loop" } + home.map { "\($0): view" }))
    }

    @Test("let their queue's plain bodies in by assumeIsolated")
    func assumeIsolated() async throws {
      let dispatcher = try UVDispatcher()
      let resident = Resident(on: dispatcher.foreground)
      for _ in 0..<10 { dispatcher.foreground { resident.assumeIsolated { $0.enter() } } }
      try dispatcher.start()

      await dispatcher.foreground.flush()

      #expect(await resident.entered == 10)
      _ = await dispatcher.shutdown()
    }

    @Test("trap on assumeIsolated elsewhere")
    func wrongPlace() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        let dispatcher = try UVDispatcher()
        let resident = Resident(on: dispatcher.makeQueue(label: "home", width: 1))
        blocking {
          dispatcher.background { resident.assumeIsolated { $0.enter() } }
          dispatcher.runUntilIdle()
        }
      }
      #expect(result?.said("Incorrect actor executor assumption") == true)
    }

    @Test("outlive the names of dispatcher and queue that made them")
    func keepsQueue() async throws {
      let resident = try { () throws -> Resident in
        let dispatcher = try UVDispatcher()
        return Resident(on: dispatcher.makeQueue(label: "home", width: 1))
      }()

      await resident.enter()

      #expect(await resident.entered == 1)
      #expect(await resident.isAtHome)
    }
  }
}

/// Whether the runtime takes the calling code for code of the actor.
private func isIsolated(_ resident: Resident) -> Bool {
  let executor = unsafe resident.unownedExecutor
  return unsafe executor.isIsolatingHere
}

extension UnownedSerialExecutor {
  fileprivate var isIsolatingHere: Bool {
    (unsafe asSerialExecutor())?.isIsolatingCurrentContext() == true
  }
}
