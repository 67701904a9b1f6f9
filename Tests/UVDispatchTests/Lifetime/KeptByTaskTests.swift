import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite(
    "A Task that prefers a queue, and is away from it while nothing else holds its dispatcher,")
  struct KeptByTaskTests {
    /// How many Tasks prefer each queue.
    private static let count = 8
    private let gone = Latch()
    private let areAway = Latch(2 * count)
    private let mayComeBack = Latch()
    private let meter = Meter()
    private let astray = Box(0)

    @Test("comes back to it, one at a time where that has a width of one")
    func comesBack() async throws {
      let tasks = try await onOtherThread { try start() }
      #expect(!gone.isOpen)
      mayComeBack.open()
      for task in tasks { await task.value }

      #expect(astray.value == 0)
      #expect(meter.most == 1)
    }

    /// Returns when all Tasks are away from their queues and the dispatcher has nothing to do.
    private func start() throws -> [Task<Void, Never>] {
      let dispatcher = try UVDispatcher(.init(observer: Mark(gone)))
      let view = dispatcher.makeQueue(label: "view", width: 1)
      let queues =
        Array(repeating: view, count: Self.count)
        + Array(repeating: dispatcher.background, count: Self.count)
      let tasks = queues.map { queue in
        let identity = queue.identity
        return Task(executorPreference: queue.executor) { await goOn(on: identity) }
      }
      #expect(areAway.wait(patience))
      dispatcher.waitUntil { core in
        core.running.isEmpty && core.workers.searching == 0 && core.accounts.ledger.waiting == 0
      }
      return tasks
    }

    private func goOn(on identity: TaskQueue.Identity) async {
      let step = { if !TaskContext.isRunning(identity) { astray.increment() } }
      step()
      await onOtherThread {
        areAway.open()
        mayComeBack.hold(patience)
      }
      for _ in 0..<100 {
        if identity.view == nil { step() } else { meter.count(step) }
        await Task.yield()
      }
    }
  }
}

/// Opens a latch when the configuration that holds it is gone, and so its dispatcher.
private final class Mark: TaskObserver {
  private let gone: Latch
  init(_ gone: Latch) { self.gone = gone }
  func observe(_ event: TaskEvent) {}
  deinit { gone.open() }
}
