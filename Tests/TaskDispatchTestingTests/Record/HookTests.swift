import TaskDispatch
import TaskDispatchTesting
import Testing

@Suite("Hooks")
struct HookTests {
  @Test("are called for each event, in the order of the history")
  func onEvent() throws {
    let dispatcher = RecordingDispatcher(.init(leftovers: .ignore))
    let seen = Slot<[TaskEvent]>()
    seen.value = []
    dispatcher.onEvent = { seen.value?.append($0) }
    dispatcher.background { dispatcher.foreground.async(label: "f") {} }
    dispatcher.background.submit {}.cancel()
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    disk.suspend()
    _ = waitRefusal { try disk.sync {} }

    try dispatcher.advanceTime(by: .seconds(1))

    #expect(seen.value == dispatcher.history)
    try dispatcher.finish()
  }

  @Test("are called also when no history is kept")
  func withoutHistory() throws {
    let dispatcher = RecordingDispatcher(.init(recordsHistory: false))
    let log = Log()
    dispatcher.onEvent = { log.note("\($0.kind)") }

    dispatcher.foreground {}
    try dispatcher.runUntilIdle()
    dispatcher.onEvent = nil
    dispatcher.foreground {}

    #expect(log.all == ["enqueued", "started", "finished(completed)"])
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("may submit")
  func maySubmit() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.onEvent = { event in
      if event.task.label == "first", event.kind == .finished(.completed) {
        dispatcher.foreground.async(label: "second") {}
      }
    }
    dispatcher.foreground.async(label: "first") {}

    #expect(try dispatcher.runUntilIdle() == 2)

    #expect(dispatcher.ran == ["first", "second"])
    try dispatcher.finish()
  }

  @Test("are called just before and just after each body, with that task as the current one")
  func aroundBodies() throws {
    let dispatcher = RecordingDispatcher()
    let log = Log()
    dispatcher.onEnter = { log.note("enter \($0.label!) \(dispatcher.currentTask == $0)") }
    dispatcher.onExit = { log.note("exit \($0.label!) \(dispatcher.currentTask == $0)") }
    dispatcher.background.async(label: "a") { log.note("a") }
    dispatcher.foreground.async(label: "b") { log.note("b") }

    try dispatcher.runNextBackgroundTask()
    try dispatcher.runNextForegroundTask()

    #expect(
      log.all == ["enter a true", "a", "exit a true", "enter b true", "b", "exit b true"])
    try dispatcher.finish()
  }

  @Test("show how bodies nest when one waits for another")
  func nesting() throws {
    let dispatcher = RecordingDispatcher()
    let log = Log()
    dispatcher.onEnter = { log.note("> \($0.label!)") }
    dispatcher.onExit = { log.note("< \($0.label!)") }
    let inner = dispatcher.background.submit(label: "inner") {}
    dispatcher.foreground.async(label: "outer") { _ = try? inner.wait() }

    try dispatcher.runNextForegroundTask()

    #expect(log.all == ["> outer", "> inner", "< inner", "< outer"])
    try dispatcher.finish()
  }

  @Test("are called around a sync body as around any other")
  func aroundSync() throws {
    let dispatcher = RecordingDispatcher()
    let log = Log()
    let store = dispatcher.makeQueue(label: "store", width: 1)
    dispatcher.onEnter = { log.note("> \($0.queue)") }
    dispatcher.onExit = { log.note("< \($0.queue)") }

    try store.sync { log.note("body") }

    #expect(log.all == ["> store", "body", "< store"])
    try dispatcher.finish()
  }

  @Test("are called around a body that throws")
  func aroundThrowing() throws {
    struct Torn: Error {}
    let dispatcher = RecordingDispatcher(.init(thrownErrors: .ignore))
    let log = Log()
    dispatcher.onExit = { _ in log.note("exit") }
    dispatcher.background.submit { throw Torn() }

    try dispatcher.runUntilIdle()

    #expect(log.all == ["exit"])
    try dispatcher.finish()
  }

  @Test("are let go of by finish(), which tells them of what it cancels first")
  func areReleased() throws {
    weak var released: RecordingDispatcher?
    let log = Log()
    do {
      let dispatcher = RecordingDispatcher(.init(leftovers: .ignore))
      released = dispatcher
      dispatcher.onEvent = { log.note("\($0.kind) \(dispatcher.history.count)") }
      dispatcher.onEnter = { _ in log.note("\(dispatcher.now)") }
      dispatcher.onExit = { _ in log.note("\(dispatcher.now)") }
      dispatcher.background {}
      try dispatcher.finish()
    }

    #expect(log.all == ["enqueued 1", "finished(cancelled before it started) 2"])
    #expect(released == nil)
  }

  @Test("on the way out still belong to the task: what they submit has it as its parent")
  func parents() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.onExit = { task in
      if task.label == "first" { dispatcher.foreground.async(label: "second") {} }
    }
    dispatcher.foreground.async(label: "first") {}

    try dispatcher.runUntilIdle()

    #expect(dispatcher.history.last?.task.parent == TaskID(1))
    try dispatcher.finish()
  }
}

@Suite("An observer")
struct ObserverTests {
  private final class Recorder: TaskObserver {
    let events = Slot<[TaskEvent]>()
    init() { events.value = [] }
    func observe(_ event: TaskEvent) { events.value?.append(event) }
  }

  @Test("is told what the history records, and also when none is kept", arguments: [true, false])
  func seesTheHistory(recordsHistory: Bool) throws {
    let recorder = Recorder()
    let dispatcher = RecordingDispatcher(
      .init(recordsHistory: recordsHistory, observer: recorder))
    dispatcher.background.async(label: "a") { dispatcher.foreground.async(label: "b") {} }
    dispatcher.foreground.after(.seconds(1), label: "c") {}

    try dispatcher.advanceTime(by: .seconds(1))

    #expect(recorder.events.value?.count == 10)
    if recordsHistory { #expect(recorder.events.value == dispatcher.history) }
    try dispatcher.finish()
  }

  @Test("sees every submission end exactly once, the refused waits included")
  func balanced() throws {
    let recorder = Recorder()
    let dispatcher = RecordingDispatcher(
      .init(overflow: .blockCaller(limit: 1, timeout: nil), observer: recorder))
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    disk.suspend()
    disk {}
    #expect(disk {} == .refused(.wouldDeadlock))
    _ = waitRefusal { try disk.sync {} }
    disk.resume()
    try dispatcher.runUntilIdle()

    let events = recorder.events.value ?? []
    let ends = events.filter {
      switch $0.kind {
      case .finished, .refused: true
      default: false
      }
    }

    #expect(Set(events.map(\.task.id)) == Set(ends.map(\.task.id)))
    #expect(ends.count == dispatcher.ledger.submitted)
    try dispatcher.finish()
  }
}
