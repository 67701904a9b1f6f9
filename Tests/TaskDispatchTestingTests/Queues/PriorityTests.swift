import TaskDispatch
import TaskDispatchTesting
import Testing

@Suite("A priority")
struct PriorityTests {
  private static let priorities: [PriorityBand] = [.lowest, .low, .medium, .high]

  @Test(
    "decides which band starts first, on the background and on a view", arguments: [true, false])
  func bands(onView: Bool) throws {
    let dispatcher = RecordingDispatcher(.init(width: 1))
    let queue = onView ? dispatcher.makeQueue(label: "disk", width: 1) : dispatcher.background
    for priority in Self.priorities {
      queue.async(priority: priority, label: "\(priority.rawValue)") {}
    }
    queue.async(label: "unsaid") {}

    try dispatcher.runUntilIdle()

    let order =
      [PriorityBand.high, .medium].map { "\($0.rawValue)" } + ["unsaid"]
      + [PriorityBand.low, .lowest].map { "\($0.rawValue)" }
    #expect(dispatcher.ran == order)
    try dispatcher.finish()
  }

  @Test("means nothing on the foreground, which is strictly first in, first out")
  func foreground() throws {
    let dispatcher = RecordingDispatcher()
    for priority in Self.priorities {
      dispatcher.foreground.async(priority: priority, label: "\(priority.rawValue)") {}
    }

    try dispatcher.runUntilIdle()

    #expect(dispatcher.ran == Self.priorities.map { "\($0.rawValue)" })
    try dispatcher.finish()
  }

  @Test("moves a view's ready token up when a higher task arrives in it")
  func turnMovesUp() throws {
    let dispatcher = RecordingDispatcher(.init(width: 1))
    let one = dispatcher.makeQueue(label: "one", width: 1)
    let two = dispatcher.makeQueue(label: "two", width: 1)
    one.async(label: "medium") {}
    two.async(priority: .low, label: "low") {}

    two.async(priority: .high, label: "high") {}
    try dispatcher.runUntilIdle()

    #expect(dispatcher.ran == ["high", "medium", "low"])
    try dispatcher.finish()
  }

  @Test("does not age while no take has passed the head over")
  func noAgingBeforePassedOver() throws {
    let dispatcher = RecordingDispatcher(.init(width: 1, agingStep: .seconds(1)))
    dispatcher.background.async(priority: .low, label: "low") {}
    dispatcher.background.async(priority: .high, label: "high") {}
    try dispatcher.skipTime(by: .seconds(100))

    #expect(try dispatcher.runNextBackgroundTask().label == "high")
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("ages in virtual time: a head that was passed over climbs a band with each step")
  func aging() throws {
    let dispatcher = RecordingDispatcher(.init(width: 1, agingStep: .seconds(1)))
    dispatcher.background.async(priority: .low, label: "low") {}
    func submitHigh() { dispatcher.background.async(priority: .high, label: "high") {} }
    submitHigh()
    #expect(try dispatcher.runNextBackgroundTask().label == "high", "passes the low one over")

    submitHigh()
    try dispatcher.skipTime(by: .seconds(2) - .nanoseconds(1))
    #expect(try dispatcher.runNextBackgroundTask().label == "high", "it has climbed one band")

    submitHigh()
    try dispatcher.skipTime(by: .nanoseconds(1))
    #expect(try dispatcher.runNextBackgroundTask().label == "low", "it has climbed two")
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test(
    "starves no task: the lowest one runs while the highest never end", arguments: [true, false])
  func noStarvation(onView: Bool) throws {
    let dispatcher = RecordingDispatcher(
      .init(width: 1, leftovers: .ignore, agingStep: .seconds(1)))
    let queue = onView ? dispatcher.makeQueue(label: "disk", width: 1) : dispatcher.background
    @Sendable func again() {
      dispatcher.background.async(priority: .high) {
        again()
        try? dispatcher.skipTime(by: .milliseconds(100))
      }
    }
    again()
    queue.async(priority: .lowest, label: "lowest") {}

    let steps = try dispatcher.run(limit: 100, until: { dispatcher.hasRun("lowest") })

    // The lowest task is passed over at the first take, and ages three steps of a second each. There is a take
    // every tenth of a second.
    #expect(steps <= 1 + 30 + 2)
    try dispatcher.finish()
  }

  @Test("of the awaiting Task is that of a run")
  func ofRun() throws {
    let dispatcher = RecordingDispatcher(.init(width: 1))
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    disk.suspend()
    Task(executorPreference: dispatcher.foreground.executor, priority: .low) {
      try await disk.run(label: "low") {}
    }
    Task(executorPreference: dispatcher.foreground.executor, priority: .high) {
      try await disk.run(label: "high") {}
    }
    Task(executorPreference: dispatcher.foreground.executor, priority: .low) {
      try await disk.run(priority: .high, label: "says so") {}
    }
    try dispatcher.runForegroundUntilIdle()

    disk.resume()
    try dispatcher.runUntilIdle()

    #expect(dispatcher.ran(on: disk) == ["high", "says so", "low"])
    try dispatcher.finish()
  }
}
