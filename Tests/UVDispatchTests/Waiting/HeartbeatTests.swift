import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("While a timer ticks")
  struct HeartbeatTests {
    private let dispatcher: UVDispatcher

    init() throws {
      dispatcher = try UVDispatcher(.init(backgroundWidth: 2))
      dispatcher.foreground.every(.milliseconds(1)) {}
      dispatcher.foreground.after(.seconds(3600)) {}
    }

    /// The refusals of two bodies that run beside each other and each call `wait`.
    private func cross(
      _ first: TaskQueue, _ second: TaskQueue,
      _ wait: @escaping @Sendable (_ mine: TaskQueue, _ other: TaskQueue) throws -> Void
    ) throws -> [WaitRefusal] {
      let both = Latch(2)
      let refusals = Locked<[WaitRefusal]>([])
      let ended = Latch(2)
      for (mine, other) in [(first, second), (second, first)] {
        mine {
          both.open()
          both.hold(patience)
          do { try wait(mine, other) } catch let refusal as WaitRefusal {
            refusals.withLock { $0.append(refusal) }
          } catch {}
          ended.open()
        }
      }
      try dispatcher.start()
      let inTime = ended.wait(patience)
      dispatcher.end()
      #expect(inTime)
      return refusals.withLock { $0 }
    }

    @Test("a circle of two serial views is refused, once, and the other goes on")
    func circleOfViews() throws {
      let views = (1...2).map { dispatcher.makeQueue(label: "view \($0)", width: 1) }

      let refusals = try cross(views[0], views[1]) { _, other in try other.sync {} }

      #expect(refusals.count == 1)
      guard case .wouldDeadlock(let chain)? = refusals.first else {
        Issue.record("\(refusals)")
        return
      }
      // The body that began to wait last is refused. The chain names it first, and then the other.
      #expect(Set(chain.map(\.waiterQueue)) == ["view 1", "view 2"])
      #expect(chain.count == 2)
      #expect(chain[0].waitsFor == "its turn on \(chain[1].waiterQueue ?? "")")
      #expect(chain[1].waitsFor == "its turn on \(chain[0].waiterQueue ?? "")")
    }

    @Test("a circle through barriers of views with room is refused")
    func circleOfBarriers() throws {
      let views = (1...2).map { dispatcher.makeQueue(label: "view \($0)", width: 2) }

      let refusals = try cross(views[0], views[1]) { _, other in try other.barrier.sync {} }

      #expect(refusals.count == 1)
      #expect(refusals.allSatisfy { $0.isDeadlock })
    }

    @Test("a circle of the loop and a view is refused")
    func circleWithTheLoop() throws {
      let view = dispatcher.makeQueue(label: "view", width: 1)

      let refusals = try cross(dispatcher.foreground, view) { _, other in try other.sync {} }

      #expect(refusals.count == 1)
      #expect(refusals.allSatisfy { $0.isDeadlock })
    }

    @Test(
      "two bodies that wait for each other's outcome are refused, also in a sync that began at once",
      arguments: [false, true])
    func circleOfHandles(inSync: Bool) throws {
      let handles = Box<[TaskHandle<Void>]>([])
      let refusals = Box(0)
      let ready = Latch()
      handles.value = (0...1).map { number in
        let view = dispatcher.makeQueue(label: "view", width: 1)
        return dispatcher.background.submit {
          ready.hold(patience)
          let other = handles.value[1 - number]
          func wait() {
            do { _ = try other.wait(timeout: nil) } catch { refusals.value += 1 }
          }
          if inSync { try view.sync { wait() } } else { wait() }
        }
      }
      ready.open()

      try dispatcher.start()
      let inTime = handles.value.map { $0.hasEnded(within: patience) }
      dispatcher.end()

      #expect(inTime == [true, true])
      #expect(refusals.value == 1)
    }

    @Test("a body that waits for one that goes on is not refused")
    func noCircle() throws {
      let first = dispatcher.makeQueue(label: "first", width: 1)
      let second = dispatcher.makeQueue(label: "second", width: 1)
      let (started, gate) = (Latch(), Latch())
      let result = Box<String?>(nil)
      let done = Latch()
      second {
        started.open()
        gate.hold(patience)
      }
      #expect(started.wait(patience))
      first {
        // A timer opens the gate once this body waits, or a little later.
        dispatcher.foreground.after(.milliseconds(2)) { gate.open() }
        do {
          try second.sync { result.value = "ran" }
        } catch { result.value = "\(error)" }
        done.open()
      }

      try dispatcher.start()
      #expect(done.wait(patience))
      dispatcher.end()

      #expect(result.value == "ran")
    }
  }
}

extension WaitRefusal {
  fileprivate var isDeadlock: Bool { if case .wouldDeadlock = self { true } else { false } }
}

extension TaskHandle {
  /// Waits outside any body until the task has ended. False if it does not end in time.
  fileprivate func hasEnded(within patience: Duration) -> Bool {
    (try? wait(timeout: patience)) != nil
  }
}
