import TaskDispatch
import TaskDispatchTesting
import Testing

/// A trap here ends the process of the tests, and that is the failure.
@Suite("No duration or instant makes a RecordingDispatcher trap")
struct ExtremeNumbersOfTheFakeTests {
  @Test("as the delay, the tolerance or the time to live of a submission, at any time")
  func submissions() throws {
    for start in everyDuration {
      let dispatcher = RecordingDispatcher()
      try? dispatcher.skipTime(by: start)
      for queue in [dispatcher.foreground, dispatcher.background] {
        for duration in everyDuration {
          queue.after(duration) {}
          queue.after(.seconds(3600), tolerance: duration) {}
          queue.after(.milliseconds(1), timeToLive: duration) {}
          queue.async(timeToLive: duration) {}
        }
      }
      try dispatcher.runUntilIdle()
      try dispatcher.advanceTime(by: .nanoseconds(Int64.max))
      _ = dispatcher.pendingTasks.map(\.description)
      #expect(dispatcher.ledger.balances)
    }
  }

  @Test("as the interval of a repeating timer", arguments: CatchUp.allCases)
  func repeating(_ catchUp: CatchUp) throws {
    for interval in everyPositiveDuration where catchUp != .all || interval >= .milliseconds(1) {
      let dispatcher = RecordingDispatcher()
      for tolerance in everyDuration {
        dispatcher.foreground.every(interval, catchUp: catchUp, tolerance: tolerance) {}
      }
      try dispatcher.skipTime(by: .milliseconds(3))
      try dispatcher.runUntilIdle()
      // With `.all`, each tick on the way would be a run of its own.
      if catchUp != .all { try dispatcher.skipTime(by: .nanoseconds(Int64.max)) }
      try dispatcher.runUntilIdle()
      #expect(dispatcher.ledger.balances)
    }
  }

  @Test("as a time in the configuration, or to which time is moved")
  func time() throws {
    for duration in everyDuration {
      let dispatcher =
        duration > .zero
        ? RecordingDispatcher(.init(agingStep: duration)) : RecordingDispatcher()
      for priority in [PriorityBand.high, .low, .high] {
        dispatcher.background.async(priority: priority) {}
      }
      try dispatcher.runNextBackgroundTask()
      for move in everyDuration {
        try? dispatcher.skipTime(by: move)
        try? dispatcher.advanceTime(by: move)
      }
      for instant in everyInstant { try? dispatcher.advanceTime(to: instant) }
      _ = try? dispatcher.advanceToNextDeadline()
      try dispatcher.finish()
    }
  }

  @Test("as the time-out of a wait, or for which a caller waits for room")
  func waits() throws {
    for duration in everyDuration {
      let dispatcher = RecordingDispatcher(
        .init(overflow: .blockCaller(limit: 1, timeout: duration)))
      let handle = dispatcher.background.submit {}
      dispatcher.background {}
      _ = try? handle.wait(timeout: duration)
      _ = try? WorkGroup().wait(timeout: duration)
      let group = WorkGroup()
      group.enter()
      dispatcher.background.async(group: group) {}
      _ = try? group.wait(timeout: duration)
      group.leave()
      try dispatcher.runUntilIdle()
      #expect(dispatcher.ledger.balances)
    }
  }

  @Test("as the deadline of a shutdown, at any time")
  func shutdowns() throws {
    for start in everyDuration {
      for duration in everyDuration {
        let dispatcher = RecordingDispatcher()
        try? dispatcher.skipTime(by: start)
        dispatcher.foreground.after(.seconds(3600)) {}
        dispatcher.background {}
        dispatcher.beginShutdown(ShutdownPolicy(drain: duration, cancel: start))
        dispatcher.beginShutdown(ShutdownPolicy(drain: start, cancel: duration))
        try dispatcher.runUntilIdle()
        #expect(dispatcher.report?.ledger.balances == true)
        #expect(!"\(dispatcher.report, default: "none")".isEmpty)
      }
    }
  }

  @Test("as the instant, the duration or the tolerance of a sleep")
  func sleeps() throws {
    for instant in everyInstant {
      for tolerance in everyDuration {
        let dispatcher = RecordingDispatcher()
        let clock = dispatcher.clock
        let foreground = dispatcher.foreground
        foreground {
          Task(executorPreference: foreground.executor) {
            try? await clock.sleep(until: instant, tolerance: tolerance)
            try? await clock.sleep(for: tolerance, tolerance: tolerance)
          }
        }
        try dispatcher.runUntilIdle()
        try dispatcher.advanceTime(by: .nanoseconds(Int64.max))
        dispatcher.beginShutdown()
        try dispatcher.runUntilIdle()
      }
    }
  }

  @Test("in the arithmetic of instants, and in words")
  func instants() {
    for instant in everyInstant {
      for duration in everyDuration {
        let later = instant.advanced(by: duration)
        #expect(duration < .zero ? later <= instant : later >= instant)
      }
      for other in everyInstant {
        let difference = instant.duration(to: other)
        #expect(
          instant.advanced(by: difference) == other || difference.clampedNanoseconds == .max
            || difference.clampedNanoseconds == .min)
        #expect((instant < other) == (difference > .zero))
      }
      #expect(!"\(instant)".isEmpty)
      let record = TaskRecord(
        id: TaskID(1), label: nil, lane: .foreground, queue: "foreground",
        site: CallSite(fileID: #fileID, line: #line), parent: nil, enqueuedAt: instant)
      for duration in everyDuration {
        #expect(!"\(TaskEvent(.stalled(duration), record, at: instant))".isEmpty)
      }
    }
    #expect(DispatcherInstant.start.sinceStart == .zero)
  }

  @Test("in what a repeating timer owes")
  func owed() {
    for interval in everyPositiveDuration {
      for catchUp in CatchUp.allCases {
        let repetition = Repetition(every: interval, catchUp: catchUp)
        for tick in everyInstant where tick >= .start {
          // The distant future never comes.
          for now in everyInstant where now >= tick && now < .distantFuture {
            var ticks = Ticks(repetition, first: tick)
            let runs = ticks.comeDue(at: now)
            #expect(catchUp == .spaced || ticks.next > now || ticks.next == .distantFuture)
            guard runs else { continue }
            #expect(ticks.beginBody(at: .distantFuture) >= 0)
            _ = ticks.endRun(at: .distantFuture)
            #expect(ticks.next == .distantFuture)
          }
        }
      }
    }
  }
}
