import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("A dispatcher that is let go of without a shutdown")
  struct DroppedTests {
    @Test("releases itself, and what waits on the foreground")
    func queuedForeground() throws {
      let released = Latch(20)
      let gone = Latch()
      let group = WorkGroup()
      try {
        let dispatcher = try UVDispatcher(.init(observer: Mark(gone)))
        for _ in 0..<10 { dispatcher.foreground(body(releasing: released)) }
        for _ in 0..<10 { dispatcher.foreground.async(group: group, body(releasing: released)) }
      }()

      #expect(released.wait(patience))
      #expect(gone.wait(patience))
      #expect(group.count == 0)
    }

    @Test("lets go on what waits for a group of it")
    func groupGoesOn() async throws {
      let group = WorkGroup()
      let task: Task<Void, Never>
      do {
        let dispatcher = try UVDispatcher()
        dispatcher.foreground.async(group: group) {}
        task = Task.immediate { await group.wait() }
      }
      await task.value
      #expect(group.count == 0)
    }

    @Test(
      "lets go on a thread that waits in another one for a group of it", arguments: [false, true])
    func threadGoesOn(isFake: Bool) throws {
      let group = WorkGroup()
      let other = try UVDispatcher()
      let thread: OtherThread
      do {
        let dispatcher: any TaskDispatcher = isFake ? RecordingDispatcher() : try UVDispatcher()
        dispatcher.foreground.async(group: group) {}
        _ = try other.background.submit(group: group) {}.wait()
        thread = OtherThread { try? group.wait() }
        other.waitUntilBlocked()
      }
      #expect(thread.join())
      #expect(group.count == 0)
    }

    /// Notes the thread on which it is destroyed.
    private final class Held: TaskObserver {
      private let released: Latch
      private let seen: Box<UInt?>

      init(_ released: Latch, _ seen: Box<UInt?>) {
        (self.released, self.seen) = (released, seen)
      }

      deinit {
        seen.value = CurrentThread.id
        released.open()
      }

      func observe(_ event: TaskEvent) {}
    }

    @Test(
      "releases what it held on no thread of the pool, if a run there was the last that held it",
      arguments: ["a task", "a handler", "the observer"])
    func lastHeldByARun(what: String) throws {
      let (released, seen, worker, gate) = (Latch(), Box<UInt?>(nil), Box<UInt?>(nil), Latch())
      let begun = Latch()
      try {
        let held = Held(released, seen)
        let isObserver = what == "the observer"
        let dispatcher = try UVDispatcher(.init(observer: isObserver ? held : nil))
        let view = dispatcher.makeQueue(label: "held", width: 1)
        view.suspend()
        if what == "a task" { view { withExtendedLifetime(held) {} } }
        if what == "a handler" {
          try dispatcher.onSignal(.user1) { _ in withExtendedLifetime(held) {} }
        }
        dispatcher.background {
          worker.value = CurrentThread.id
          begun.open()
          gate.hold(patience)
        }
        #expect(begun.wait(patience))
      }()

      gate.open()

      #expect(released.wait(patience))
      #expect(seen.value != worker.value)
    }

    @Test("releases what it held where a body lets go of it, also after other runs of that thread")
    func releasedInABody() throws {
      let (dispatcher, released, wasThere) = (try UVDispatcher(), Latch(8), Box(0))
      for _ in 0..<8 {
        let handle = dispatcher.background.submit {
          let before = released.missing
          try {
            let other = try UVDispatcher()
            other.foreground(body(releasing: released))
          }()
          if released.missing == before - 1 { wasThere.increment() }
        }
        #expect(try handle.wait() == .completed)
        dispatcher.waitUntil { $0.workers.searching == 0 && $0.running.isEmpty }
      }
      #expect(wasThere.value == 8)
    }

    @Test("releases timers and repeating timers")
    func timers() throws {
      let released = Latch(20)
      let gone = Latch()
      try {
        let dispatcher = try UVDispatcher(.init(observer: Mark(gone)))
        for _ in 0..<10 {
          dispatcher.foreground.after(.seconds(3600), body(releasing: released))
          dispatcher.background.every(.seconds(3600), body(releasing: released))
        }
      }()

      #expect(released.wait(patience))
      #expect(gone.wait(patience))
    }

    @Test("releases what stands in suspended views, behind barriers and held groups")
    func heldWork() throws {
      let released = Latch(40)
      let gone = Latch()
      let group = WorkGroup()
      group.enter()
      try {
        let dispatcher = try UVDispatcher(.init(observer: Mark(gone)))
        let view = dispatcher.makeQueue(label: "held", width: 2)
        view.suspend()
        for _ in 0..<10 {
          view(body(releasing: released))
          view.barrier(body(releasing: released))
          view.async(priority: .high, label: "item", body(releasing: released))
          group.notify(on: view, body(releasing: released))
        }
      }()

      #expect(released.wait(patience))
      #expect(gone.wait(patience))
      // The notifications went with their dispatcher, so this call must reach nothing that is gone.
      group.leave()
    }

    @Test("lives until its worker run has ended, and runs what is queued behind it")
    func runningLease() throws {
      let (started, gate) = (Latch(), Latch())
      let gone = Latch()
      let released = Latch(51)
      let ran = Latch(50)
      try {
        let dispatcher = try UVDispatcher(.init(backgroundWidth: 1, observer: Mark(gone)))
        dispatcher.background(
          body(releasing: released) {
            started.open()
            gate.hold(patience)
          })
        for _ in 0..<50 { dispatcher.background(body(releasing: released) { ran.open() }) }
      }()
      #expect(started.wait(patience))
      #expect(!gone.isOpen)

      gate.open()

      #expect(gone.wait(patience))
      #expect(ran.isOpen)
      #expect(released.wait(patience))
    }

    @Test("lives until the pool has a thread for it, and runs what is queued")
    func short() throws {
      let other = try UVDispatcher()
      let most = other.effectivePoolThreads - 1
      let (started, gate) = (Latch(most), Latch())
      for _ in 0..<most {
        other.background {
          started.open()
          gate.hold(patience)
        }
      }
      #expect(started.wait(patience))
      let (ran, released) = (Latch(50), Latch(50))
      try {
        let dispatcher = try UVDispatcher()
        for _ in 0..<50 { dispatcher.background(body(releasing: released) { ran.open() }) }
      }()
      #expect(PoolShares.ofProcess.isAwaited)

      gate.open()

      #expect(ran.wait(patience))
      #expect(released.wait(patience))
    }

    @Test("lives as long as a Task that prefers one of its queues, which stays on that")
    func keptByTask() async throws {
      let gone = Latch()
      let (meter, astray) = (Meter(), Box(0))
      try await { () async throws in
        let tasks = try {
          let dispatcher = try UVDispatcher(.init(observer: Mark(gone)))
          let view = dispatcher.makeQueue(label: "view", width: 1)
          return [view, dispatcher.background].map { queue in
            let identity = queue.identity
            return Task(executorPreference: queue.executor) {
              await withTaskGroup { group in
                for _ in 0..<8 {
                  group.addTask {
                    for _ in 0..<150 {
                      let step = { if !TaskContext.isRunning(identity) { astray.increment() } }
                      if identity.view == nil { step() } else { meter.count(step) }
                      await Task.yield()
                    }
                  }
                }
              }
            }
          }
        }()
        #expect(!gone.isOpen)
        for task in tasks { await task.value }
      }()

      #expect(astray.value == 0)
      #expect(meter.most == 1)
      #expect(await onOtherThread { gone.wait(patience) })
    }

    @Test("tells the awaiters of what it was to run")
    func awaiters() async throws {
      let outcome = Box<Outcome?>(nil)
      let known = Latch()
      try {
        let dispatcher = try UVDispatcher()
        let item = WorkItem.make(
          kind: .task, queue: dispatcher.foreground, label: nil,
          site: CallSite(fileID: #fileID, line: #line)
        ) {}
        item.whenFinished {
          outcome.value = $0
          known.open()
        }
        _ = dispatcher.submit(item)
      }()

      #expect(known.isOpen)
      #expect(outcome.value == .cancelled)
    }

    /// Waits for `went` when it is destroyed.
    private final class Waiting: TaskObserver {
      private let went: Latch

      init(for went: Latch) { self.went = went }

      deinit { #expect(went.wait(patience)) }

      func observe(_ event: TaskEvent) {}
    }

    @Test(
      "lets go on what waits for its tasks before it releases its handlers and its observer",
      arguments: [false, true])
    func waitersFirst(isObserver: Bool) throws {
      let went = Latch()
      let group = WorkGroup()
      let other = try UVDispatcher()
      try {
        let waiter = Waiting(for: went)
        let dispatcher = try UVDispatcher(.init(observer: isObserver ? waiter : nil))
        dispatcher.foreground.async(group: group) {}
        group.notify(on: other.background) { went.open() }
        if !isObserver {
          try dispatcher.onSignal(.user1) { _ in withExtendedLifetime(waiter) {} }
        }
      }()
      #expect(went.wait(patience))
    }

    @Test("after its loop has stood still again, and had views, executors and clocks")
    func usedBefore() throws {
      let gone = Latch()
      let released = Latch(3)
      try {
        let dispatcher = try UVDispatcher(.init(observer: Mark(gone)))
        let view = dispatcher.makeQueue(label: "view", width: 1)
        let resident = Resident(on: view)
        Task(executorPreference: dispatcher.background.executor) { await resident.enter() }
        Task(executorPreference: dispatcher.foreground.executor) {
          try? await dispatcher.clock.sleep(for: .nanoseconds(1))
        }
        view(body(releasing: released))
        dispatcher.foreground(body(releasing: released))
        dispatcher.runUntilIdle()
        dispatcher.foreground(body(releasing: released))
      }()

      #expect(gone.wait(patience))
      #expect(released.wait(patience))
    }

    @Test("in its own background body is released there, or soon after, and not twice")
    func lastHeldByBody() throws {
      for _ in 0..<100 {
        let gone = Latch()
        try {
          let dispatcher = try UVDispatcher(.init(observer: Mark(gone)))
          dispatcher.background { withExtendedLifetime(dispatcher) {} }
        }()
        #expect(gone.wait(patience))
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

/// The result of `body`, or nil if `body` takes longer than `limit`. Only a broken dispatcher makes it take
/// that long.
private func firstOf<Value: Sendable>(
  _ body: @escaping @Sendable () async -> Value, orAfter limit: Duration
) async -> Value? {
  let result = Box<Value?>(nil)
  let known = Latch()
  Task {
    let value = await body()
    result.value = value
    known.open()
  }
  await onOtherThread { _ = known.wait(limit) }
  return result.value
}
