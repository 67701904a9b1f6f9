import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("Tasks that prefer a queue")
  struct TaskExecutorTests {
    @Test("run all children of a group there, no more at a time than its width")
    func group() async throws {
      let dispatcher = try UVDispatcher()
      let view = dispatcher.makeQueue(label: "view", width: 2)
      let meter = Meter()
      let astray = Box(0)
      try dispatcher.start()

      let sum = await Task(executorPreference: view.executor) {
        await withTaskGroup(of: Int.self) { group in
          for number in 0..<1_000 {
            group.addTask {
              meter.count {
                if !view.isCurrent { astray.increment() }
                return number
              }
            }
          }
          return await group.reduce(0, +)
        }
      }.value

      #expect(sum == 499_500)
      #expect(astray.value == 0)
      #expect(meter.most <= 2)
      #expect(dispatcher.ledger.balances)
      _ = await dispatcher.shutdown()
    }

    @Test("come back to their queue after every await", arguments: Lane.allCases)
    func comesBack(lane: Lane) async throws {
      let dispatcher = try UVDispatcher()
      let (home, away) =
        lane == .foreground
        ? (dispatcher.foreground, dispatcher.background)
        : (dispatcher.background, dispatcher.foreground)
      try dispatcher.start()

      let places = try await Task(executorPreference: home.executor) {
        var places: [Bool] = []
        for _ in 0..<100 {
          let wasAway = try await away.run { away.isCurrent && !home.isCurrent }
          places.append(wasAway)
          places.append(home.isCurrent)
          await Task.yield()
          places.append(home.isCurrent)
        }
        return places
      }.value

      #expect(places == [Bool](repeating: true, count: 300))
      _ = await dispatcher.shutdown()
    }

    @Test("for a while with withTaskExecutorPreference are elsewhere before and after")
    func preferenceForAWhile() async throws {
      let dispatcher = try UVDispatcher()
      try dispatcher.start()

      let inside = await withTaskExecutorPreference(dispatcher.foreground.executor) {
        await Self.isForeground(dispatcher)
      }

      #expect(inside)
      #expect(await !Self.isForeground(dispatcher))
      _ = await dispatcher.shutdown()
    }

    @concurrent private static func isForeground(_ dispatcher: UVDispatcher) async -> Bool {
      dispatcher.isForeground
    }

    @Test("see their cancellation on whatever queue, and run to their end")
    func cancellation() async throws {
      let dispatcher = try UVDispatcher()
      try dispatcher.start()
      for queue in [dispatcher.foreground, dispatcher.background] {
        let started = Latch()
        let task = Task(executorPreference: queue.executor) {
          started.open()
          while !Task.isCancelled { await Task.yield() }
          return queue.isCurrent
        }
        #expect(await onOtherThread { started.wait(patience) })

        task.cancel()

        #expect(await task.value)
      }
      _ = await dispatcher.shutdown()
    }

    @Test("are given the same executor object each time")
    func sameObject() throws {
      let dispatcher = try UVDispatcher()
      let view = dispatcher.makeQueue(label: "view", width: 1)
      for queue in [dispatcher.foreground, dispatcher.background, view] {
        #expect(queue.executor === queue.executor)
      }
      #expect(dispatcher.foreground.executor !== dispatcher.background.executor)
      #expect(view.executor !== dispatcher.background.executor)
    }
  }

  @Suite("Sleeping on the clock of a dispatcher")
  struct SleepTests {
    @Test("is never too short, and wakes the sleepers in the order of their deadlines")
    func order() async throws {
      let dispatcher = try UVDispatcher()
      let early = Box(0)
      let woke = Box([Int]())
      try dispatcher.start()

      await withTaskGroup { group in
        for number in [3, 1, 4, 0, 2] {
          group.addTask(executorPreference: dispatcher.foreground.executor) {
            let end = dispatcher.now.advanced(by: .milliseconds(20 * number))
            try? await dispatcher.clock.sleep(until: end)
            if dispatcher.now < end { early.increment() }
            woke.change { $0.append(number) }
          }
        }
      }

      #expect(early.value == 0)
      #expect(woke.value == [0, 1, 2, 3, 4])
      _ = await dispatcher.shutdown()
    }

    @Test("for no time at all lets others run in between")
    func noTime() async throws {
      let dispatcher = try UVDispatcher()
      let isOver = Box(false)
      let rounds = Box(0)
      try dispatcher.start()

      let sleeper = Task(executorPreference: dispatcher.foreground.executor) {
        while !isOver.value, rounds.increment() < 1_000_000 {
          try? await dispatcher.clock.sleep(for: .zero)
        }
      }
      dispatcher.foreground.after(.milliseconds(2)) { isOver.value = true }
      await sleeper.value

      #expect(isOver.value)
      #expect(rounds.value < 1_000_000)
      _ = await dispatcher.shutdown()
    }

    @Test("ends at once when its Task is cancelled, before, while and after it sleeps")
    func cancelled() async throws {
      let dispatcher = try UVDispatcher()
      try dispatcher.start()
      for round in 0..<200 {
        let task = Task {
          do {
            try await dispatcher.clock.sleep(for: round < 150 ? .seconds(3600) : .zero)
            return "woke"
          } catch is CancellationError {
            return "cancelled"
          } catch {
            return "\(error)"
          }
        }
        if round.isMultiple(of: 2) { await Task.yield() }
        task.cancel()

        let end = await task.value
        #expect(end == "cancelled" || round >= 150 && end == "woke", "\(end)")
      }
      let report = await dispatcher.shutdown()
      #expect(report.ledger.waiting == 0)
      #expect(report.ledger.balances)
    }

    @Test("until the end of time is over when the dispatcher is")
    func endOfTime() async throws {
      let dispatcher = try UVDispatcher()
      try dispatcher.start()
      let sleeper = Task {
        try await dispatcher.clock.sleep(until: .distantFuture)
      }
      await onOtherThread { dispatcher.waitUntil { $0.timers.nextDeadline != nil } }

      let report = await dispatcher.shutdown()

      await #expect(throws: CancellationError.self) { try await sleeper.value }
      #expect(report.ledger.cancelled == 1)
    }
  }
}
