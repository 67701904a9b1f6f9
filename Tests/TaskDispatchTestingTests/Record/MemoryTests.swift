import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

/// The fake holds nothing of a task that has ended, unless it keeps a history.
@Suite("Without history")
struct MemoryTests {
  private let dispatcher = RecordingDispatcher(
    .init(thrownErrors: .ignore, recordsHistory: false))

  @Test("a hundred thousand steps leave nothing behind")
  func manySteps() throws {
    weak var body: Token?
    weak var item: WorkItem?
    for _ in 0..<1_000 {
      let token = Token()
      body = token
      for _ in 0..<50 {
        dispatcher.foreground { token.touch() }
        dispatcher.background { token.touch() }
      }
      let work = WorkItem.make(
        kind: .task, queue: dispatcher.background, label: nil,
        site: CallSite(fileID: #fileID, line: #line)
      ) { token.touch() }
      item = work
      dispatcher.submit(work)
      try dispatcher.runUntilIdle()
    }

    #expect(dispatcher.ledger.completed == 101_000)
    #expect(body == nil)
    #expect(item == nil)
    #expect(dispatcher.history.isEmpty)
    #expect(dispatcher.pendingTasks.isEmpty)
    try dispatcher.finish()
  }

  @Test("the item of an ended task is not held, however it ended", arguments: 0..<5)
  func items(ending: Int) throws {
    struct Torn: Error {}
    weak var held: WorkItem?
    do {
      let item = WorkItem.make(
        kind: ending == 4 ? .timer : .task, queue: dispatcher.background, label: nil,
        site: CallSite(fileID: #fileID, line: #line),
        due: ending == 4 ? .start.advanced(by: .seconds(2)) : nil,
        timeToLive: ending == 2 ? .zero : nil
      ) { if ending == 1 { throw Torn() } }
      held = item
      dispatcher.submit(item)
      if ending == 3 { #expect(dispatcher.cancel(item) == .beforeStart) }
      if ending == 2 { try dispatcher.skipTime(by: .seconds(1)) }
    }
    if ending < 2 { #expect(held != nil) }

    try dispatcher.advanceTime(by: .seconds(3))

    #expect(held == nil)
    try dispatcher.finish()
  }

  @Test("an error that no caller asks for is not held")
  func errors() throws {
    final class Torn: Error {}
    weak var held: Torn?
    do {
      let error = Torn()
      held = error
      dispatcher.background.submit { throw error }
    }

    try dispatcher.runUntilIdle()

    #expect(held == nil)
    try dispatcher.finish()
  }

  @Test("an error that its waiter has seen is not held")
  func seenErrors() throws {
    final class Torn: Error {}
    let dispatcher = RecordingDispatcher(.init(recordsHistory: false))
    weak var held: Torn?
    do {
      let error = Torn()
      held = error
      let handle = dispatcher.background.submit { throw error }
      _ = try handle.wait()
    }

    #expect(held == nil)
    try dispatcher.finish()
  }

  @Test("a repeating timer holds none of its runs")
  func repeating() throws {
    weak var held: Token?
    let timer: TimerHandle
    do {
      let token = Token()
      held = token
      timer = dispatcher.foreground.every(.seconds(1)) { token.touch() }
    }
    try dispatcher.advanceTime(by: .seconds(1_000))
    #expect(dispatcher.pendingTasks.count == 1)

    timer.cancel()

    #expect(dispatcher.pendingTasks.isEmpty)
    withExtendedLifetime(timer) { _ = held }
    try dispatcher.finish()
  }

  @Test("cancelled tasks are released at once, wherever they wait", arguments: 0..<4)
  func cancelled(place: Int) throws {
    let group = WorkGroup()
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    disk.suspend()
    weak var held: Token?
    let cancel: () -> Cancellation
    do {
      let token = Token()
      held = token
      switch place {
      case 0:
        let handle = dispatcher.background.submit { token.touch() }
        cancel = { handle.cancel() }
      case 1:
        let handle = dispatcher.foreground.submit { token.touch() }
        cancel = { handle.cancel() }
      case 2:
        let handle = disk.barrier.submit(group: group) { token.touch() }
        cancel = { handle.cancel() }
      default:
        let handle = dispatcher.foreground.after(.seconds(1)) { token.touch() }
        cancel = { handle.cancel() }
      }
    }

    #expect(cancel() == .beforeStart)

    #expect(held == nil)
    #expect(group.count == 0)
    #expect(dispatcher.pendingTasks.isEmpty)
    try dispatcher.finish()
  }
}
