import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

/// A trap here ends the process of the tests, and that is the failure.
extension OnePool {
  @Suite("No duration or instant makes a UVDispatcher trap")
  struct ExtremeNumbersTests {
    @Test("as the delay, the tolerance or the time to live of a submission")
    func submissions() throws {
      let dispatcher = try UVDispatcher()
      var timers: [TimerHandle] = []
      for queue in [dispatcher.foreground, dispatcher.background] {
        for duration in everyDuration {
          timers.append(queue.after(duration) {})
          timers.append(queue.after(.seconds(3600), tolerance: duration) {})
          timers.append(queue.after(.zero, tolerance: duration, timeToLive: duration) {})
          timers.append(queue.after(.milliseconds(1), timeToLive: duration) {})
          queue.async(timeToLive: duration) {}
        }
        dispatcher.runUntilIdle()
      }

      for timer in timers { timer.cancel() }
      dispatcher.runUntilIdle()
      #expect(dispatcher.ledger.waiting == 0)
      #expect(dispatcher.ledger.balances)
    }

    @Test("as the interval of a repeating timer", arguments: CatchUp.allCases)
    func repeating(_ catchUp: CatchUp) throws {
      let dispatcher = try UVDispatcher()
      var timers: [TimerHandle] = []
      // With `.all`, every tick of a nanosecond would be a run of its own, and the ticks would come faster than
      // the runs.
      for interval in everyPositiveDuration where catchUp != .all || interval >= .milliseconds(1) {
        for tolerance in everyDuration {
          timers.append(
            dispatcher.foreground.every(interval, catchUp: catchUp, tolerance: tolerance) {})
        }
      }
      let ran = Latch()
      dispatcher.foreground.after(.milliseconds(3)) { [timers] in
        for timer in timers { timer.cancel() }
        ran.open()
        dispatcher.beginShutdown()
      }

      let report = dispatcher.run()

      #expect(ran.isOpen)
      #expect(report.ledger.balances)
    }

    @Test("as the time-out of a wait")
    func waits() throws {
      let dispatcher = try UVDispatcher()
      for duration in everyDuration {
        let group = WorkGroup()
        let handle = dispatcher.background.submit(group: group) {}
        // A time-out may pass before the task has ended.
        _ = try? handle.wait(timeout: duration)
        _ = try? group.wait(timeout: duration)
        _ = try? WorkGroup().wait(timeout: duration)
        #expect(try handle.wait() == .completed)
      }
      dispatcher.runUntilIdle()
    }

    @Test("as the time-out for which a caller waits for room")
    func room() throws {
      for duration in everyDuration {
        let dispatcher = try UVDispatcher(
          .init(backgroundWidth: 1, overflow: .blockCaller(limit: 1, timeout: duration)))
        let (holds, gate) = (Latch(), Latch())
        dispatcher.background {
          holds.open()
          gate.hold(patience)
        }
        #expect(holds.wait(patience))
        dispatcher.background {}
        let answer = Box<Admission?>(nil)
        let caller = WatchedThread { answer.value = dispatcher.background {} }
        if duration > .seconds(1) { #expect(caller.waitUntilItSleeps()) }
        gate.open()

        #expect(caller.join())
        #expect(answer.value != nil)
        dispatcher.runUntilIdle()
      }
    }

    @Test("as a time in the configuration")
    func configuration() throws {
      for duration in everyPositiveDuration {
        let dispatcher = try UVDispatcher(
          .init(loopBudget: .init(tasks: .max, time: duration), agingStep: duration))
        for priority in [PriorityBand.high, .low, .high] {
          dispatcher.background.async(priority: priority) {}
          dispatcher.foreground {}
        }
        dispatcher.runUntilIdle()
        #expect(dispatcher.ledger.completed == 6)
      }
    }

    @Test("as the threshold after which a body counts as stalled")
    func stalls() throws {
      for (number, duration) in everyPositiveDuration.enumerated() {
        let label = "t\(number)"
        let dispatcher = try UVDispatcher(
          .init(label: label, stallThresholds: .init(duration), observer: Deaf()))
        dispatcher.waitUntil { $0.stalls.isParked }
        let watchdog = try #require(KernelThread.named("\(label) watch"))
        #expect(watchdog.waitUntilItSleeps())
        let before = watchdog.switches
        let gate = Latch()
        dispatcher.background { gate.hold(patience) }

        // The watchdog was woken, has looked at the body, and sleeps again.
        #expect(watchdog.waitUntilItHasBeenSwitched(moreOftenThan: before))
        gate.open()
        dispatcher.runUntilIdle()
      }
    }

    @Test("as the deadline of a shutdown")
    func shutdowns() throws {
      for drain in everyDuration {
        for cancel in everyDuration {
          let dispatcher = try UVDispatcher()
          dispatcher.foreground.after(.seconds(3600)) {}
          dispatcher.background {}
          dispatcher.beginShutdown(ShutdownPolicy(drain: drain, cancel: cancel))
          dispatcher.beginShutdown(ShutdownPolicy(drain: cancel, cancel: drain))

          let report = dispatcher.run()

          #expect(report.ledger.balances)
          #expect(!"\(report)".isEmpty)
        }
      }
    }

    @Test("as the instant or the tolerance of a sleep, before and in an iteration of the loop")
    func sleeps() async throws {
      let dispatcher = try UVDispatcher()
      let clock = dispatcher.clock
      let all = Latch(everyInstant.count * everyDuration.count * 2)
      let foreground = dispatcher.foreground
      for instant in everyInstant {
        for tolerance in everyDuration {
          Task {
            try? await clock.sleep(until: instant, tolerance: tolerance)
            all.open()
          }
          foreground {
            Task(executorPreference: foreground.executor) {
              try? await clock.sleep(until: instant, tolerance: tolerance)
              all.open()
            }
          }
        }
      }
      try dispatcher.start()
      for instant in everyInstant where instant < .start {
        try await clock.sleep(until: instant)
      }

      _ = await dispatcher.shutdown()

      // Sleeps whose instant has not come end with the dispatcher.
      #expect(await onOtherThread { all.wait(patienceWithTasks) })
    }

    @Test("as the instant of a sleep that begins in an iteration that has nothing else to run")
    func sleepsAlone() throws {
      for instant in everyInstant where instant <= .start {
        let dispatcher = try UVDispatcher()
        let (clock, foreground) = (dispatcher.clock, dispatcher.foreground)
        let isOver = Latch()
        foreground {
          Task(executorPreference: foreground.executor) {
            try? await clock.sleep(until: instant)
            isOver.open()
          }
        }

        dispatcher.runUntilIdle()

        #expect(isOver.isOpen)
      }
    }

    @Test("as the duration of a sleep")
    func sleepsFor() async throws {
      let dispatcher = try UVDispatcher()
      try dispatcher.start()
      let clock = dispatcher.clock
      let tasks = everyDuration.map { duration in
        Task { try? await clock.sleep(for: duration, tolerance: duration) }
      }
      for (task, duration) in zip(tasks, everyDuration) where duration <= .milliseconds(1) {
        await task.value
      }

      _ = await dispatcher.shutdown()

      for task in tasks { await task.value }
    }
  }
}

private struct Deaf: TaskObserver {
  func observe(_ event: TaskEvent) {}
}
