import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("A snapshot")
  struct SnapshotTests {
    private static func queue(
      _ label: String, of snapshot: DispatcherSnapshot
    ) throws -> DispatcherSnapshot.Queue {
      try #require(snapshot.queues.first { $0.label == label })
    }

    @Test("says what runs where, and what waits, whether it was only posted or stands in its queue")
    func contents() throws {
      let dispatcher = try UVDispatcher(.init(label: "spoold", backgroundWidth: 2))
      let queue = dispatcher.makeQueue(
        QueueOptions(label: "thumbnails", width: 1, overflow: .reject(limit: 3)))
      let (isRunning, gate) = (Latch(2), Latch())
      let thread = Box(0)
      let line = #line + 1
      queue.async(label: "stuck") {
        thread.value = Int(TaskContext.callingThread.number)
        isRunning.open()
        gate.hold(patience)
      }
      dispatcher.background {
        isRunning.open()
        gate.hold(patience)
      }
      #expect(isRunning.wait(patience))
      let admissions = (0..<5).map { _ in queue {} }
      for _ in 0..<4 { dispatcher.foreground {} }
      let first = dispatcher.snapshot()
      // Drains everything.
      _ = dispatcher.ledger
      let second = dispatcher.snapshot()

      #expect(admissions.count { $0 == .accepted } == 3)
      for snapshot in [first, second] {
        #expect(snapshot.label == "spoold" && snapshot.phase == .open)
        #expect(snapshot.ledger == dispatcher.ledger && snapshot.ledger.balances)
        #expect(snapshot.queues.map(\.label) == ["foreground", "background", "thumbnails"])
        let thumbnails = try Self.queue("thumbnails", of: snapshot)
        #expect(thumbnails.width == 1 && thumbnails.limit == 3 && thumbnails.lane == .background)
        #expect(thumbnails.waiting == 3 && thumbnails.running == 1)
        #expect(thumbnails.counts.refused == 2 && thumbnails.counts.completed == 0)
        let foreground = try Self.queue("foreground", of: snapshot)
        #expect(foreground.waiting == 4 && foreground.running == 0 && foreground.limit == nil)
        let background = try Self.queue("background", of: snapshot)
        #expect(background.waiting == 0 && background.running == 1)
        for queue in snapshot.queues { #expect((queue.oldestAge != nil) == (queue.waiting > 0)) }
        let stuck = try #require(snapshot.running.first { $0.label == "stuck" })
        #expect(stuck.site == "\(#fileID):\(line)" && stuck.queue == "thumbnails")
        #expect(stuck.thread?.id == thread.value && stuck.thread?.name == "spoold worker")
        #expect(snapshot.running.count == 2 && !stuck.isBlocked && !stuck.isAbandoned)
        let pool = try #require(snapshot.pool)
        #expect(pool.threads == dispatcher.effectivePoolThreads)
        #expect(pool.width == 2 && pool.used == 2)
      }
      gate.open()
      dispatcher.runUntilIdle()
      let last = dispatcher.snapshot()
      #expect(last.queues.allSatisfy { $0.waiting == 0 && $0.running == 0 && $0.oldestAge == nil })
      #expect(last.queues.map(\.counts.completed) == [4, 1, 4])
      #expect(last.running.isEmpty)
    }

    @Test("counts each outcome for the queue that it came about in", arguments: [false, true])
    func outcomes(isObserved: Bool) throws {
      let dispatcher = try UVDispatcher(.init(observer: isObserved ? Deaf() : nil))
      let queue = dispatcher.makeQueue(label: "view", width: 1)
      for queue in [dispatcher.foreground, dispatcher.background, queue] {
        queue {}
        queue.submit {}
        queue.submit { throw Failure() }
        if queue.lane == .background { try queue.sync {} }
      }
      dispatcher.runUntilIdle()
      queue.suspend()
      #expect(queue.submit {}.cancel() == .beforeStart)
      queue.async(timeToLive: .zero) {}
      queue.resume()
      dispatcher.runUntilIdle()

      let counts = dispatcher.snapshot().queues.map { "\($0.label): \($0.counts)" }
      #expect(
        counts == [
          "foreground: 2 completed, 1 failed", "background: 3 completed, 1 failed",
          "view: 3 completed, 1 failed, 1 cancelled, 1 expired",
        ])
      let ledger = dispatcher.ledger
      #expect(ledger.completed == 8 && ledger.failed == 3 && ledger.balances)
    }

    @Test("says what threads wait for, and the ten timers that come next")
    func waitsAndTimers() throws {
      let dispatcher = try UVDispatcher(.init(backgroundWidth: 2))
      let queue = dispatcher.makeQueue(label: "serial", width: 1)
      let (isRunning, gate) = (Latch(), Latch())
      queue.async(label: "holder") {
        isRunning.open()
        gate.hold(patience)
      }
      #expect(isRunning.wait(patience))
      let handle = dispatcher.background.submit(label: "waiter") { try queue.sync {} }
      dispatcher.waitUntilBlocked()
      let timers = (0..<12).map { number in
        dispatcher.foreground.after(
          .seconds(3600 + (number * 7) % 12), label: "\((number * 7) % 12)"
        ) {}
      }
      let every = dispatcher.background.every(.seconds(60), label: "minute") {}

      let snapshot = dispatcher.snapshot()
      #expect(
        snapshot.waits.map(\.description) == [
          "\"waiter\" on background waits for its turn on serial"
        ])
      #expect(snapshot.running.first { $0.label == "waiter" }?.isBlocked == true)
      #expect(snapshot.timerCount == 13)
      #expect(
        snapshot.timers.map(\.label) == ["minute"] + (0..<9).map { "\($0)" })
      #expect(snapshot.timers.map(\.repeats) == [true] + Array(repeating: false, count: 9))
      #expect(snapshot.timers.allSatisfy { $0.dueIn > 0 && $0.dueIn < 3700 })
      gate.open()
      try handle.wait()
      for timer in timers { timer.cancel() }
      every.cancel()
      dispatcher.runUntilIdle()
      #expect(dispatcher.snapshot().timerCount == 0)
    }

    @Test("names signals and descriptors")
    func handlers() throws {
      let dispatcher = try UVDispatcher()
      let pipe = Pipe()
      let signal = try dispatcher.onSignal(.user1, label: "reopen") { _ in }
      let ready = try dispatcher.onReady(pipe.readEnd, for: .readable) { _ in }
      let lines = dispatcher.snapshot().handlers.map(\.event)
      #expect(lines == ["SIGUSR1", "descriptor \(pipe.readEnd) (readable)"])
      #expect(dispatcher.snapshot().handlers[0].label == "reopen")
      signal.cancel()
      ready.cancel()
      #expect(dispatcher.snapshot().handlers.isEmpty)
    }

    #if DEBUG
      @Test("looks at no more if 200 000 tasks wait, in every queue and inbox")
      func manyWaiting() throws {
        let dispatcher = try UVDispatcher()
        let queue = dispatcher.makeQueue(label: "view", width: 1)
        queue.suspend()
        for number in 0..<50_000 {
          queue {}
          queue.async(priority: .low) {}
          dispatcher.foreground {}
          if number % 100 == 0 { dispatcher.foreground.after(.seconds(3600)) {} }
        }
        let before = dispatcher.engine.withCore { $0.looks(of: queue) }
        let first = dispatcher.snapshot()
        _ = dispatcher.ledger
        let drained = dispatcher.engine.withCore { $0.looks(of: queue) }
        let second = dispatcher.snapshot()
        let after = dispatcher.engine.withCore { $0.looks(of: queue) }

        #expect(first.queues.map(\.waiting) == [50_000, 0, 100_000])
        #expect(second.queues.map(\.waiting) == first.queues.map(\.waiting))
        #expect(first.timerCount == 500)
        #expect(after - drained <= 16, "it looked at \(after - drained) entries")
        #expect(drained - before < 60_000)
        queue.resume()
        dispatcher.beginShutdown(ShutdownPolicy(drain: .zero, cancel: .zero))
        dispatcher.run()
      }
    #endif

    @Test("may be taken anywhere: in bodies, callbacks, observers, and while other threads submit")
    func anywhere() throws {
      let taken = Box([DispatcherSnapshot]())
      let observer = Taking()
      let dispatcher = try UVDispatcher(.init(observer: observer))
      observer.dispatcher.value = dispatcher
      let take = { @Sendable [unowned dispatcher] in
        taken.change { $0.append(dispatcher.snapshot()) }
      }
      let queue = dispatcher.makeQueue(label: "view", width: 2)
      let group = WorkGroup()
      for _ in 0..<50 {
        dispatcher.foreground.async(group: group) { take() }
        queue.async(group: group) { take() }
        dispatcher.background.async {
          take()
        } then: { _ in
          take()
        }
      }
      group.whenEmpty { take() }
      dispatcher.runUntilIdle()

      #expect(taken.value.count == 201)
      #expect(taken.value.allSatisfy { $0.ledger.balances })
      observer.dispatcher.value = nil
    }

    @Test("is in the report of a shutdown that leaves something behind, and in no other")
    func report() throws {
      let clean = try UVDispatcher()
      clean.background {}
      clean.beginShutdown()
      #expect(clean.run().snapshot == nil)

      let dispatcher = try UVDispatcher(.init(label: "left"))
      let (isRunning, gate) = (Latch(), Latch())
      dispatcher.background.async(label: "stuck") {
        isRunning.open()
        gate.hold(patience)
      }
      #expect(isRunning.wait(patience))
      dispatcher.beginShutdown(ShutdownPolicy(drain: .zero, cancel: .zero))
      let snapshot = try #require(dispatcher.run().snapshot)
      gate.open()
      #expect(snapshot.phase == .over)
      #expect(snapshot.running.map(\.label) == ["stuck"])
      #expect(snapshot.running.first?.isAbandoned == true)
      #expect(snapshot.running.first?.thread?.name == "left worker")
    }

    @Test("says for how long a body runs, if stalls are watched for or there is an observer")
    func durations() throws {
      let told = Latch()
      let watched = try UVDispatcher(.init(stallThresholds: .init(.milliseconds(20))))
      try watched.watchStalls { _ in told.open() }
      let seen = try UVDispatcher(.init(observer: Deaf()))
      let gate = Latch()
      let isRunning = Latch()
      let handles = [watched, seen].map { dispatcher in
        dispatcher.background.submit {
          isRunning.open()
          gate.hold(patience)
        }
      }
      #expect(told.wait(patience) && isRunning.wait(patience))
      #expect(try #require(watched.snapshot().running.first?.duration) >= 0.02)
      seen.waitUntil { !$0.running.isEmpty }
      #expect(try #require(seen.snapshot().running.first?.duration) >= 0)
      gate.open()
      for handle in handles { try handle.wait() }
    }

    @Test("counts what was posted to a queue while all workers are busy")
    func busyWorkers() throws {
      let dispatcher = try UVDispatcher(.init(backgroundWidth: 1))
      let (isRunning, gate) = (Latch(), Latch())
      dispatcher.background {
        isRunning.open()
        gate.hold(patience)
      }
      #expect(isRunning.wait(patience))
      let queues = (0..<3).map { dispatcher.makeQueue(label: "\($0)", width: 1) }
      for (number, queue) in queues.enumerated() { for _ in 0...number { queue {} } }

      let snapshot = dispatcher.snapshot()
      #expect(snapshot.queues.map(\.waiting) == [0, 0, 1, 2, 3])
      #expect(snapshot.ledger.waiting == 6 && snapshot.ledger.balances)
      gate.open()
      dispatcher.runUntilIdle()
      #expect(dispatcher.snapshot().queues.map(\.counts.completed) == [0, 1, 1, 2, 3])
    }

    @Test("shows a thread that makes callbacks")
    func callbacks() throws {
      let dispatcher = try UVDispatcher()
      let (group, isTold, gate) = (WorkGroup(), Latch(), Latch())
      let memberGate = Latch()
      dispatcher.background.async(group: group) { memberGate.hold(patience) }
      group.whenEmpty {
        isTold.open()
        gate.hold(patience)
      }
      memberGate.open()
      #expect(isTold.wait(patience))
      let running = dispatcher.snapshot().running
      #expect(running.count == 1 && running[0].task == nil && running[0].queue == "background")
      #expect(running[0].thread?.name == "uv worker")
      gate.open()
      dispatcher.runUntilIdle()
      dispatcher.waitUntil { $0.running.telling.isEmpty }
      #expect(dispatcher.snapshot().running.isEmpty)
    }

    @Test("counts timers that are due as tasks that wait")
    func due() throws {
      let dispatcher = try UVDispatcher()
      let (isRunning, gate) = (Latch(), Latch())
      // Both come due in one iteration. While the first runs, the second waits.
      for _ in 0..<2 {
        dispatcher.foreground.after(.zero) {
          isRunning.open()
          gate.hold(patience)
        }
      }
      try dispatcher.start()
      #expect(isRunning.wait(patience))
      let foreground = try Self.queue("foreground", of: dispatcher.snapshot())
      #expect(foreground.waiting == 1 && foreground.running == 1)
      #expect(foreground.oldestAge != nil)
      gate.open()
      dispatcher.end()
    }

    @Test("counts what a shutdown has given up")
    func abandoned() throws {
      let dispatcher = try UVDispatcher()
      let queue = dispatcher.makeQueue(label: "view", width: 1)
      let (isRunning, gate) = (Latch(), Latch())
      queue {
        isRunning.open()
        gate.hold(patience)
      }
      #expect(isRunning.wait(patience))
      dispatcher.beginShutdown(ShutdownPolicy(drain: .zero, cancel: .zero))
      dispatcher.run()
      let counts = try Self.queue("view", of: dispatcher.snapshot()).counts
      gate.open()
      #expect(counts.abandoned == 1 && counts.completed == 0)
      dispatcher.waitUntil { $0.running.isEmpty }
      #expect(try Self.queue("view", of: dispatcher.snapshot()).counts == counts)
    }

    @Test("may be taken while a sleep waits for the distant past")
    func distantPast() throws {
      let dispatcher = try UVDispatcher()
      let sleeper = Task.detached {
        try? await dispatcher.clock.sleep(until: DispatcherInstant(nanoseconds: .min))
      }
      dispatcher.waitUntil { $0.timers.count == 1 }
      let timer = try #require(dispatcher.snapshot().timers.first)
      #expect(timer.dueIn < -9_000_000_000 && timer.description.hasPrefix("due: "))
      sleeper.cancel()
      dispatcher.runUntilIdle()
    }

    @Test("printed, a dispatcher says its label and its ledger in one line")
    func description() throws {
      let dispatcher = try UVDispatcher(.init(label: "spoold"))
      #expect("\(dispatcher)" == "UVDispatcher \"spoold\": \(dispatcher.ledger)")
    }

    private struct Failure: Error {}

    private struct Deaf: TaskObserver {
      func observe(_ event: TaskEvent) {}
    }

    private final class Taking: TaskObserver {
      let dispatcher = Box<UVDispatcher?>(nil)

      func observe(_ event: TaskEvent) {
        let snapshot = dispatcher.value?.snapshot()
        #expect(snapshot?.ledger.balances != false)
      }
    }
  }
}

#if DEBUG
  extension Core {
    /// How many entries of the foreground and of a view were looked at so far.
    fileprivate func looks(of queue: TaskQueue) -> Int {
      let pool = (queue.view as! UVView).pool
      return foreground.posted.looks + foreground.due.looks + pool.queue.ready.looks
    }
  }
#endif
