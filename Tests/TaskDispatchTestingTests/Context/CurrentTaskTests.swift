import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@Suite("The task that is running")
struct CurrentTaskTests {
  private let dispatcher = RecordingDispatcher()

  @Test("is known inside its body, by its label and its line, and nowhere else")
  func inside() throws {
    let seen = Slot<[String]>()
    let line = #line + 1
    dispatcher.background.async(label: "task") { [dispatcher] in
      seen.value = [
        CurrentTask.label ?? "none", "\(CurrentTask.site?.line ?? 0)",
        dispatcher.currentTask?.label ?? "none",
      ]
    }
    #expect(CurrentTask.label == nil)
    #expect(CurrentTask.site == nil)
    #expect(dispatcher.currentTask == nil)

    try dispatcher.runUntilIdle()

    #expect(seen.value == ["task", "\(line)", "task"])
    #expect(CurrentTask.label == nil)
    #expect(CurrentTask.site == nil)
    #expect(dispatcher.currentTask == nil)
    try dispatcher.finish()
  }

  @Test("has a line and no label where it was submitted without")
  func plain() throws {
    let seen = Slot<[String]>()
    let line = #line + 1
    dispatcher.background {
      seen.value = ["\(CurrentTask.label as Any)", "\(CurrentTask.site!.line)"]
    }

    try dispatcher.runUntilIdle()

    #expect(seen.value == ["nil", "\(line)"])
    try dispatcher.finish()
  }

  @Test("is the innermost where a body waits and another runs inside that wait")
  func innermost() throws {
    let log = Log()
    let dispatcher = dispatcher
    let inner = dispatcher.background.submit(label: "inner") {
      log.note("\(CurrentTask.label!) of \(dispatcher.runningTasks.map(\.label!))")
    }
    dispatcher.foreground.async(label: "outer") {
      _ = try? inner.wait()
      log.note("\(CurrentTask.label!) of \(dispatcher.runningTasks.map(\.label!))")
    }

    try dispatcher.runNextForegroundTask()

    #expect(log.all == ["inner of [\"outer\", \"inner\"]", "outer of [\"outer\"]"])
    try dispatcher.finish()
  }

  @Test("is asked to stop by cancel(), from inside and from another thread")
  func isCancelled() throws {
    for isElsewhere in [true, false] {
      let log = Log()
      let handle = Slot<TaskHandle<Void>>()
      handle.value = dispatcher.background.submit {
        log.note("\(CurrentTask.isCancelled)")
        if isElsewhere {
          onAnotherThread { log.note("\(handle.value!.cancel())") }
        } else {
          log.note("\(handle.value!.cancel())")
        }
        log.note("\(CurrentTask.isCancelled)")
      }

      try dispatcher.runUntilIdle()

      #expect(log.all == ["false", "requested", "true"])
      #expect(handle.value?.cancel() == .tooLate)
    }
    #expect(!CurrentTask.isCancelled)
    try dispatcher.finish()
  }

  @Test("is asked to stop once, however often cancel() is called")
  func askedOnce() throws {
    let log = Log()
    let handle = Slot<TaskHandle<Void>>()
    handle.value = dispatcher.background.submit(label: "task") {
      for _ in 0..<3 { log.note("\(handle.value!.cancel())") }
    }

    try dispatcher.runUntilIdle()

    #expect(log.all == ["requested", "requested", "requested"])
    #expect(
      dispatcher.events(of: "task") == [
        .enqueued, .started, .cancellationRequested, .finished(.completed),
      ])
    try dispatcher.finish()
  }

  @Test("is asked alone: the flag of one is not that of another")
  func alone() throws {
    let log = Log()
    let first = Slot<TaskHandle<Void>>()
    first.value = dispatcher.background.submit { first.value!.cancel() }
    dispatcher.background { log.note("\(CurrentTask.isCancelled)") }

    try dispatcher.runUntilIdle()

    #expect(log.all == ["false"])
    try dispatcher.finish()
  }

  @Test("of a repeating timer is asked to stop when the timer is cancelled")
  func repeating() throws {
    let log = Log()
    let timer = Slot<TimerHandle>()
    timer.value = dispatcher.foreground.every(.seconds(1), label: "tick") {
      log.note("\(CurrentTask.isCancelled)")
      log.note("\(timer.value!.cancel())")
      log.note("\(CurrentTask.isCancelled)")
    }

    try dispatcher.advanceTime(by: .seconds(5))

    #expect(log.all == ["false", "requested", "true"])
    try dispatcher.finish()
  }

  @Test("belongs to its thread: another thread that a body starts runs none")
  func otherThread() throws {
    let seen = Slot<[String?]>()
    dispatcher.background.async(label: "task") {
      onAnotherThread { seen.value = [CurrentTask.label] }
    }

    try dispatcher.runUntilIdle()

    #expect(seen.value == [nil])
    try dispatcher.finish()
  }

  @Test("stays itself when it steps another dispatcher inside")
  func otherDispatcher() throws {
    let log = Log()
    let other = RecordingDispatcher()
    other.background.async(label: "inner") { log.note(CurrentTask.label!) }
    dispatcher.foreground.async(label: "outer") {
      try! other.runUntilIdle()
      log.note(CurrentTask.label!)
    }

    try dispatcher.runUntilIdle()

    #expect(log.all == ["inner", "outer"])
    try other.finish()
    try dispatcher.finish()
  }
}
