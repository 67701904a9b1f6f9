import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing
import UVDispatch

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
    _ dispatcher: any DispatcherImplementation, _ lane: Lane, timeToLive: Duration?,
    endsBetween: Bool,
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

  @Test("changes nothing on another dispatcher, nor while its body runs")
  func elsewhere() throws {
    let (dispatcher, other) = (try UVDispatcher(), try UVDispatcher())
    let fake = RecordingDispatcher()
    let (began, gate) = (Latch(), Latch())
    let item = item(on: dispatcher.background, timeToLive: .seconds(3_600)) {
      began.open()
      gate.hold(patience)
    }
    _ = dispatcher.submit(item)
    #expect(began.wait(patience))
    for again in [dispatcher, other, fake] as [any DispatcherImplementation] {
      #expect(again.submit(item).isAccepted)
      again.submitWhenRoom(item)
    }
    gate.open()
    dispatcher.runUntilIdle()

    #expect(dispatcher.ledger.accepted == 1)
    #expect(dispatcher.ledger.balances)
    #expect(other.ledger.submitted + fake.ledger.submitted == 0)
  }

  @Test("stays refused", arguments: [false, true])
  func refused(isFake: Bool) throws {
    let overflow = Overflow.reject(limit: 1)
    let dispatcher: any DispatcherImplementation =
      isFake
      ? RecordingDispatcher(.init(overflow: overflow)) : try UVDispatcher(.init(overflow: overflow))
    let view = dispatcher.makeQueue(label: "full", width: 1)
    view.suspend()
    view {}
    let item = item(on: view) { Issue.record("it was refused") }

    for _ in 0..<2 { #expect(dispatcher.submit(item) == .refused(.limitReached)) }

    #expect(dispatcher.ledger.refused == 1)
    #expect(dispatcher.ledger.balances)
    view.resume()
    if isFake {
      try (dispatcher as? RecordingDispatcher)?.runUntilIdle()
    } else {
      (dispatcher as? UVDispatcher)?.runUntilIdle()
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
