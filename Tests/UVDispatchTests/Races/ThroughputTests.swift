import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("Four threads that post to both lanes")
  struct ThroughputTests {
    @Test("have all their tasks run, each thread's in its order, and the ledger balances")
    func fourPosters() throws {
      let dispatcher = try UVDispatcher()
      let narrow = dispatcher.makeQueue(label: "narrow", width: 1)
      #if DEBUG
        // A sanitizer makes a contended lock a hundred times as expensive.
        let perQueue = ThisProcess.isSanitized ? 400 : 4_000
      #else
        let perQueue = 8_400
      #endif
      // Only tasks of its own queue touch each of these, one at a time, so no lock is needed.
      let onForeground = Confined([Int](repeating: 0, count: 4), to: dispatcher.foreground)
      let onNarrow = Confined([Int](repeating: 0, count: 4), to: narrow)
      let onBackground = Box(0)
      let disorder = Box(0)
      let posters = (0..<4).map { poster in
        OtherThread {
          for number in 0..<perQueue {
            dispatcher.foreground {
              onForeground.withValue { next in
                if next[poster] != number { disorder.increment() }
                next[poster] += 1
              }
            }
            narrow {
              onNarrow.withValue { next in
                if next[poster] != number { disorder.increment() }
                next[poster] += 1
              }
            }
            dispatcher.background { onBackground.increment() }
          }
        }
      }
      let ender = OtherThread {
        for poster in posters { _ = poster.join() }
        dispatcher.beginShutdown(.init(drain: .seconds(3600)))
      }

      let report = dispatcher.run()

      #expect(ender.join())
      #expect(disorder.value == 0)
      #expect(onForeground.takeValue() == [Int](repeating: perQueue, count: 4))
      #expect(onNarrow.takeValue() == [Int](repeating: perQueue, count: 4))
      #expect(onBackground.value == 4 * perQueue)
      #expect(report.ledger.accepted == 12 * perQueue)
      #expect(report.ledger.completed == 12 * perQueue)
      #expect(report.ledger.balances)
      #expect(report.unfinished.isEmpty)
    }

    @Test("may cancel, delay and suspend as they post")
    func mixed() throws {
      let dispatcher = try UVDispatcher()
      let view = dispatcher.makeQueue(label: "view", width: 2)
      let ended = race(
        (0..<4).map { _ in
          {
            for number in 0..<500 {
              let queue = number.isMultiple(of: 2) ? view : dispatcher.foreground
              if number % 50 == 0 { view.suspend() }
              let handle = queue.submit(priority: number % 3 == 0 ? .high : .low) { number }
              let timer = queue.after(.microseconds(number)) {}
              if number % 7 == 0 { handle.cancel() }
              if number % 5 == 0 { timer.cancel() }
              if number % 11 == 0 { view.barrier {} }
              if number % 50 == 0 { view.resume() }
            }
          }
        })
      dispatcher.foreground.after(.milliseconds(1)) {
        dispatcher.beginShutdown(.init(drain: .seconds(3600)))
      }

      let report = dispatcher.run()

      #expect(ended)
      #expect(report.ledger.balances)
      #expect(report.ledger.waiting == 0)
      #expect(report.ledger.running == 0)
      #expect(report.ledger.refused == 0)
      #expect(report.ledger.failed == 0)
    }
  }
}
