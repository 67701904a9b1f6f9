import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@Suite("Bad input traps with one clear line")
struct BadInputTests {
  @Test("a background without width", arguments: [0, -1])
  func width(width: Int) async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [width] in
      _ = RecordingDispatcher(.init(width: width))
    }
    #expect(result?.said("a background needs a width of at least 1 (width: \(width))") == true)
  }

  @Test("a view without width", arguments: [0, -3])
  func viewWidth(width: Int) async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [width] in
      _ = RecordingDispatcher().makeQueue(label: "disk", width: width)
    }
    #expect(
      result?.said("the queue \"disk\" needs a width of at least 1 (width: \(width))") == true)
  }

  @Test("a limit that lets nothing in")
  func limit() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = RecordingDispatcher(.init(overflow: .reject(limit: 0)))
    }
    #expect(result?.said("a limit must let at least one task wait (limit: 0)") == true)
  }

  @Test("a blocking limit that lets nothing in")
  func blockingLimit() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = RecordingDispatcher(.init(overflow: .blockCaller(limit: -2, timeout: nil)))
    }
    #expect(result?.said("a limit must let at least one task wait (limit: -2)") == true)
  }

  @Test("a step limit of no step, in the configuration and in a call")
  func stepLimit() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = RecordingDispatcher(.init(stepLimit: 0))
    }
    #expect(result?.said("a step limit must allow a step (stepLimit: 0)") == true)

    let call = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = try? RecordingDispatcher().runUntilIdle(limit: 0)
    }
    #expect(call?.said("a step limit must allow a step (limit: 0)") == true)
  }

  @Test("an aging step of no time")
  func agingStep() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = RecordingDispatcher(.init(agingStep: .zero))
    }
    #expect(result?.said("an aging step lasts at least a nanosecond") == true)
  }

  @Test("a timer that repeats without an interval", arguments: [0, -1])
  func interval(seconds: Int) async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [seconds] in
      RecordingDispatcher().foreground.every(.seconds(seconds)) {}
    }
    #expect(result?.said("a timer needs a positive interval to repeat") == true)
  }

  @Test("a queue of another dispatcher")
  func foreignQueue() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = try? RecordingDispatcher().runNextTask(on: RecordingDispatcher().background)
    }
    #expect(result?.said("background belongs to another dispatcher") == true)
  }

  @Test("a suspend of the foreground or the background")
  func suspendLane() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      RecordingDispatcher().foreground.suspend()
    }
    #expect(
      result?.said("foreground cannot be suspended: all code of the process shares it") == true)
    await #expect(processExitsWith: .failure) { RecordingDispatcher().background.suspend() }
  }

  @Test("one resume too many")
  func resumeTooMuch() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let queue = RecordingDispatcher().makeQueue(label: "disk", width: 1)
      queue.suspend()
      queue.resume()
      queue.resume()
    }
    #expect(result?.said("disk was resumed more often than it was suspended") == true)
  }

  @Test("a query of a history that is not kept")
  func noHistory() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = RecordingDispatcher(.init(recordsHistory: false)).ran
    }
    #expect(
      result?.said("needs the history: make the dispatcher with recordsHistory: true") == true)
  }

  @Test("a move of time back is refused, and changes nothing")
  func timeBackwards() throws {
    let dispatcher = RecordingDispatcher()
    try dispatcher.advanceTime(by: .seconds(5))
    let now = DispatcherInstant.start.advanced(by: .seconds(5))
    let calls: [(DispatcherInstant, () throws -> Void)] = [
      (now.advanced(by: .seconds(-1)), { try dispatcher.advanceTime(by: .seconds(-1)) }),
      (.start, { try dispatcher.advanceTime(to: .start) }),
      (now.advanced(by: .nanoseconds(-1)), { try dispatcher.skipTime(by: .nanoseconds(-1)) }),
    ]

    for (wanted, call) in calls {
      guard case .timeBackwards(now: now, let requested) = stepError(call) else { return }
      #expect(requested == wanted)
      #expect(dispatcher.now == now)
    }
    try dispatcher.advanceTime(to: now)
    try dispatcher.finish()
  }
}
