import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("Items that follow each other on a thread")
  struct FollowingItemsTests {
    private let dispatcher: UVDispatcher

    init() throws { dispatcher = try UVDispatcher(.init(backgroundWidth: 1)) }

    private var queues: [TaskQueue] {
      [dispatcher.foreground, dispatcher.background, dispatcher.makeQueue(label: "made", width: 1)]
    }

    @Test("have each its label, its number and its flag")
    func own() throws {
      for queue in queues {
        let gate = Latch()
        queue { gate.hold(patience) }
        let (labels, ids) = (Box<[String?]>([]), Box(Set<UInt64>()))
        @Sendable func note() {
          labels.change { $0.append(CurrentTask.label) }
          ids.change { _ = $0.insert(dispatcher.engine.currentTask?.id ?? 0) }
        }
        let stopped = Box<[Bool]>([])
        queue.async(label: "first") { note() }
        let second = queue.submit(label: "second") {
          note()
          stopped.change { $0.append(CurrentTask.isCancelled) }
        }
        queue { note() }
        let last = queue.submit(label: "last") {
          note()
          stopped.change { $0.append(CurrentTask.isCancelled) }
        }
        gate.open()
        dispatcher.runUntilIdle()

        #expect(labels.value == ["first", "second", nil, "last"])
        #expect(ids.value.count == 4)
        #expect(stopped.value == [false, false])
        #expect(second.outcomeIfFinished == .completed)
        #expect(last.outcomeIfFinished == .completed)
      }
    }

    @Test("tell of their ends in no task, and have them counted by then")
    func callbacks() throws {
      for queue in queues {
        let before = dispatcher.ledger.ended
        let gate = Latch()
        queue { gate.hold(patience) }
        let seen = Box<[(isInTask: Bool, ended: Int)]>([])
        let items = (0..<3).map { _ in
          WorkItem.make(kind: .task, queue: queue, label: nil, site: .here()) {}
        }
        for item in items {
          item.whenFinished { [dispatcher] _ in
            let ended = dispatcher.ledger.ended
            seen.change { $0.append((dispatcher.engine.currentTask != nil, ended)) }
          }
          dispatcher.submit(item)
        }
        gate.open()
        dispatcher.runUntilIdle()

        #expect(seen.value.count == 3)
        #expect(seen.value.allSatisfy { !$0.isInTask })
        // Another worker may run the next task before the callback of the one before has noted what it saw.
        for (index, ended) in seen.value.map(\.ended).sorted().enumerated() {
          #expect(ended >= before + 2 + index)
        }
      }
    }

    @Test("let go of what they made without the lock, the last one too")
    func released() throws {
      final class Made: Sendable {
        let dispatcher: UVDispatcher
        let released: Box<Int>

        init(_ dispatcher: UVDispatcher, _ released: Box<Int>) {
          self.dispatcher = dispatcher
          self.released = released
        }

        // Takes the lock of the dispatcher.
        deinit { if dispatcher.ledger.running >= 0 { released.change { $0 += 1 } } }
      }
      let released = Box(0)
      for queue in queues {
        let gate = Latch()
        queue { gate.hold(patience) }
        for _ in 0..<3 { queue.submit { [dispatcher] in Made(dispatcher, released) } }
        gate.open()
        dispatcher.runUntilIdle()
      }
      #expect(released.value == 9)
    }

    @Test("are reported by a shutdown in the order in which their queue got them")
    func reported() async throws {
      let queue = dispatcher.makeQueue(label: "held", width: 1)
      queue.suspend()
      queue.async(label: "1") {}
      queue.async(priority: .high, label: "2") {}
      queue.async(label: "3") {}
      queue.barrier.async(label: "4") {}
      queue.async(label: "5") {}
      queue.async(label: "6") {}
      try dispatcher.start()

      let report = await dispatcher.shutdown(ShutdownPolicy(drain: .zero, cancel: .seconds(3600)))

      #expect(report.unfinished.map(\.label) == ["1", "2", "3", "4", "5", "6"])
    }

    /// The running-task context of the first task goes on with the next task of the batch. A thread that waits
    /// for the first must not be taken for one that waits for the next.
    @Test("are not taken for each other by the threads that wait for one of them")
    func awaited() throws {
      let dispatcher = try UVDispatcher(.init(backgroundWidth: 2))
      for _ in 0..<200 {
        let first = dispatcher.background.submit {}
        let waiter = dispatcher.background.submit { try first.wait() }
        let second = dispatcher.background.submit { try waiter.wait() }
        try second.wait()
      }
    }
  }
}
