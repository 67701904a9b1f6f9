import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@Suite("The policy .automatic")
struct AutomaticTests {
  private let dispatcher = RecordingDispatcher(.init(policy: .automatic))

  @Test("runs everything before a submission from outside returns")
  func beforeItReturns() throws {
    dispatcher.background.async(label: "a") { dispatcher.foreground.async(label: "b") {} }

    #expect(dispatcher.ran == ["a", "b"])
    #expect(dispatcher.isIdle)
    try dispatcher.finish()
  }

  @Test("never nests: what a body submits runs after it")
  func neverNests() throws {
    let log = Log()

    dispatcher.foreground {
      dispatcher.foreground { log.note("inner") }
      dispatcher.background { log.note("inner") }
      log.note("outer")
      #expect(dispatcher.runningTasks.count == 1)
    }

    #expect(log.all == ["outer", "inner", "inner"])
    try dispatcher.finish()
  }

  @Test("keeps to barriers and widths")
  func barriers() throws {
    let store = dispatcher.makeQueue(label: "store", width: 2)

    dispatcher.foreground {
      store.async(label: "a") { store.async(label: "d") {} }
      store.barrier.async(label: "b") {}
      store.async(label: "c") {}
    }

    #expect(dispatcher.ran(on: store) == ["a", "b", "c", "d"])
    try dispatcher.finish()
  }

  @Test("does not move time, and runs what comes due when the test does")
  func time() throws {
    dispatcher.foreground.after(.seconds(1), label: "timer") {}
    #expect(dispatcher.ran.isEmpty)

    try dispatcher.advanceTime(by: .seconds(1))

    #expect(dispatcher.ran == ["timer"])
    try dispatcher.finish()
  }

  @Test("lets a skip of time leave things late, and a step run all that follows from it")
  func skip() throws {
    dispatcher.foreground.after(.seconds(1), label: "timer") {
      dispatcher.background.async(label: "follows") {}
    }
    try dispatcher.skipTime(by: .seconds(1))
    #expect(dispatcher.ran.isEmpty)

    try dispatcher.runNextForegroundTask()

    #expect(dispatcher.ran == ["timer", "follows"])
    try dispatcher.finish()
  }

  @Test("runs what a resume, a leave, an event or a cancelled barrier sets free")
  func setFree() throws {
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    disk.suspend()
    disk.async(label: "resumed") {}
    let group = WorkGroup()
    group.enter()
    group.notify(on: dispatcher.foreground, label: "left") {}
    try dispatcher.onSignal(.hangup, label: "raised") { _ in }

    disk.resume()
    group.leave()
    try dispatcher.raise(.hangup)

    #expect(dispatcher.ran == ["resumed", "left", "raised"])
    try dispatcher.finish()
  }

  @Test("runs Tasks as far as they go, before the call that starts them returns")
  func tasks() throws {
    let log = Log()

    Task(executorPreference: dispatcher.foreground.executor) {
      log.note("begins")
      try await dispatcher.clock.sleep(for: .seconds(1))
      log.note("ends")
    }
    #expect(log.all == ["begins"])

    try dispatcher.advanceTime(by: .seconds(1))
    #expect(log.all == ["begins", "ends"])
    try dispatcher.finish()
  }

  @Test("gives up on work that never ends, and says so at finish()")
  func stepLimit() throws {
    let dispatcher = RecordingDispatcher(
      .init(policy: .automatic, stepLimit: 30, leftovers: .ignore))
    @Sendable func again() { dispatcher.background.async(label: "again") { again() } }

    again()

    #expect(dispatcher.ran.count == 30)
    let error = try #require(finishError(dispatcher))
    guard case .stepLimitReached(30, let recurring) = error.automaticErrors.first else {
      Issue.record("\(error)")
      return
    }
    #expect(recurring.map(\.label) == ["again"])
  }

  @Test("runs what another thread submits on that thread")
  func otherThread() throws {
    let thread = Slot<ObjectIdentifier>()
    let submitter = Slot<ObjectIdentifier>()

    onAnotherThread {
      submitter.value = thisThread()
      dispatcher.background { thread.value = thisThread() }
    }

    #expect(thread.value != nil)
    #expect(thread.value == submitter.value)
    try dispatcher.finish()
  }
}

@Suite("The policy .automaticForeground")
struct AutomaticForegroundTests {
  private let dispatcher = RecordingDispatcher(.init(policy: .automaticForeground))

  @Test("runs the foreground before a submission returns, and leaves the background to steps")
  func foregroundOnly() throws {
    dispatcher.foreground.async(label: "f") { dispatcher.background.async(label: "b") {} }
    #expect(dispatcher.ran == ["f"])
    #expect(dispatcher.runnableTasks.labels == ["b"])

    try dispatcher.runNextBackgroundTask()
    #expect(dispatcher.ran == ["f", "b"])
    try dispatcher.finish()
  }

  @Test("runs what a background body submits to the foreground before its step returns")
  func afterAStep() throws {
    dispatcher.background.async(label: "b") { dispatcher.foreground.async(label: "f") {} }
    dispatcher.background.async(label: "waits") {}

    #expect(try dispatcher.runNextBackgroundTask().label == "b")

    #expect(dispatcher.ran == ["b", "f"])
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("does so after a call of many steps too")
  func afterManySteps() throws {
    for label in ["a", "b"] {
      dispatcher.background { dispatcher.foreground.async(label: label) {} }
    }

    try dispatcher.runBackgroundUntilIdle()

    #expect(dispatcher.ran(on: dispatcher.foreground) == ["a", "b"])
    try dispatcher.finish()
  }

  @Test("never nests what foreground bodies submit")
  func neverNests() throws {
    let log = Log()

    dispatcher.foreground {
      dispatcher.foreground { log.note("inner") }
      log.note("outer")
    }

    #expect(log.all == ["outer", "inner"])
    try dispatcher.finish()
  }

  @Test("does not move time")
  func time() throws {
    dispatcher.foreground.after(.seconds(1), label: "timer") {}
    #expect(dispatcher.ran.isEmpty)

    try dispatcher.advanceTime(by: .seconds(1))
    #expect(dispatcher.ran == ["timer"])
    try dispatcher.finish()
  }
}
