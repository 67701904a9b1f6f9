import TaskDispatch
import TaskDispatchTesting
import Testing

@Suite("A snapshot of the fake")
struct FakeSnapshotTests {
  @Test("says what waits, what runs and what comes, in virtual time")
  func contents() throws {
    let dispatcher = RecordingDispatcher(.init(leftovers: .ignore))
    let queue = dispatcher.makeQueue(
      QueueOptions(label: "serial", width: 1, overflow: .reject(limit: 2)))
    let signal = try dispatcher.onSignal(.user1, label: "reopen") { _ in }
    dispatcher.foreground.after(.seconds(60), label: "later") {}
    dispatcher.foreground.every(.seconds(30), label: "again") {}
    queue.async(label: "first") {}
    queue {}
    #expect(queue {} == .refused(.limitReached))
    dispatcher.foreground {}
    try dispatcher.skipTime(by: .seconds(2))
    dispatcher.background {}
    let snapshot = dispatcher.snapshot()

    #expect(snapshot.time == 2 && snapshot.phase == .open && snapshot.pool == nil)
    #expect(snapshot.ledger == dispatcher.ledger)
    #expect(
      snapshot.queues.map(\.description) == [
        "foreground, width 1: 0 running, 1 waiting, the oldest for 2 s; none ended",
        "background, width 3: 0 running, 1 waiting, the oldest for 0 s; none ended",
        "serial, width 1, limit 2: 0 running, 2 waiting, the oldest for 2 s; 1 refused",
      ])
    #expect(
      snapshot.timers.map(\.description).map { $0.prefix(while: { $0 != "#" }) } == [
        "in 28 s: ", "in 58 s: ",
      ])
    #expect(snapshot.timers.map(\.label) == ["again", "later"])
    #expect(snapshot.timers.map(\.repeats) == [true, false])
    #expect(snapshot.handlers.map(\.event) == ["SIGUSR1"])
    signal.cancel()
    #expect(dispatcher.snapshot().handlers.isEmpty)
  }

  @Test("taken in a body, it shows that body, and what waits below it")
  func inside() throws {
    let dispatcher = RecordingDispatcher()
    let queue = dispatcher.makeQueue(label: "serial", width: 1)
    let taken = Box<DispatcherSnapshot?>(nil)
    queue.async(label: "inner") { taken.value = dispatcher.snapshot() }
    dispatcher.background.async(label: "outer") { try? queue.sync {} }
    try dispatcher.runUntilIdle()

    let snapshot = try #require(taken.value)
    #expect(snapshot.running.contains { $0.label == "inner" && $0.thread == nil })
    #expect(snapshot.ledger.balances)
    #expect(dispatcher.snapshot().queues.map(\.counts.completed).reduce(0, +) == 3)
    #expect(dispatcher.snapshot().running.isEmpty)
  }

  @Test("is in the report of a shutdown that leaves something behind, and in no other")
  func report() throws {
    let dispatcher = RecordingDispatcher(.init(leftovers: .ignore))
    let queue = dispatcher.makeQueue(label: "held", width: 1)
    queue.suspend()
    queue {}
    dispatcher.beginShutdown(ShutdownPolicy(drain: .zero, cancel: .zero))
    try dispatcher.runUntilIdle()
    #expect(dispatcher.report?.snapshot?.phase == .over)

    let clean = RecordingDispatcher()
    clean.foreground {}
    clean.beginShutdown()
    try clean.runUntilIdle()
    #expect(clean.report != nil && clean.report?.snapshot == nil)
  }

  @Test("printed, the fake says its time and its ledger in one line")
  func description() {
    let dispatcher = RecordingDispatcher(.init(leftovers: .ignore))
    dispatcher.foreground {}
    #expect("\(dispatcher)" == "RecordingDispatcher at 0 s: \(dispatcher.ledger)")
  }
}
