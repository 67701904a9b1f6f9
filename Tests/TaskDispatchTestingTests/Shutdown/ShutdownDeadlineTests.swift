import TaskDispatch
import TaskDispatchTesting
import Testing

@Suite("The deadlines of a shutdown")
struct ShutdownDeadlineTests {
  private let dispatcher = RecordingDispatcher()
  private let policy = ShutdownPolicy(drain: .seconds(10), cancel: .seconds(5))

  @Test("of the drain cancels what has not started, and not a nanosecond before")
  func drain() throws {
    let dispatcher = RecordingDispatcher(.init(width: 1))
    let handle = dispatcher.background.submit(label: "never") {}
    dispatcher.beginShutdown(policy)
    #expect(dispatcher.nextDeadline?.sinceStart == .seconds(10))

    try dispatcher.skipTime(by: .seconds(10) - .nanoseconds(1))
    #expect(handle.outcomeIfFinished == nil)
    #expect(dispatcher.report == nil)
    try dispatcher.skipTime(by: .nanoseconds(1))

    #expect(handle.outcomeIfFinished == .cancelled)
    #expect(dispatcher.report?.ledger.cancelled == 1)
    #expect(dispatcher.nextDeadline == nil)
    try dispatcher.finish()
  }

  @Test("name what never started: label, queue, line and age, in the order of submission")
  func names() throws {
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    dispatcher.background.async(label: "third") {}
    let line = #line + 1
    disk.async(label: "first") {}
    try dispatcher.skipTime(by: .seconds(2))
    dispatcher.foreground.async(label: "second") {}
    dispatcher.foreground {}

    dispatcher.beginShutdown(policy)
    try dispatcher.skipTime(by: .seconds(10))

    let unfinished = try #require(dispatcher.report).unfinished
    #expect(unfinished.map(\.label) == ["third", "first", "second", nil])
    #expect(unfinished.map(\.queue) == ["background", "disk", "foreground", "foreground"])
    #expect(unfinished.map(\.age) == [.seconds(12), .seconds(12), .seconds(10), .seconds(10)])
    #expect(unfinished.allSatisfy { $0.state == .neverStarted && $0.thread == nil })
    #expect(Int(unfinished[1].site.line) == line)
    try dispatcher.finish()
  }

  @Test("of nothing, or less, cancel what has not started at once", arguments: [0, -3])
  func withoutDrain(seconds: Int) throws {
    dispatcher.background.async(label: "never") {}
    dispatcher.foreground { Issue.record("it ran") }

    dispatcher.beginShutdown(.init(drain: .seconds(seconds), cancel: .seconds(seconds)))

    #expect(dispatcher.report?.unfinished.count == 2)
    #expect(dispatcher.report?.ledger.cancelled == 2)
    try dispatcher.finish()
  }

  @Test("that are set to less than nothing, one by one, take nothing from each other")
  func lessThanNothing() {
    var set = ShutdownPolicy(drain: .seconds(1), cancel: .seconds(2))
    set.drain -= .seconds(11)
    #expect(set == ShutdownPolicy(drain: .zero, cancel: .seconds(2)))
    (set.drain, set.cancel) = (.seconds(3), .seconds(-1))
    #expect(set == ShutdownPolicy(drain: .seconds(3), cancel: .zero))
  }

  @Test("of the drain raise the flag that running bodies read")
  func flag() throws {
    let log = Log()
    let dispatcher = dispatcher
    dispatcher.background.async(label: "long") {
      try! dispatcher.skipTime(by: .seconds(9))
      log.note("\(CurrentTask.isCancelled)")
      try! dispatcher.skipTime(by: .seconds(1))
      log.note("\(CurrentTask.isCancelled) \(dispatcher.background {})")
    }
    dispatcher.background.async(label: "behind") {}
    dispatcher.beginShutdown(policy)

    try dispatcher.runNextBackgroundTask()

    #expect(log.all == ["false", "true refused: the dispatcher is shutting down"])
    #expect(dispatcher.report?.unfinished.map(\.label) == ["behind"])
    #expect(dispatcher.report?.ledger.completed == 1)
    #expect(CurrentTask.isCancelled == false)
    try dispatcher.finish()
  }

  @Test("of the cancel phase abandon what still runs, and its end changes nothing")
  func abandons() throws {
    let dispatcher = dispatcher
    let reported = Slot<ShutdownReport>()
    let handle = Slot<TaskHandle<Void>>()
    handle.value = dispatcher.background.submit(label: "stuck") {
      try! dispatcher.skipTime(by: .seconds(15) - .nanoseconds(1))
      #expect(dispatcher.report == nil)
      try! dispatcher.skipTime(by: .nanoseconds(1))
      reported.value = dispatcher.report
    }
    dispatcher.beginShutdown(policy)

    try dispatcher.runNextBackgroundTask()

    let report = try #require(reported.value, "the report is there before the body has ended")
    #expect(report.ledger.abandoned == 1)
    #expect(report.ledger.running == 0)
    #expect(report.ledger.balances)
    #expect(report.unfinished.map(\.label) == ["stuck"])
    #expect(report.unfinished.map(\.state) == [.abandoned])
    #expect(report.unfinished.first?.thread == "the thread of the test")
    #expect(report.unfinished.first?.age == .seconds(15))
    #expect(handle.value?.outcomeIfFinished == .abandoned)
    #expect(dispatcher.ledger == report.ledger)
    #expect(
      dispatcher.events(of: "stuck") == [.enqueued, .started, .finished(.abandoned)])
    try dispatcher.finish()
  }

  @Test("let what has its slot run with the flag set, and abandon it if the test does not step it")
  func started() throws {
    let log = Log()
    for isStepped in [true, false] {
      let dispatcher = RecordingDispatcher(.init(width: 2))
      dispatcher.background.async(label: "started") { log.note("flag \(CurrentTask.isCancelled)") }
      dispatcher.background.async(label: "other") {}
      try dispatcher.runTask(labeled: "other")
      #expect(dispatcher.pendingTasks.map(\.isStarted) == [true])
      dispatcher.beginShutdown(policy)
      try dispatcher.skipTime(by: .seconds(10))
      #expect(dispatcher.report == nil)
      #expect(dispatcher.nextDeadline?.sinceStart == .seconds(15))

      if isStepped { try dispatcher.runNextBackgroundTask() }
      try dispatcher.skipTime(by: .seconds(5))

      #expect(dispatcher.report?.ledger.abandoned == (isStepped ? 0 : 1))
      #expect(dispatcher.report?.ledger.balances == true)
      #expect(dispatcher.isIdle)
      try dispatcher.finish()
    }
    #expect(log.all == ["flag true"])
  }

  @Test("are only ever shortened by a later call")
  func shortened() throws {
    dispatcher.background.async(label: "never") {}
    dispatcher.beginShutdown(.init(drain: .seconds(10), cancel: .seconds(5)))

    dispatcher.beginShutdown(.init(drain: .seconds(60), cancel: .seconds(60)))
    #expect(dispatcher.nextDeadline?.sinceStart == .seconds(10))
    dispatcher.beginShutdown(.init(drain: .seconds(3), cancel: .zero))
    #expect(dispatcher.nextDeadline?.sinceStart == .seconds(3))
    dispatcher.beginShutdown(.init(drain: .zero, cancel: .zero))

    #expect(dispatcher.report?.unfinished.map(\.label) == ["never"])
    try dispatcher.finish()
  }

  @Test("are reached by a call that moves time, which runs what it can before")
  func advanced() throws {
    let dispatcher = dispatcher
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    dispatcher.background.async(label: "runs") {}
    dispatcher.foreground.async(label: "too late") {}
    disk.suspend()
    disk.async(label: "held") {}
    dispatcher.beginShutdown(policy)

    try dispatcher.runNextBackgroundTask()
    try dispatcher.advanceTime(by: .seconds(20), driving: .everything)

    #expect(dispatcher.ran == ["runs", "too late"])
    #expect(dispatcher.report?.unfinished.map(\.label) == ["held"])
    #expect(dispatcher.now.sinceStart == .seconds(20))
    try dispatcher.finish()
  }

  @Test("let jobs of Tasks run to their end: they cannot be refused")
  func jobs() throws {
    let log = Log()
    let dispatcher = dispatcher
    Task(executorPreference: dispatcher.background.executor) {
      log.note("flag \(CurrentTask.isCancelled)")
      do { try await dispatcher.background.run {} } catch { log.note("\(type(of: error))") }
    }

    dispatcher.beginShutdown(.init(drain: .zero, cancel: .zero))
    #expect(dispatcher.report == nil)
    try dispatcher.runUntilIdle()

    #expect(log.all == ["flag true", "NoValue"])
    #expect(dispatcher.report?.ledger.balances == true)
    try dispatcher.finish()
  }

  @Test("count from the call, not from the start")
  func fromTheCall() throws {
    try dispatcher.advanceTime(by: .seconds(100))
    dispatcher.background {}

    dispatcher.beginShutdown(policy)

    #expect(dispatcher.nextDeadline?.sinceStart == .seconds(110))
    try dispatcher.runUntilIdle()
    #expect(dispatcher.nextDeadline == nil)
    try dispatcher.finish()
  }

  @Test("leave a body that is given up its place in its queue: a Task's job waits until it ends")
  func jobBehindGivenUp() throws {
    let log = Log()
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    let never = WorkGroup()
    never.enter()
    disk { [dispatcher] in
      Task(executorPreference: disk.executor) { log.note("job") }
      dispatcher.beginShutdown(ShutdownPolicy(drain: .zero, cancel: .milliseconds(10)))
      #expect(throws: WaitRefusal.timedOut) { try never.wait(timeout: .seconds(1)) }
      log.note("given up")
    }

    try dispatcher.runUntilIdle()

    #expect(log.all == ["given up", "job"])
    never.leave()
    try dispatcher.finish()
  }

  @Test(
    "begun by a body that then waits come while it waits", arguments: [nil, Duration.seconds(1)])
  func whileItsBodyWaits(timeout: Duration?) throws {
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    disk.suspend()
    let never = disk.submit {}
    dispatcher.background { [dispatcher] in
      dispatcher.beginShutdown(ShutdownPolicy(drain: .zero, cancel: .seconds(5)))
      #expect(throws: Never.self) { try never.wait(timeout: timeout) }
      #expect(dispatcher.now.sinceStart == .zero)
    }

    try dispatcher.runUntilIdle()

    #expect(never.outcomeIfFinished == .cancelled)
    try dispatcher.finish()
  }
}
