import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  /// Each test fills a queue, lets it run, and counts how many more it takes: as many as the limit says, not one more or
  /// less.
  @Suite("The room of a queue with a limit")
  struct RoomTests {
    /// A way to submit a task, by the way in which it starts.
    enum Kind: Character, CaseIterable {
      case plain = "p"
      case item = "i"
      case handle = "h"
      case timeToLive = "t"
      case barrier = "b"
      case urgent = "u"
      case cancelled = "c"

      func submit(to queue: TaskQueue) -> Admission {
        switch self {
        case .plain: return queue {}
        case .item: return queue.async(label: "item") {}
        case .timeToLive: return queue.async(timeToLive: .seconds(3600)) {}
        case .barrier: return queue.barrier {}
        case .urgent: return queue.async(priority: .high) {}
        case .handle, .cancelled:
          let handle = queue.submit {}
          if case .refused(let refusal) = handle.outcomeIfFinished { return .refused(refusal) }
          if self == .cancelled { handle.cancel() }
          return .accepted
        }
      }
    }

    static let sequences = [
      "p", "i", "pp", "pi", "ip", "ii", "ppp", "hih", "iip", "tp", "pt", "tt", "up", "piu", "c",
      "pc", "cip",
    ]

    @Test("is that of before once all has run, whatever ran", arguments: sequences)
    func restored(kinds: String) throws {
      let dispatcher = try UVDispatcher(.init(overflow: .reject(limit: 3)))
      let view = dispatcher.makeQueue(label: "view", width: 1)
      for queue in [dispatcher.foreground, view] {
        if queue.view != nil { queue.suspend() }
        let kinds = kinds + (queue.view == nil ? "" : "b")
        for kind in kinds.prefix(3) {
          #expect(Kind(rawValue: kind)!.submit(to: queue) == .accepted)
        }
        if queue.view != nil { queue.resume() }

        dispatcher.runUntilIdle()

        #expect(dispatcher.room(of: queue) == 3, "\(queue)")
      }
    }

    @Test("of the background is that of before, whatever ran", arguments: sequences)
    func ofTheBackground(kinds: String) throws {
      let dispatcher = try UVDispatcher(.init(backgroundWidth: 1, overflow: .reject(limit: 3)))
      let gate = Latch()
      dispatcher.background { gate.hold(patience) }
      dispatcher.waitUntil { $0.busyWorkers == 1 }
      for kind in kinds {
        #expect(Kind(rawValue: kind)!.submit(to: dispatcher.background) == .accepted)
      }
      gate.open()

      dispatcher.runUntilIdle()

      #expect(dispatcher.room(of: dispatcher.background) == 3)
    }

    @Test("is not changed by replies, named or not, nor by one that a flush has to name")
    func replies() throws {
      let dispatcher = try UVDispatcher(.init(overflow: .reject(limit: 2)))
      let ran = Box(0)
      for label in [nil, "named", nil] as [String?] {
        dispatcher.background.async(label: label) {
        } then: { _ in
          ran.increment()
        }
        dispatcher.waitUntil {
          $0.drainAll()
          return $0.accounts.ledger.waiting == 1 && $0.running.isEmpty
        }
        if ran.value == 2 { dispatcher.engine.withCore { $0.materialisePlainTasks() } }
        dispatcher.runUntilIdle()
      }
      dispatcher.background {}
      dispatcher.runUntilIdle()

      #expect(ran.value == 3)
      #expect(dispatcher.room(of: dispatcher.foreground) == 2)
      #expect(dispatcher.room(of: dispatcher.background) == 2)
    }

    @Test("goes to the blocked thread that waits for it, and to no other", arguments: 1...2)
    func blocked(rounds: Int) throws {
      let dispatcher = try UVDispatcher()
      let (queue, other) = (dispatcher.blockingQueue(), dispatcher.blockingQueue())
      for round in 1...rounds {
        for view in [queue, other] { view.suspend() }
        queue {}
        other {}
        let caller = OtherThread { #expect(queue {} == .accepted) }
        dispatcher.waitUntil { $0.threadsWithoutRoom == 1 }

        other.resume()
        dispatcher.runUntilIdle()

        #expect(dispatcher.engine.withCore { $0.threadsWithoutRoom } == 1, "round \(round)")
        queue.resume()
        #expect(caller.join())
        dispatcher.runUntilIdle()
        #expect(dispatcher.engine.withCore { $0.threadsWithoutRoom == 0 })
      }
      #expect(dispatcher.room(of: queue) == 1)
      #expect(dispatcher.room(of: other) == 1)
    }

    @Test("goes to what has waited for it the longest, whether a thread or a Task waits")
    func inOrder() throws {
      let dispatcher = try UVDispatcher(.init(backgroundWidth: 1))
      let queue = dispatcher.blockingQueue()
      let order = Box<[String]>([])
      @Sendable func note(_ name: String) { order.change { $0.append(name) } }
      func item(_ name: String) -> WorkItem {
        WorkItem.make(kind: .task, queue: queue, label: nil, site: .here()) { note(name) }
      }
      queue.suspend()
      queue { note("first") }
      dispatcher.submitWhenRoom(item("second"))
      let caller = OtherThread { queue { note("third") } }
      dispatcher.waitUntil { $0.threadsWithoutRoom == 1 }
      for name in ["fourth", "fifth"] { dispatcher.submitWhenRoom(item(name)) }
      let cancelled = item("cancelled")
      dispatcher.submitWhenRoom(cancelled)
      dispatcher.submitWhenRoom(item("sixth"))
      #expect(dispatcher.cancel(cancelled) == .beforeStart)

      queue.resume()
      #expect(caller.join())
      dispatcher.runUntilIdle()

      #expect(order.value == ["first", "second", "third", "fourth", "fifth", "sixth"])
      #expect(dispatcher.room(of: queue) == 1)
    }

    /// Between the moment in which a thread gets room and the one in which it uses it, the queue is empty.
    @Test("that another thread has got, and has not used yet, is no deadlock")
    func givenAndNotUsed() throws {
      let dispatcher = try UVDispatcher(.init(backgroundWidth: 3))
      let queue = dispatcher.makeQueue(
        QueueOptions(label: "wide", width: 3, overflow: .blockCaller(limit: 1, timeout: nil)))
      let refused = Box(0)
      for _ in 0..<2 {
        queue {
          for _ in 0..<500 where queue({}) != .accepted { refused.increment() }
        }
      }

      dispatcher.runUntilIdle()

      #expect(refused.value == 0)
    }

    @Test(
      "of a queue is found and left at once, however many wait elsewhere", arguments: [10, 10_000])
    func elsewhere(count: Int) throws {
      let dispatcher = try UVDispatcher(.init(overflow: .reject(limit: 1)))
      let crowded = dispatcher.makeQueue(label: "crowded", width: 1)
      crowded.suspend()
      crowded {}
      let items = (0..<count).map { _ in
        WorkItem.make(kind: .task, queue: crowded, label: nil, site: .here()) {}
      }
      for item in items { dispatcher.submitWhenRoom(item) }
      dispatcher.foreground {}
      dispatcher.runUntilIdle()
      let isCut = dispatcher.engine.withCore { core in
        core.doors.flow(of: .foreground, nil)!.departures.isMarked
      }

      #expect(!isCut)
      for item in items { #expect(dispatcher.cancel(item) == .beforeStart) }
      #expect(dispatcher.engine.withCore { $0.standby.all.isEmpty })
      crowded.resume()
      dispatcher.runUntilIdle()
      #expect(dispatcher.room(of: crowded) == 1)
    }

    @Test("is awaited no more once a time-out has passed")
    func inVain() throws {
      let dispatcher = try UVDispatcher()
      let queue = dispatcher.makeQueue(
        QueueOptions(
          label: "brief", overflow: .blockCaller(limit: 1, timeout: .milliseconds(1))))
      queue.suspend()
      queue {}

      #expect(queue {} == .refused(.noRoomInTime))

      #expect(dispatcher.engine.withCore { $0.threadsWithoutRoom == 0 })
      queue.resume()
      dispatcher.runUntilIdle()
      #expect(dispatcher.room(of: queue) == 1)
    }

    /// The loop's thread is in a body all the while, so that the dispatcher never stands still.
    @Test("that a barrier gets is a deadlock for the body that waits for room behind it, at once")
    func behindABarrier() throws {
      let dispatcher = try UVDispatcher()
      try dispatcher.start()
      let queue = dispatcher.makeQueue(
        QueueOptions(label: "wide", width: 2, overflow: .blockCaller(limit: 1, timeout: nil)))
      let (isHeld, ends, answered) = (Latch(3), Latch(), Latch())
      let (firstGoesOn, secondEnds) = (Latch(), Latch())
      let answer = Box<Admission?>(nil)
      dispatcher.foreground {
        isHeld.open()
        ends.hold(patience)
      }
      queue {
        isHeld.open()
        firstGoesOn.hold(patience)
        answer.value = queue {}
        answered.open()
      }
      dispatcher.waitUntil { $0.busyWorkers == 1 }
      queue {
        isHeld.open()
        secondEnds.hold(patience)
      }
      #expect(isHeld.wait(patience))
      queue {}
      let other = OtherThread { #expect(queue.barrier {} == .accepted) }
      dispatcher.waitUntil { $0.threadsWithoutRoom == 1 }
      firstGoesOn.open()
      dispatcher.waitUntil { $0.threadsWithoutRoom == 2 }

      secondEnds.open()

      #expect(answered.wait(patience))
      #expect(answer.value == .refused(.wouldDeadlock))
      ends.open()
      #expect(other.join())
      dispatcher.end()
    }

    @Test("that a blocked thread has got is passed on if a shutdown refuses the thread")
    func refusedAfterAll() throws {
      let dispatcher = try UVDispatcher()
      let queue = dispatcher.blockingQueue()
      queue.suspend()
      let first = WorkItem.make(kind: .task, queue: queue, label: nil, site: .here()) {}
      dispatcher.submit(first)
      let caller = OtherThread { #expect(queue {} == .refused(.shutDown)) }
      dispatcher.waitUntil { $0.threadsWithoutRoom == 1 }

      // In one section of the lock, so that the thread comes after both.
      dispatcher.engine.withCore { core in
        _ = core.cancel(first)
        core.beginShutdown(ShutdownPolicy())
      }

      #expect(caller.join())
      #expect(dispatcher.room(of: queue) == 1)
      queue.resume()
      _ = dispatcher.run()
    }

    @Test(
      "is not what a submission is told of once a shutdown has begun", arguments: [true, false])
    func shutDown(onView: Bool) throws {
      let dispatcher = try UVDispatcher(.init(overflow: .reject(limit: 1)))
      let queue =
        onView ? dispatcher.makeQueue(label: "view", width: 1) : dispatcher.foreground
      if onView { queue.suspend() }
      queue {}
      #expect(queue {} == .refused(.limitReached))

      dispatcher.beginShutdown()

      #expect(queue {} == .refused(.shutDown))
      if onView { queue.resume() }
      #expect(dispatcher.run().ledger.refused == 2)
    }

    @Test("of a queue has a limit of at least one")
    func ofNothing() async {
      await #expect(processExitsWith: .failure) {
        _ = try UVDispatcher().makeQueue(
          QueueOptions(label: "nothing", overflow: .reject(limit: 0)))
      }
    }
  }
}

extension Core {
  /// How many threads are blocked until a queue has room.
  fileprivate var threadsWithoutRoom: Int {
    blocked.threads.count { thread in
      if case .room = thread.target { !thread.hasRoom } else { false }
    }
  }
}

extension UVDispatcher {
  fileprivate func blockingQueue() -> TaskQueue {
    makeQueue(QueueOptions(label: "blocking", overflow: .blockCaller(limit: 1, timeout: nil)))
  }

  /// How many more tasks the queue takes. It takes none after that.
  fileprivate func room(of queue: TaskQueue) -> Int {
    engine.withCore { core in
      var room = 0
      while room < 100, core.doors.takeCredit(for: queue.lane, queue.view as? UVView) { room += 1 }
      return room
    }
  }
}
