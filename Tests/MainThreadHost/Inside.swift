import Dispatch
import Glibc
import Synchronization
import TestSupport
import UVDispatch

/// Code of the main actor is on the foreground, in a task of it.
@MainActor func foreground() throws {
  let dispatcher = try UVDispatcher()
  let view = dispatcher.makeQueue(label: "view", width: 1)
  let ran = Counter()
  Task { @MainActor in
    expect(dispatcher.isForeground, "the main actor is not on the foreground")
    expect(!dispatcher.background.isCurrent, "it is on the background as well")
    expect(waitsForItself(dispatcher.foreground), "the loop waited for itself")
    await hop(to: view) { ran.increment() }
    expect(dispatcher.isForeground, "not on the foreground after an await")
    dispatcher.foreground.onMain {
      ran.increment()
      dispatcher.beginShutdown()
    }
  }

  let report = dispatcher.run()

  expect(ran.value == 2, "\(ran.value) of 2 ran")
  expect(report.ledger.balances, "\(report)")
}

private func waitsForItself(_ queue: TaskQueue) -> Bool {
  do {
    try queue.sync {}
    return false
  } catch {
    return true
  }
}

private func hop(to queue: TaskQueue, _ body: @escaping @Sendable () -> Void) async {
  do { try await queue.run { body() } } catch { fatalError("a run was refused: \(error)") }
}

/// The forms of Swift's concurrency, on the main actor and on an actor of the loop.
@MainActor func language() throws {
  let dispatcher = try UVDispatcher()
  let count = Counter()
  let home = Home(on: dispatcher.foreground)
  Task { @MainActor in
    async let one = home.add(1)
    async let two = home.add(2)
    let sums = await [one, two]
    expect(sums.max() == 3, "\(sums)")
    // The test looks whether a sleep of the standard library's clock comes back to this thread.
    let clock: any Clock<Duration> = ContinuousClock()
    try? await clock.sleep(for: .milliseconds(1))
    try? await dispatcher.clock.sleep(for: .milliseconds(1))
    for _ in 0..<10 { await Task.yield() }
    await withTaskGroup { group in
      for _ in 0..<10 {
        group.addTask { @MainActor in
          requireMainThread()
          count.increment()
        }
        group.addTask { await home.count(in: count) }
      }
    }
    requireMainThread()
    dispatcher.beginShutdown()
  }

  dispatcher.run()

  expect(count.value == 20, "\(count.value) of 20 ran")
}

private actor Home {
  private let queue: TaskQueue
  private var sum = 0
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.unownedExecutor }

  init(on queue: TaskQueue) { self.queue = queue }

  func add(_ number: Int) async -> Int {
    requireMainThread()
    await Task.yield()
    sum += number
    return sum
  }

  func count(in counter: Counter) {
    requireMainThread()
    counter.increment()
  }
}

/// Dispatch's own timers, which come through the main queue.
@MainActor func timers() throws {
  let dispatcher = try UVDispatcher()
  let ticks = Counter()
  let source = DispatchSource.makeTimerSource(queue: .main)
  source.schedule(deadline: .now(), repeating: .milliseconds(1))
  source.setEventHandler {
    ticks.increment()
    if ticks.value == 3 {
      DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(1)) {
        dispatcher.beginShutdown()
      }
    }
  }
  source.activate()

  dispatcher.run()

  source.cancel()
  expect(ticks.value >= 3, "\(ticks.value) ticks")
}

/// A loop that runs inside a block of the main queue serves nothing there, and no block that waits is lost.
@MainActor func insideOfABlock() throws {
  let (outer, inner) = (try UVDispatcher(), try UVDispatcher())
  let (ran, runsEarly) = (Counter(), Flag())
  DispatchQueue.main.async {
    DispatchQueue.main.async { ran.increment() }
    inner.foreground.after(.milliseconds(5)) { inner.beginShutdown() }
    inner.run()
    if ran.value > 0 { runsEarly.raise() }
    DispatchQueue.main.async { outer.beginShutdown() }
  }

  outer.run()

  expect(!runsEarly.isRaised, "a block ran inside another")
  expect(ran.value == 1, "\(ran.value) of 1 ran")
}

/// A block may come while a loop runs inside another block. That loop cannot run it; it runs when the outer
/// block has ended.
@MainActor func wokenInsideOfABlock() throws {
  let (outer, inner) = (try UVDispatcher(), try UVDispatcher())
  DispatchQueue.main.async {
    inner.foreground.after(.milliseconds(1)) {
      DispatchQueue.main.async { outer.beginShutdown() }
      inner.foreground.after(.milliseconds(5)) { inner.beginShutdown() }
    }
    inner.run()
  }

  outer.run()
}

/// A loop inside a block does not wait for a task that awaits its end on the main actor. That task could go on
/// only when the block has ended.
@MainActor func awaitedInsideOfABlock() throws {
  let (outer, inner) = (try UVDispatcher(), try UVDispatcher())
  let order = Order()
  Task { @MainActor in
    _ = await inner.waitForReport()
    order.add("awaiter")
    outer.beginShutdown()
  }
  outer.foreground {
    DispatchQueue.main.async {
      inner.foreground { inner.beginShutdown() }
      inner.run()
      order.add("run")
    }
  }

  outer.run()

  expect(order.all == ["run", "awaiter"], "\(order.all)")
}

@MainActor private final class Order {
  private(set) var all: [String] = []

  func add(_ step: String) { all.append(step) }
}

/// If a block holds the thread, the report of the stall names the main queue.
@MainActor func stall() throws {
  let notes = Stalls()
  let dispatcher = try UVDispatcher(
    .init(stallThresholds: .init(.milliseconds(5)), observer: notes))
  DispatchQueue.main.async {
    _ = notes.isToldOf.wait(timeout: .now() + 20)
    dispatcher.beginShutdown()
  }

  dispatcher.run()

  let names = notes.names.withLock { $0 }
  expect(names.first == "DispatchQueue.main", "told of \(names)")
}

private final class Stalls: TaskObserver {
  let isToldOf = DispatchSemaphore(value: 0)
  let names = Mutex([String]())

  func observe(_ event: TaskEvent) {
    guard case .stalled = event.kind else { return }
    names.withLock { $0.append(event.task.name) }
    isToldOf.signal()
  }
}

/// A body runs the loop of another dispatcher on the main thread. A thread of the pool waits for that body, so
/// the other dispatcher has to get the thread that is left.
@MainActor func anotherLoop() throws {
  unsafe setenv("UV_THREADPOOL_SIZE", "2", 1)
  let (first, second) = (try UVDispatcher(), try UVDispatcher())
  let ran = Counter()
  first.background {
    let body = first.foreground.submit {
      second.background { ran.increment() }
      second.runUntilIdle()
    }
    _ = try? body.wait()
    first.beginShutdown()
  }

  first.run()

  expect(ran.value == 1, "\(ran.value) of 1 ran")
}
