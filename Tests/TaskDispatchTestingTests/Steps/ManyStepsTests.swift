import TaskDispatch
import TaskDispatchTesting
import Testing

@Suite("A call that runs many steps")
struct ManyStepsTests {
  @Test("runs until idle, what bodies submit included, and says how many steps it took")
  func untilIdle() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.background.async(label: "a") { dispatcher.foreground.async(label: "b") {} }
    dispatcher.foreground.async(label: "c") { dispatcher.background.async(label: "d") {} }

    #expect(try dispatcher.runUntilIdle() == 4)
    #expect(dispatcher.isIdle)
    #expect(Set(dispatcher.ran) == ["a", "b", "c", "d"])
    try dispatcher.finish()
  }

  @Test("runs what was submitted first, whatever its lane")
  func oldestFirst() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.foreground.async(label: "f1") { dispatcher.background.async(label: "b3") {} }
    dispatcher.background.async(label: "b1") { dispatcher.foreground.async(label: "f4") {} }
    dispatcher.background.async(label: "b2") {}
    dispatcher.foreground.async(label: "f2") {}
    dispatcher.foreground.async(label: "f3") {}

    try dispatcher.runUntilIdle()

    #expect(dispatcher.ran == ["f1", "b1", "b2", "f2", "f3", "b3", "f4"])
    try dispatcher.finish()
  }

  @Test("takes no step and moves no time when nothing can run")
  func nothingToDo() throws {
    let dispatcher = RecordingDispatcher()
    let timer = dispatcher.foreground.after(.seconds(1)) {}

    #expect(try dispatcher.runUntilIdle() == 0)
    #expect(dispatcher.now == .start)
    timer.cancel()
    try dispatcher.finish()
  }

  @Test("for the foreground leaves the background queued")
  func foregroundOnly() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.foreground { dispatcher.foreground {} }
    dispatcher.background.async(label: "left") {}

    #expect(try dispatcher.runForegroundUntilIdle() == 2)
    #expect(dispatcher.pendingTasks.labels == ["left"])
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("for the background leaves the foreground queued")
  func backgroundOnly() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.background { dispatcher.background {} }
    dispatcher.foreground.async(label: "left") {}

    #expect(try dispatcher.runBackgroundUntilIdle() == 2)
    #expect(dispatcher.pendingTasks.labels == ["left"])
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("until a condition asks before each step, and stops when it holds")
  func untilCondition() throws {
    let dispatcher = RecordingDispatcher()
    for number in 1...5 { dispatcher.foreground.async(label: "\(number)") {} }
    var asked = 0

    let steps = try dispatcher.run(until: {
      asked += 1
      return dispatcher.hasRun("3")
    })

    #expect(steps == 3)
    #expect(asked == 4)
    #expect(dispatcher.ran == ["1", "2", "3"])
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("until a condition that holds already takes no step")
  func conditionHolds() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.foreground {}

    #expect(try dispatcher.run(until: { true }) == 0)
    #expect(dispatcher.ran.isEmpty)
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("until a condition says what waits when nothing is left to run")
  func conditionNotMet() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.foreground {}
    let timer = dispatcher.foreground.after(.seconds(2), label: "later") {}

    let error = stepError { try dispatcher.run(until: { false }) }

    guard case .conditionNotMet(let pending, let deadline) = error else {
      Issue.record("\(error as Any)")
      return
    }
    #expect(pending.labels == ["later"])
    #expect(deadline == .start.advanced(by: .seconds(2)))
    timer.cancel()
    try dispatcher.finish()
  }

  @Test("passes on what its condition throws, and can be called again")
  func conditionThrows() throws {
    struct Unwanted: Error {}
    let dispatcher = RecordingDispatcher()
    dispatcher.foreground {}

    #expect(throws: Unwanted.self) { try dispatcher.run(until: { throw Unwanted() }) }
    #expect(try dispatcher.runUntilIdle() == 1)
    try dispatcher.finish()
  }
}
