import TaskDispatch
import Testing
import UVDispatch

@testable import TaskDispatchTesting

@Suite("An item that was submitted twice, which is a mistake")
struct SubmittedTwiceTests {
  /// Whether the first submission has ended before the second.
  static let orders = [false, true]

  private func check(
    _ dispatcher: any TaskDispatcher, _ lane: Lane, timeToLive: Duration?, endsBetween: Bool,
    run: () throws -> Void
  ) throws {
    let queue = lane == .foreground ? dispatcher.foreground : dispatcher.background
    let ran = Box(0)
    let item = WorkItem.make(
      kind: .task, queue: queue, label: nil, site: CallSite(fileID: #fileID, line: #line),
      timeToLive: timeToLive
    ) { ran.increment() }

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

  @Test("runs once on the fake, and counts once", arguments: Lane.allCases, orders)
  func onTheFake(lane: Lane, endsBetween: Bool) throws {
    let dispatcher = RecordingDispatcher()
    try check(dispatcher, lane, timeToLive: nil, endsBetween: endsBetween) {
      try dispatcher.runUntilIdle()
    }
  }
}
