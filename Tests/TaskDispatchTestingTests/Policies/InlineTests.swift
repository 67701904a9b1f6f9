import TaskDispatch
import TaskDispatchTesting
import Testing

@Suite("The policy .inline")
struct InlineTests {
  private let dispatcher = RecordingDispatcher(.init(policy: .inline))

  @Test("runs a body inside its submission", arguments: Lane.allCases)
  func runsInside(lane: Lane) throws {
    let log = Log()
    let queue = lane == .foreground ? dispatcher.foreground : dispatcher.background

    queue { log.note("plain") }
    queue.async(label: "labelled") { log.note("labelled") }
    let handle = queue.submit { log.note("handle") }

    #expect(log.all == ["plain", "labelled", "handle"])
    #expect(handle.outcomeIfFinished == .completed)
    #expect(handle.cancel() == .tooLate)
    #expect(dispatcher.ledger.completed == 3)
    try dispatcher.finish()
  }

  @Test("lets a body see that the Task which awaits it was cancelled as it ran")
  func cancelledInside() async throws {
    let sawIt = try await Task { [dispatcher] in
      try await dispatcher.background.run {
        unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
        return CurrentTask.isCancelled
      }
    }.value
    #expect(sawIt)
    try dispatcher.finish()
  }

  @Test("nests what bodies submit, and knows every body on the stack")
  func nests() throws {
    let log = Log()

    dispatcher.foreground.async(label: "outer") {
      log.note("outer begins")
      dispatcher.background.async(label: "inner") {
        log.note("\(dispatcher.runningTasks.map(\.label))")
        log.note(dispatcher.currentTask?.label ?? "")
      }
      log.note("outer ends")
    }

    #expect(
      log.all
        == ["outer begins", #"[Optional("outer"), Optional("inner")]"#, "inner", "outer ends"])
    let inner = dispatcher.history.last { $0.task.label == "inner" }
    #expect(inner?.task.parent == TaskID(1))
    try dispatcher.finish()
  }

  @Test("ignores barriers and widths: a body may submit a barrier and see it run")
  func ignoresBarriers() throws {
    let log = Log()
    let store = dispatcher.makeQueue(label: "store", width: 1)

    store {
      store.barrier { log.note("barrier") }
      log.note("around it")
    }

    #expect(log.all == ["barrier", "around it"])
    try dispatcher.finish()
  }

  @Test("runs the reply of background-then-foreground inside as well")
  func reply() throws {
    let log = Log()

    dispatcher.background.async {
      41
    } then: { (result: Result<Int, any Error>) in
      log.note("\(result) \(dispatcher.isForeground)")
    }

    #expect(log.all == ["success(41) true"])
    try dispatcher.finish()
  }

  @Test("holds what is submitted to a suspended queue, until it is resumed")
  func suspended() throws {
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    disk.suspend()
    disk.async(label: "a") {}
    disk.async(label: "b") {}
    #expect(dispatcher.ran.isEmpty)

    disk.resume()

    #expect(dispatcher.ran == ["a", "b"])
    try dispatcher.finish()
  }

  @Test("does not move time: a timer runs when the test moves it")
  func timers() throws {
    dispatcher.background.after(.seconds(1), label: "timer") {}
    dispatcher.foreground.after(.zero, label: "now") {}
    #expect(dispatcher.ran == ["now"])

    try dispatcher.advanceTime(by: .seconds(1))

    #expect(dispatcher.ran == ["now", "timer"])
    try dispatcher.finish()
  }

  @Test("runs a sync body, and still refuses one that would wait for itself")
  func sync() throws {
    let log = Log()
    let store = dispatcher.makeQueue(label: "store", width: 1)

    #expect(try store.sync { 7 } == 7)
    store {
      do { try store.sync {} } catch WaitRefusal.wouldDeadlock { log.note("refused") } catch {}
    }

    #expect(log.all == ["refused"])
    try dispatcher.finish()
  }

  @Test("runs a notification inside the leave that empties the group")
  func notifications() throws {
    let group = WorkGroup()
    group.enter()
    group.notify(on: dispatcher.foreground, label: "done") {}
    #expect(dispatcher.ran.isEmpty)

    group.leave()

    #expect(dispatcher.ran == ["done"])
    try dispatcher.finish()
  }

  @Test("runs the jobs of Tasks before the submission returns that started them")
  func jobs() throws {
    let log = Log()

    Task(executorPreference: dispatcher.background.executor) {
      log.note("from the test")
      let value = try await dispatcher.foreground.run { 3 }
      log.note("\(value)")
    }
    #expect(log.all == ["from the test", "3"])

    dispatcher.background {
      Task(executorPreference: dispatcher.background.executor) { log.note("from a body") }
    }
    #expect(log.all == ["from the test", "3", "from a body"])
    try dispatcher.finish()
  }

  @Test("keeps what a body throws for finish()")
  func thrown() throws {
    struct Torn: Error {}

    dispatcher.background.submit(label: "tears") { throw Torn() }

    #expect(finishError(dispatcher)?.thrown.map(\.task.label) == ["tears"])
  }

  @Test("is never full: nothing waits")
  func limits() throws {
    let dispatcher = RecordingDispatcher(.init(policy: .inline, overflow: .reject(limit: 1)))

    for _ in 0..<3 { #expect(dispatcher.background {} == .accepted) }

    try dispatcher.finish()
  }
}
