import TaskDispatch
import Testing

@testable import TaskDispatchTesting
@testable import UVDispatch

extension OnePool {
  @Suite("Jobs of Tasks that arrive after the end")
  struct LateJobTests {
    @Test("run, whatever queue they prefer, a thousand of them")
    func allRun() async throws {
      let dispatcher = try UVDispatcher()
      let view = dispatcher.makeQueue(label: "view", width: 2)
      try dispatcher.start()
      _ = await dispatcher.shutdown()

      var sum = 0
      for queue in [dispatcher.foreground, dispatcher.background, view] {
        sum += await withTaskGroup(of: Int.self) { group in
          for _ in 0..<1_000 { group.addTask(executorPreference: queue.executor) { 1 } }
          return await group.reduce(0, +)
        }
      }

      #expect(sum == 3_000)
    }

    @Test("of an actor on the foreground run one at a time, and at home")
    func actorOnForeground() async throws {
      let dispatcher = try UVDispatcher()
      let counter = Resident(on: dispatcher.foreground)
      try dispatcher.start()
      _ = await dispatcher.shutdown()

      await withTaskGroup { group in
        for _ in 0..<500 { group.addTask { await counter.enter() } }
      }

      #expect(await counter.most == 1)
      #expect(await counter.entered == 500)
      #expect(await counter.isAtHome)
    }

    @Test("of an actor on a view of width 1 run one at a time")
    func actorOnView() async throws {
      let dispatcher = try UVDispatcher()
      let counter = Resident(on: dispatcher.makeQueue(label: "home", width: 1))
      try dispatcher.start()
      _ = await dispatcher.shutdown()

      await withTaskGroup { group in
        for _ in 0..<500 { group.addTask { await counter.enter() } }
      }

      #expect(await counter.most == 1)
      #expect(await counter.entered == 500)
    }

    @Test("that prefer the foreground never overlap, and count as it")
    func foregroundJobs() async throws {
      let dispatcher = try UVDispatcher()
      let meter = Meter()
      let atHome = Box(0)
      try dispatcher.start()
      _ = await dispatcher.shutdown()

      await withTaskGroup { group in
        for _ in 0..<500 {
          group.addTask(executorPreference: dispatcher.foreground.executor) {
            meter.count { if dispatcher.isForeground { atHome.increment() } }
          }
        }
      }

      #expect(meter.most == 1)
      #expect(atHome.value == 500)
    }

    @Test("that prefer the foreground wait for the one that runs, however long it does")
    func behindOne() async throws {
      let dispatcher = try UVDispatcher()
      let meter = Meter()
      let (started, gate) = (Latch(), Latch())
      try dispatcher.start()
      dispatcher.end()

      await withTaskGroup { group in
        group.addTask(executorPreference: dispatcher.foreground.executor) {
          meter.count {
            started.open()
            _ = gate.wait(patience)
          }
        }
        #expect(started.wait(patience))
        // One by one: were each given a thread, some would run by the time the last has come.
        for number in 1...50 {
          group.addTask(executorPreference: dispatcher.foreground.executor) { meter.count {} }
          dispatcher.waitUntil { $0.lateJobs.count == number || meter.most > 1 }
        }
        gate.open()
      }

      #expect(meter.most == 1)
    }

    @Test("while the report is being handed out, run before or after it, never neither")
    func aroundTheEnd() async throws {
      for _ in 0..<50 {
        let dispatcher = try UVDispatcher()
        try dispatcher.start()
        async let report = dispatcher.shutdown()
        let sum = await withTaskGroup(of: Int.self) { group in
          for number in 0..<20 {
            let queue = number.isMultiple(of: 2) ? dispatcher.foreground : dispatcher.background
            group.addTask(executorPreference: queue.executor) { 1 }
          }
          return await group.reduce(0, +)
        }

        #expect(sum == 20)
        #expect(await report.ledger.balances)
      }
    }

    @Test("of those who await the shutdown itself, on its own foreground, run")
    func awaitersOnForeground() async throws {
      let dispatcher = try UVDispatcher()
      try dispatcher.start()
      let wasAtHome = await Task(executorPreference: dispatcher.foreground.executor) {
        let before = dispatcher.isForeground
        _ = await dispatcher.shutdown()
        return (before, dispatcher.isForeground)
      }.value

      #expect(wasAtHome == (true, true))
    }
  }
}
