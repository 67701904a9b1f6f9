import TaskDispatch
import Testing
import UVDispatch

@testable import TaskDispatchTesting

@Suite("An item that was submitted twice, which is a mistake")
struct SubmittedTwiceTests {
  /// Whether the first submission has ended before the second.
  static let orders = [false, true]

  private func item(
    on queue: TaskQueue, timeToLive: Duration? = nil, _ body: @escaping @Sendable () -> Void
  ) -> WorkItem {
    WorkItem.make(
      kind: .task, queue: queue, label: nil, site: CallSite(fileID: #fileID, line: #line),
      timeToLive: timeToLive, body: body)
  }

  private func check(
    _ dispatcher: any TaskDispatcher, _ lane: Lane, timeToLive: Duration?, endsBetween: Bool,
    run: () throws -> Void
  ) throws {
    let queue = lane == .foreground ? dispatcher.foreground : dispatcher.background
    let ran = Box(0)
    let item = item(on: queue, timeToLive: timeToLive) { ran.increment() }

    _ = dispatcher.submit(item)
    if endsBetween { try run() }
    _ = dispatcher.submit(item)
    try run()

    #expect(ran.value == 1)
    #expect(dispatcher.ledger.completed == 1)
    #expect(dispatcher.ledger.waiting == 0)
    #expect(dispatcher.ledger.balances)
  }

  @Test("runs once, and counts once", arguments: Lane.allCases, orders)
  func onThreads(lane: Lane, endsBetween: Bool) throws {
    for timeToLive in [nil, Duration.seconds(3_600)] {
      let dispatcher = try UVDispatcher()
      try check(dispatcher, lane, timeToLive: timeToLive, endsBetween: endsBetween) {
        dispatcher.runUntilIdle()
      }
    }
  }

  @Test("runs once behind another one of its batch, and counts once", arguments: Lane.allCases)
  func inABatch(lane: Lane) throws {
    let dispatcher = try UVDispatcher()
    let queue = lane == .foreground ? dispatcher.foreground : dispatcher.background
    let (ran, behind) = (Box(0), Box(0))
    let item = item(on: queue) { ran.increment() }
    _ = dispatcher.submit(item)
    dispatcher.runUntilIdle()

    for _ in 0..<3 {
      queue { behind.increment() }
      _ = dispatcher.submit(item)
    }
    dispatcher.runUntilIdle()

    #expect(ran.value == 1)
    #expect(behind.value == 3)
    #expect(dispatcher.ledger.completed == 4)
    #expect(dispatcher.ledger.balances)
  }

  @Test("keeps the room that its body has in its queue", arguments: [nil, Duration.seconds(3_600)])
  func whileItRuns(timeToLive: Duration?) throws {
    let dispatcher = try UVDispatcher()
    let view = dispatcher.makeQueue(label: "two", width: 2)
    let (began, gate, met) = (Latch(), Latch(), Latch())
    let item = item(on: view, timeToLive: timeToLive) {
      began.open()
      gate.hold(patience)
    }
    _ = dispatcher.submit(item)
    #expect(began.wait(patience))
    _ = dispatcher.submit(item)
    // Behind the second submission in the same queue.
    let passed = Latch()
    view { passed.open() }
    #expect(passed.wait(patience))
    gate.open()
    dispatcher.runUntilIdle()

    // Each waits for the other: both places of the queue are free again.
    let other = Latch()
    let both = Box(0)
    view {
      met.open()
      if other.wait(patience) { both.increment() }
    }
    view {
      other.open()
      if met.wait(patience) { both.increment() }
    }
    dispatcher.runUntilIdle()
    #expect(both.value == 2)
    #expect(dispatcher.ledger.balances)
  }

  @Test("does not run once other code has finished it", arguments: Lane.allCases)
  func finishedElsewhere(lane: Lane) throws {
    for timeToLive in [nil, Duration.seconds(3_600)] {
      let dispatcher = try UVDispatcher()
      let view = dispatcher.makeQueue(label: "held", width: 1)
      view.suspend()
      let ran = Box(0)
      weak var known: WorkItem?
      do {
        let item = item(
          on: lane == .foreground ? dispatcher.foreground : view, timeToLive: timeToLive
        ) { ran.increment() }
        known = item
        _ = dispatcher.submit(item)
        item.finish(.cancelled)
      }
      view.resume()
      dispatcher.runUntilIdle()
      #expect(ran.value == 0)
      #expect(known == nil)
      #expect(dispatcher.ledger.balances)
    }
  }

  @Test("runs once on the fake, and counts once", arguments: Lane.allCases, orders)
  func onTheFake(lane: Lane, endsBetween: Bool) throws {
    let dispatcher = RecordingDispatcher()
    try check(dispatcher, lane, timeToLive: nil, endsBetween: endsBetween) {
      try dispatcher.runUntilIdle()
    }
  }
}
