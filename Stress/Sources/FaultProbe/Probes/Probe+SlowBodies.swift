import Dispatch
import Foundation
import Synchronization
import UVDispatch

extension Probe {
  static let slowBodies: [Probe] = [
    Probe(
      name: "slow-workers", fault: "every body of the pool takes 20 to 50 ms",
      outcome: "timers and the loop go on beside them; each ran once; the report balances"
    ) { _ in
      let dispatcher = try UVDispatcher()
      let ran = Counter()
      let ticks = Counter()
      for index in 0..<100 {
        dispatcher.background {
          usleep(20_000 + UInt32(index % 4) * 10_000)
          ran.increment()
          dispatcher.foreground {
            if ran.value == 100 { dispatcher.beginShutdown() }
          }
        }
      }
      dispatcher.foreground.every(.milliseconds(5), catchUp: .skip) { ticks.increment() }

      let report = dispatcher.run()

      try expect(ran.value == 100 && report.ledger.balances, "\(ran.value) ran; \(report)")
      // Three bodies at a time need more than a second together, and a second has time for two hundred
      // ticks.
      try expect(ticks.value >= 50, "only \(ticks.value) ticks")
      return ["\(ticks.value) ticks of 5 ms", "\(report.ledger)"]
    },
    Probe(
      name: "never-returning-worker", fault: "a body of the pool never ends",
      outcome: "the report names it abandoned in time; the others ran; _exit leaves", deadline: 15
    ) { _ in
      let dispatcher = try UVDispatcher()
      let ran = Counter()
      let started = DispatchSemaphore(value: 0)
      dispatcher.background.async(label: "never returns") {
        started.signal()
        while true { pause() }
      }
      for _ in 0..<1_000 { dispatcher.background { ran.increment() } }
      started.wait()
      dispatcher.beginShutdown(.init(drain: .milliseconds(500), cancel: .milliseconds(500)))
      let clock = ContinuousClock()
      let began = clock.now

      let report = dispatcher.run()

      let took = began.duration(to: clock.now)
      try expect(took < .seconds(5), "the report took \(took)")
      try expect(ran.value == 1_000, "\(ran.value) of the others ran")
      try expect(
        report.unfinished.map(\.label) == ["never returns"]
          && report.unfinished.map(\.state) == [.abandoned] && report.ledger.balances, "\(report)")
      return ["after \(took)", "\(report.unfinished[0])"]
    },
    Probe(
      name: "all-workers-stuck", fault: "as many bodies as may run at a time never end",
      outcome: "the report names all of them, and what never started, in time", deadline: 15
    ) { _ in
      let dispatcher = try UVDispatcher()
      let width = dispatcher.effectiveBackgroundWidth
      let started = DispatchSemaphore(value: 0)
      for _ in 0..<width {
        dispatcher.background.async(label: "stuck") {
          started.signal()
          while true { pause() }
        }
      }
      for _ in 0..<width { started.wait() }
      for _ in 0..<100 { dispatcher.background.async(label: "behind") {} }
      dispatcher.beginShutdown(.init(drain: .milliseconds(200), cancel: .milliseconds(200)))

      let report = dispatcher.run()

      try expect(
        report.ledger.abandoned == width && report.ledger.cancelled == 100
          && report.ledger.balances && report.unfinished.count == width + 100, "\(report)")
      return ["\(report.ledger)"]
    },
    Probe(
      name: "loop-blocked", fault: "a body of the loop blocks until the pool is done",
      outcome: "ten thousand bodies of the pool run before it ends; then the loop goes on"
    ) { _ in
      let dispatcher = try UVDispatcher()
      let (blocked, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let ran = Counter()
      let replies = Counter()
      dispatcher.foreground {
        blocked.signal()
        done.wait()
      }
      Thread.detachNewThread {
        blocked.wait()
        for _ in 0..<10_000 {
          dispatcher.background {
            dispatcher.foreground { replies.increment() }
            if ran.increment() == 10_000 {
              dispatcher.foreground { dispatcher.beginShutdown() }
              done.signal()
            }
          }
        }
      }

      let ledger = dispatcher.run().ledger

      try expect(
        ran.value == 10_000 && replies.value == 10_000 && ledger.balances,
        "\(ran.value) ran, \(replies.value) replies; \(ledger)")
      return ["\(ledger)"]
    },
  ]
}

/// A count that any thread may increment.
final class Counter: Sendable {
  private let count = Atomic(0)

  var value: Int { count.load(ordering: .acquiring) }

  @discardableResult
  func increment() -> Int { count.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue }
}
