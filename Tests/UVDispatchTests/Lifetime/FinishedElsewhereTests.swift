import TaskDispatch
import Testing

@testable import TaskDispatchTesting
@testable import UVDispatch

/// ``WorkItem/finish(_:)`` is public: while an item waits, any code may call it.
@Suite("An item that other code has finished while it waits")
struct FinishedElsewhereTests {
  /// How the item waits: whether it needs an object when it starts, whether it comes behind another one of the batch
  /// of its thread, and how it is finished.
  struct Case: CustomTestStringConvertible {
    var lane = Lane.background
    var timeToLive: Duration?
    var isBehind = false
    var outcome = Outcome.cancelled

    var testDescription: String {
      "\(lane)\(timeToLive == nil ? "" : ", may expire")\(isBehind ? ", in a batch" : ""), \(outcome)"
    }

    static let all = Lane.allCases.flatMap { lane in
      [nil, Duration.seconds(3_600)].flatMap { timeToLive in
        [false, true].flatMap { isBehind in
          [.cancelled, .expired, .refused(.limitReached)].map { outcome in
            Case(lane: lane, timeToLive: timeToLive, isBehind: isBehind, outcome: outcome)
          }
        }
      }
    }
  }

  @Test("does not run, is counted as it was finished, and is released", arguments: Case.all)
  func onThreads(_ test: Case) throws {
    let dispatcher = try UVDispatcher()
    try check(test, dispatcher) { dispatcher.runUntilIdle() }
  }

  @Test("on the fake as well", arguments: Case.all)
  func onTheFake(_ test: Case) throws {
    let dispatcher = RecordingDispatcher()
    try check(test, dispatcher) { try dispatcher.runUntilIdle() }
  }

  @Test("has its end told to the observer", arguments: [false, true])
  func observed(isFake: Bool) throws {
    let ends = Ends()
    if isFake {
      let dispatcher = RecordingDispatcher(.init(observer: ends))
      try check(Case(), dispatcher) { try dispatcher.runUntilIdle() }
    } else {
      let dispatcher = try UVDispatcher(.init(observer: ends))
      try check(Case(), dispatcher) { dispatcher.runUntilIdle() }
    }
    #expect(ends.told.value == ["cancelled before it started"])
  }

  private func check(
    _ test: Case, _ dispatcher: any TaskDispatcher, run: () throws -> Void
  ) throws {
    let view = dispatcher.makeQueue(label: "held", width: 1)
    view.suspend()
    let queue = test.lane == .foreground ? dispatcher.foreground : view
    let (ran, behind) = (Box(0), Box(0))
    weak var known: WorkItem?
    do {
      let item = WorkItem.make(
        kind: .task, queue: queue, label: nil, site: CallSite(fileID: #fileID, line: #line),
        timeToLive: test.timeToLive
      ) { ran.increment() }
      known = item
      if test.isBehind { queue { behind.increment() } }
      _ = dispatcher.submit(item)
      queue { behind.increment() }
      #expect(item.finish(test.outcome))
    }
    view.resume()
    try run()

    #expect(ran.value == 0)
    #expect(behind.value == (test.isBehind ? 2 : 1))
    #expect(known == nil)
    var ledger = Ledger()
    ledger.completed = behind.value
    ledger.accepted = behind.value + 1
    switch test.outcome {
    case .expired: ledger.expired = 1
    case .refused: (ledger.accepted, ledger.refused) = (behind.value, 1)
    default: ledger.cancelled = 1
    }
    #expect(dispatcher.ledger == ledger)
  }
}

/// Notes how tasks have ended, except those that have completed.
private final class Ends: TaskObserver {
  let told = Box<[String]>([])

  func observe(_ event: TaskEvent) {
    guard case .finished(let outcome) = event.kind else { return }
    if case .completed = outcome { return }
    told.change { $0.append("\(outcome)") }
  }
}
