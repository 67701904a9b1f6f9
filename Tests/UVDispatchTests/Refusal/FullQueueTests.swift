import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing
import UVDispatch

extension OnePool {
  @Suite("A full queue")
  struct FullQueueTests {
    @Test("that lets callers wait loses and refuses none of eight threads, and stays in its limit")
    func blockedCallers() throws {
      let dispatcher = try UVDispatcher(.init(overflow: .blockCaller(limit: 2, timeout: nil)))
      let view = dispatcher.makeQueue(label: "narrow", width: 1)
      let ran = Box(0)
      let refused = Box(0)
      let most = Box(0)

      let ended = race(
        (0..<8).map { _ in
          {
            for _ in 0..<250 {
              if !view({ ran.increment() }).isAccepted { refused.increment() }
              let waiting = dispatcher.ledger.waiting
              most.change { $0 = max($0, waiting) }
            }
          }
        })
      dispatcher.runUntilIdle()

      #expect(ended)
      #expect(refused.value == 0)
      #expect(ran.value == 2_000)
      #expect(most.value <= 2)
      #expect(dispatcher.ledger.balances)
    }

    @Test("that rejects tells each of eight threads the truth")
    func rejected() throws {
      let dispatcher = try UVDispatcher(
        .init(backgroundWidth: 1, overflow: .reject(limit: 3)))
      let ran = Box(0)
      let accepted = Box(0)
      let refused = Box(0)

      let ended = race(
        (0..<8).map { _ in
          {
            for _ in 0..<500 {
              switch dispatcher.background({ ran.increment() }) {
              case .accepted: accepted.increment()
              case .refused(.limitReached): refused.increment()
              case .refused(let other): Issue.record("refused: \(other)")
              }
            }
          }
        })
      dispatcher.runUntilIdle()

      #expect(ended)
      #expect(ran.value == accepted.value)
      #expect(accepted.value + refused.value == 4_000)
      #expect(dispatcher.ledger.accepted == accepted.value)
      #expect(dispatcher.ledger.refused == refused.value)
    }

    @Test("of the foreground lets a thread wait until the loop has made room")
    func foreground() throws {
      let dispatcher = try UVDispatcher(.init(overflow: .blockCaller(limit: 1, timeout: nil)))
      let order = Box([Int]())
      dispatcher.foreground { order.change { $0.append(0) } }
      let poster = OtherThread {
        for number in 1...100 {
          dispatcher.foreground { order.change { $0.append(number) } }
        }
        dispatcher.beginShutdown()
      }

      let report = dispatcher.run()

      #expect(poster.join())
      #expect(order.value == Array(0...100))
      #expect(report.ledger.refused == 0)
    }

    @Test("of the foreground refuses the loop itself, for which no other thread makes room")
    func loopItself() throws {
      let dispatcher = try UVDispatcher(.init(overflow: .blockCaller(limit: 1, timeout: nil)))
      let admissions = Box([Admission]())
      dispatcher.foreground {
        for _ in 0..<3 {
          let admission = dispatcher.foreground {}
          admissions.change { $0.append(admission) }
        }
      }

      dispatcher.runUntilIdle()

      #expect(
        admissions.value == [.accepted, .refused(.wouldDeadlock), .refused(.wouldDeadlock)])
    }

    /// What gets the room of a task that is cancelled: a thread that waits for room, or an item that may wait without.
    @Test("gives the room of a cancelled task to what waits for room", arguments: [false, true])
    func cancelled(isItem: Bool) throws {
      let dispatcher = try UVDispatcher(.init(overflow: .blockCaller(limit: 1, timeout: nil)))
      let view = dispatcher.makeQueue(label: "full", width: 1)
      let ran = Latch()
      view.suspend()
      let first = view.submit { Issue.record("it was cancelled") }
      var caller: OtherThread?
      if isItem {
        let item = WorkItem.make(
          kind: .task, queue: view, label: nil, site: CallSite(fileID: #fileID, line: #line)
        ) { ran.open() }
        dispatcher.submitWhenRoom(item)
      } else {
        caller = OtherThread { view { ran.open() } }
        dispatcher.waitUntilBlocked()
      }

      #expect(first.cancel() == .beforeStart)
      // The view is suspended: only the cancellation can have made room.
      #expect(caller?.join() != false)
      view.resume()

      #expect(ran.wait(patience))
      dispatcher.runUntilIdle()
      #expect(dispatcher.ledger.balances)
    }
  }
}
