import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@Suite("What a shutdown does at once")
struct ShutdownOfWorkTests {
  private let dispatcher = RecordingDispatcher()
  private let log = Log()

  /// The labels of the cancelled tasks, in order.
  private var cancelled: [String?] {
    dispatcher.history.filter { $0.kind == .finished(.cancelled) }.map(\.task.label)
  }

  @Test("cancels what is to be skipped, in the order of submission, and lets the rest drain")
  func skips() throws {
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    disk.async(label: "skip 1", atShutdown: .skip) {}
    dispatcher.foreground.async(label: "drain 1", atShutdown: .drain) {}
    dispatcher.foreground.async(label: "skip 2", atShutdown: .skip) {}
    dispatcher.background.async(label: "drain 2") {}
    dispatcher.background.async(label: "skip 3", atShutdown: .skip) {}

    dispatcher.beginShutdown()

    #expect(cancelled == ["skip 1", "skip 2", "skip 3"])
    #expect(dispatcher.pendingTasks.labels == ["drain 1", "drain 2"])
    try dispatcher.runUntilIdle()
    #expect(dispatcher.report?.unfinished.map(\.label) == ["skip 1", "skip 2", "skip 3"])
    #expect(dispatcher.report?.ledger.completed == 2)
    try dispatcher.finish()
  }

  @Test("runs what is to be skipped and has its slot already")
  func skipsNotStarted() throws {
    let dispatcher = RecordingDispatcher(.init(width: 2))
    dispatcher.background.async(label: "skip", atShutdown: .skip) {}
    dispatcher.background.async(label: "other") {}
    try dispatcher.runTask(labeled: "other")

    dispatcher.beginShutdown()
    try dispatcher.runUntilIdle()

    #expect(dispatcher.hasRun("skip"))
    #expect(dispatcher.report?.unfinished == [])
    try dispatcher.finish()
  }

  @Test("cancels timers that are not due, releases them, counts them and does not list them")
  func timers() throws {
    weak var released: Token?
    do {
      let token = Token()
      released = token
      dispatcher.background.after(.seconds(1), label: "once") { token.touch() }
    }
    dispatcher.foreground.every(.seconds(1), label: "again") {}
    dispatcher.background.async(label: "drains") {}

    dispatcher.beginShutdown()

    #expect(released == nil)
    #expect(Set(cancelled) == ["once", "again"])
    #expect(dispatcher.nextDeadline?.sinceStart == .seconds(10), "the drain's, and no timer's")
    try dispatcher.runUntilIdle()
    #expect(dispatcher.report?.unfinished == [])
    #expect(dispatcher.report?.ledger.cancelled == 2)
    try dispatcher.finish()
  }

  @Test("lets timers drain that are due")
  func dueTimers() throws {
    dispatcher.background.after(.seconds(1), label: "background") {}
    dispatcher.foreground.after(.seconds(1), label: "foreground") {}
    try dispatcher.skipTime(by: .seconds(1))

    dispatcher.beginShutdown()
    try dispatcher.runUntilIdle()

    #expect(Set(dispatcher.ran) == ["background", "foreground"])
    try dispatcher.finish()
  }

  @Test("arms no repeating timer again, and lets run what is owed", arguments: CatchUp.allCases)
  func repeats(catchUp: CatchUp) throws {
    let log = log
    dispatcher.foreground.every(.seconds(1), catchUp: catchUp, label: "tick") { log.note("ran") }
    // Late by exactly one interval: one tick is missed, and the next one is due now.
    try dispatcher.skipTime(by: .seconds(2))

    dispatcher.beginShutdown()
    try dispatcher.runUntilIdle()
    try dispatcher.advanceTime(by: .seconds(60))

    #expect(log.all.count == (catchUp == .all ? 2 : 1))
    #expect(dispatcher.report?.ledger.balances == true)
    #expect(dispatcher.pendingTasks.isEmpty)
    try dispatcher.finish()
  }

  @Test("lets a timer whose run drains be cancelled with it")
  func cancelsRepeat() throws {
    let timer = dispatcher.foreground.every(.seconds(1), label: "tick") {}
    try dispatcher.skipTime(by: .seconds(1))
    dispatcher.foreground.async(label: "drains") {}
    dispatcher.beginShutdown()
    #expect(timer.outcomeIfFinished == nil)

    #expect(timer.cancel() == .beforeStart)
    #expect(timer.outcomeIfFinished == .cancelled)
    try dispatcher.runUntilIdle()

    #expect(dispatcher.ran == ["drains"])
    #expect(timer.cancel() == .tooLate)
    #expect(dispatcher.report?.ledger.balances == true)
    try dispatcher.finish()
  }

  @Test("refuses a timer of a draining body, which would outlive the drain")
  func timerOfDrainingBody() throws {
    let outcomes = Slot<[Outcome?]>()
    let dispatcher = dispatcher
    dispatcher.background {
      outcomes.value = [
        dispatcher.foreground.after(.seconds(1)) {}.outcomeIfFinished,
        dispatcher.foreground.every(.seconds(1)) {}.outcomeIfFinished,
        dispatcher.foreground.after(.zero, label: "no timer") {}.outcomeIfFinished,
      ]
    }

    dispatcher.beginShutdown()
    try dispatcher.runUntilIdle()

    #expect(outcomes.value == [.refused(.shutDown), .refused(.shutDown), nil])
    #expect(dispatcher.hasRun("no timer"))
    try dispatcher.finish()
  }

  @Test("holds nothing up for what only an outsider can free, and cancels it in the end")
  func outsiders() throws {
    let group = WorkGroup()
    group.enter()
    group.notify(on: dispatcher.foreground, label: "notification") {}
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    disk.suspend()
    disk.async(label: "held") {}
    disk {}
    dispatcher.background.async(label: "drains") {}

    dispatcher.beginShutdown()
    #expect(dispatcher.report == nil)
    try dispatcher.runNextBackgroundTask()

    let report = try #require(dispatcher.report)
    #expect(report.unfinished.map(\.label) == ["notification", "held", nil])
    #expect(report.ledger.cancelled == 3)
    #expect(dispatcher.now == .start)
    group.leave()
    #expect(dispatcher.isIdle)
    try dispatcher.finish()
  }

  @Test("runs what an outsider frees while it drains")
  func freedInTime() throws {
    let dispatcher = dispatcher
    let group = WorkGroup()
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    disk.suspend()
    disk.async(label: "held") {}
    dispatcher.background.async(group: group) { disk.resume() }
    group.notify(on: dispatcher.foreground, label: "notification") {}

    dispatcher.beginShutdown()
    try dispatcher.runUntilIdle()

    #expect(dispatcher.hasRun("held") && dispatcher.hasRun("notification"))
    #expect(dispatcher.report?.unfinished == [])
    try dispatcher.finish()
  }

  @Test("refuses the runs that wait for room, and their Tasks go on")
  func waitingForRoom() throws {
    let dispatcher = RecordingDispatcher(.init(overflow: .reject(limit: 1)))
    let log = log
    dispatcher.background.async(label: "fills") {}
    Task(executorPreference: dispatcher.foreground.executor) {
      do { try await dispatcher.background.run(label: "waits") {} } catch {
        log.note("\((error as? NoValue)?.outcome as Any)")
      }
    }
    try dispatcher.runForegroundUntilIdle()
    #expect(dispatcher.pendingTasks.labels == ["fills", "waits"])

    dispatcher.beginShutdown()
    try dispatcher.runUntilIdle()

    #expect(log.all == ["\(Outcome.refused(.shutDown) as Outcome?)"])
    #expect(!dispatcher.hasRun("waits"))
    #expect(dispatcher.report?.ledger.refused == 1)
    #expect(dispatcher.report?.ledger.balances == true)
    try dispatcher.finish()
  }

  @Test("lets a body that drains wait in sync")
  func syncInDrain() throws {
    let dispatcher = dispatcher
    let log = log
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    disk { log.note("before") }
    dispatcher.foreground { try! disk.sync { log.note("sync") } }

    dispatcher.beginShutdown()
    try dispatcher.runUntilIdle()

    #expect(log.all == ["before", "sync"])
    #expect(dispatcher.report?.unfinished == [])
    try dispatcher.finish()
  }

  @Test("runs what a Task submits that is told of a cancellation")
  func submitsWhenCancelled() throws {
    let dispatcher = dispatcher
    let log = log
    Task(executorPreference: dispatcher.foreground.executor) {
      do { try await dispatcher.clock.sleep(for: .seconds(60)) } catch {
        log.note("\(dispatcher.background { log.note("cleans up") })")
      }
    }
    try dispatcher.runUntilIdle()

    dispatcher.beginShutdown()
    try dispatcher.runUntilIdle()

    #expect(log.all == ["accepted", "cleans up"])
    #expect(dispatcher.report?.ledger.balances == true)
    try dispatcher.finish()
  }
}
