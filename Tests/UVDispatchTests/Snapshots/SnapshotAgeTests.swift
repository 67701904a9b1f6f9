import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("A snapshot tells the age of the oldest task that waits")
  struct SnapshotAgeTests {
    /// Lets time pass that the coarse clock of a post sees as well, in seconds.
    private static func spend(_ seconds: Double) {
      let end = monotonicNanoseconds() + Int64(seconds * 1e9)
      while monotonicNanoseconds() < end {}
    }

    /// Posts to a queue that is held up, lets time pass, posts again, and returns the ages of the oldest after each
    /// step: at most how old it is, and what a snapshot says.
    private static func ages(
      of lane: Lane, inView: Bool, drains: Bool, _ post: (TaskQueue) -> Void
    ) throws -> [(least: Double, said: Double, most: Double)] {
      let dispatcher = try UVDispatcher(.init(backgroundWidth: 1))
      let queue =
        lane == .foreground
        ? dispatcher.foreground
        : inView ? dispatcher.makeQueue(label: "view", width: 1) : dispatcher.background
      let (isRunning, gate) = (Latch(), Latch())
      if lane == .background {
        queue.async {
          isRunning.open()
          gate.hold(patience)
        }
        #expect(isRunning.wait(patience))
      }
      var ages: [(least: Double, said: Double, most: Double)] = []
      let before = monotonicNanoseconds()
      post(queue)
      let after = monotonicNanoseconds()
      for _ in 0..<2 {
        if drains { _ = dispatcher.ledger }
        spend(0.02)
        // The clock that a post reads stands still for up to four milliseconds.
        let least = Double(monotonicNanoseconds() - after) / 1e9
        let label = inView ? "view" : "\(lane)"
        let said = dispatcher.snapshot().queues.first { $0.label == label }?.oldestAge
        let most = Double(monotonicNanoseconds() - before) / 1e9 + 0.012
        ages.append((least, said ?? -1, most))
        post(queue)
      }
      gate.open()
      dispatcher.runUntilIdle()
      return ages
    }

    @Test(
      "of plain bodies, in an inbox and in its queue", arguments: [false, true],
      [(Lane.foreground, false), (.background, false), (.background, true)])
    func plain(drains: Bool, queue: (lane: Lane, inView: Bool)) throws {
      let ages = try Self.ages(of: queue.lane, inView: queue.inView, drains: drains) { $0 {} }
      #expect(ages.allSatisfy { $0.least <= $0.said && $0.said <= $0.most }, "\(ages)")
    }

    /// Holds a plain body in a queue for a while, and returns the age of the oldest after `act`.
    private static func ageOfFirst(
      on queue: (UVDispatcher) -> TaskQueue, _ act: (UVDispatcher, TaskQueue) throws -> Void
    ) throws -> Double? {
      let dispatcher = try UVDispatcher()
      let queue = queue(dispatcher)
      if queue.lane == .background { queue.suspend() }
      queue {}
      spend(0.02)
      try act(dispatcher, queue)
      let age = dispatcher.snapshot().queues.first { $0.label == queue.label }?.oldestAge
      if queue.lane == .background { queue.resume() }
      dispatcher.runUntilIdle()
      return age
    }

    private static let queues: [@Sendable (UVDispatcher) -> TaskQueue] = [
      { $0.foreground }, { $0.makeQueue(label: "view", width: 1) },
    ]

    @Test("also after many tasks behind it were cancelled, and others moved", arguments: 0..<2)
    func compacted(index: Int) throws {
      let age = try Self.ageOfFirst(on: Self.queues[index]) { dispatcher, queue in
        for _ in 0..<3 {
          let handles = (0..<400).map { _ in queue.submit {} }
          _ = dispatcher.ledger
          Self.spend(0.005)
          for handle in handles { handle.cancel() }
        }
      }
      #expect(try #require(age) >= 0.035)
    }

    @Test("also after a flush has made an object of it", arguments: 0..<2)
    func flushed(index: Int) throws {
      let age = try Self.ageOfFirst(on: Self.queues[index]) { dispatcher, queue in
        let flush = Task.detached { await queue.flush() }
        dispatcher.waitUntil { $0.running.hasFlushes }
        withExtendedLifetime(flush) {}
      }
      #expect(try #require(age) >= 0.015)
    }

    @Test(
      "of items and of other bands", arguments: [false, true],
      [(Lane.foreground, false), (.background, false), (.background, true)])
    func items(drains: Bool, queue: (lane: Lane, inView: Bool)) throws {
      let ages = try Self.ages(of: queue.lane, inView: queue.inView, drains: drains) { queue in
        queue.async(priority: .low, label: "item") {}
        queue {}
      }
      #expect(ages.allSatisfy { $0.least <= $0.said && $0.said <= $0.most }, "\(ages)")
    }
  }
}
