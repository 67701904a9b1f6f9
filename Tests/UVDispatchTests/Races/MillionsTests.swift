import Synchronization
import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("Millions of tasks from four threads, with timers and cancellations in between")
  struct MillionsTests {
    /// Two million for each lane when optimised; a tenth of that beside a sanitizer and without optimisation.
    private static var tasksOfPoster: Int {
      #if DEBUG
        50_000
      #else
        ThisProcess.isSanitized ? 50_000 : 500_000
      #endif
    }

    @Test("each run once, in order where order is promised, and the ledger balances")
    func balances() throws {
      let dispatcher = try UVDispatcher()
      let count = Self.tasksOfPoster
      let foreground = (0..<4).map { _ in LoopCounter() }
      let background = (0..<4).map { _ in PoolCounter() }
      let others = (0..<4).map { _ in Others() }
      let ended = Latch(4)
      for poster in 0..<4 {
        _ = OtherThread {
          for number in 0..<count {
            dispatcher.foreground { [counter = foreground[poster]] in counter.ran(number) }
            dispatcher.background { [counter = background[poster]] in counter.ran() }
            if number.isMultiple(of: 500) { others[poster].submit(number, to: dispatcher) }
          }
          ended.open()
        }
      }
      let ender = OtherThread {
        _ = ended.wait(.seconds(600))
        dispatcher.beginShutdown(.init(drain: .seconds(3600)))
      }

      let report = dispatcher.run()

      #expect(ender.join())
      #expect(foreground.map(\.next) == [Int](repeating: count, count: 4))
      #expect(foreground.allSatisfy { $0.outOfOrder == 0 })
      #expect(background.map(\.count) == [Int](repeating: count, count: 4))
      #expect(others.reduce(0) { $0 + $1.wrong.value } == 0)
      let ledger = report.ledger
      let rest = 4 * 4 * ((count + 499) / 500)
      #expect(ledger.accepted == 8 * count + rest)
      #expect(ledger.completed + ledger.cancelled == ledger.accepted)
      #expect(ledger.cancelled == others.reduce(0) { $0 + $1.cancelled.value + $1.timersLeft })
      #expect(ledger.balances)
      #expect(report.unfinished.isEmpty)
    }
  }
}

/// Counts what one thread posted to the foreground. It needs no lock, since the loop is one thread, and
/// ThreadSanitizer checks that.
private final class LoopCounter: @unchecked Sendable {
  private(set) var next = 0
  private(set) var outOfOrder = 0

  func ran(_ number: Int) {
    if number != next { outOfOrder += 1 }
    next += 1
  }
}

private final class PoolCounter: Sendable {
  private let bodies = Atomic(0)
  var count: Int { bodies.load(ordering: .acquiring) }

  func ran() { bodies.add(1, ordering: .relaxed) }
}

/// What one thread submits besides plain bodies.
private final class Others: Sendable {
  let cancelled = Box(0)
  let wrong = Box(0)
  private let timers = Box<[TimerHandle]>([])

  /// How many timers the shutdown has cancelled.
  var timersLeft: Int {
    timers.value.count { if case .cancelled = $0.outcomeIfFinished { true } else { false } }
  }

  func submit(_ number: Int, to dispatcher: UVDispatcher) {
    for (queue, priority) in [
      (dispatcher.background, PriorityBand.high), (dispatcher.foreground, .low),
    ] {
      let ran = Box(false)
      let handle = queue.submit(priority: priority) { ran.value = true }
      if handle.cancel() == .beforeStart {
        cancelled.increment()
        if ran.value { wrong.increment() }
      }
    }
    let due = dispatcher.now.advanced(by: .microseconds(number % 3_000))
    let timer = dispatcher.background.after(.microseconds(number % 3_000)) { [wrong] in
      if dispatcher.now < due { wrong.increment() }
    }
    timers.change { $0.append(timer) }
    let never = dispatcher.foreground.after(.seconds(3600)) { [wrong] in wrong.increment() }
    if never.cancel() == .beforeStart { cancelled.increment() } else { wrong.increment() }
  }
}
