import Dispatch
import Glibc
import TestSupport
import UVDispatch

/// The loop runs what waits in the main queue when it begins.
@MainActor func waitingBefore() throws {
  let dispatcher = try UVDispatcher()
  let ran = Counter()
  DispatchQueue.main.async { ran.increment() }
  Task { @MainActor in
    ran.increment()
    dispatcher.beginShutdown()
  }

  dispatcher.run()

  expect(ran.value == 2, "\(ran.value) of 2 ran")
}

/// A task of the main actor that awaits the end goes on before `run()` returns.
@MainActor func awaiterOfTheEnd() throws {
  let dispatcher = try UVDispatcher()
  let goesOn = Counter()
  Task { @MainActor in
    let report = await dispatcher.shutdown()
    requireMainThread()
    if report.ledger.balances { goesOn.increment() }
  }

  dispatcher.run()

  expect(goesOn.value == 1, "it went on \(goesOn.value) times")
}

/// A loop that does not serve the main actor waits for no task there.
@MainActor func unservedAwaiter() throws {
  let dispatcher = try UVDispatcher()
  let goesOn = Counter()
  Task { @MainActor in
    _ = await dispatcher.shutdown()
    goesOn.increment()
  }
  try UVDispatcher().runUntilIdle()
  dispatcher.run(servesMainQueue: false)
  expect(goesOn.value == 0, "it ran although no thread served the main actor")
  // Swift takes the awaiting task to the main actor in its own time.
  let server = try UVDispatcher()
  server.foreground.every(.milliseconds(1)) { if goesOn.value > 0 { server.beginShutdown() } }
  server.run()
}

/// A job of an actor on the foreground may come after the report. No loop runs then, so the job runs on a
/// thread of its own. No block of the main queue runs beside it as a task of the foreground.
@MainActor func lateJobOfTheForeground() throws {
  let dispatcher = try UVDispatcher()
  let (resident, ran) = (Resident(on: dispatcher.foreground), Counter())
  dispatcher.beginShutdown(.init(drain: .zero, cancel: .zero))
  _ = try dispatcher.waitForReport()
  let ended = DispatchSemaphore(value: 0)
  Task.detached {
    await resident.stay()
    ended.signal()
  }
  resident.begun.wait()
  DispatchQueue.main.async {
    expect(!resident.isInside.isRaised, "a block runs beside a job of the foreground")
    ran.increment()
  }

  dispatcher.run()

  expect(ran.value == 0, "a block ran in a loop whose foreground was busy")
  resident.mayGo.signal()
  ended.wait()
  try UVDispatcher().runUntilIdle()
  expect(ran.value == 1, "the block ran \(ran.value) times")
}

/// A task awaits the end on the main actor, and a late job of the foreground holds it up: the loop waits for
/// that task. Prints the number of the loop's thread; the job ends when a line comes in.
@MainActor func awaiterBehindALateJob() throws {
  let dispatcher = try UVDispatcher()
  let (resident, goesOn) = (Resident(on: dispatcher.foreground), Counter())
  Task { @MainActor in
    _ = await dispatcher.shutdown(.init(drain: .zero, cancel: .zero))
    expect(!resident.isInside.isRaised, "it goes on beside a job of the foreground")
    goesOn.increment()
  }
  try UVDispatcher().runUntilIdle()
  _ = try dispatcher.waitForReport()
  Task.detached { await resident.stay() }
  resident.begun.wait()
  DispatchQueue.global().async {
    _ = readLine()
    resident.mayGo.signal()
  }
  print(thisThread)
  fflush(nil)

  dispatcher.run()

  expect(goesOn.value == 1, "it went on \(goesOn.value) times")
}

private actor Resident {
  private let queue: TaskQueue
  nonisolated let isInside = Flag()
  nonisolated let begun = DispatchSemaphore(value: 0)
  nonisolated let mayGo = DispatchSemaphore(value: 0)

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.unownedExecutor }

  init(on queue: TaskQueue) { self.queue = queue }

  func stay() {
    isInside.raise()
    begun.signal()
    mayGo.wait()
    isInside.lower()
  }
}

/// A block that the last task posts to the main queue runs before the report is made.
@MainActor func postedAtTheEnd() throws {
  for _ in 0..<100 {
    let dispatcher = try UVDispatcher()
    let order = Confined([String](), to: dispatcher.foreground)
    dispatcher.foreground {
      dispatcher.beginShutdown()
      DispatchQueue.main.async {
        order.withValue { $0.append("block") }
        // A body of this dispatcher makes this submission, so it is accepted while a shutdown drains.
        dispatcher.foreground { order.withValue { $0.append("post") } }
      }
    }

    let report = dispatcher.run()

    expect(report.ledger.refused == 0, "\(report)")
    let ran = order.takeValue()
    expect(ran == ["block", "post"], "ran \(ran)")
  }
}

/// A loop that runs with `servesMainQueue: false` leaves the main queue alone. The next loop that serves it
/// runs what waits there.
@MainActor func unserved() throws {
  let ran = Counter()
  DispatchQueue.main.async { ran.increment() }
  let first = try UVDispatcher()
  first.foreground.after(.milliseconds(5)) { first.beginShutdown() }
  first.run(servesMainQueue: false)
  expect(ran.value == 0, "it ran although no thread served it")

  let second = try UVDispatcher()
  DispatchQueue.main.async { second.beginShutdown() }
  second.run()
  expect(ran.value == 1, "it was lost")

  // A block that is posted between two loops stays for the next one too.
  DispatchQueue.main.async { ran.increment() }
  let third = try UVDispatcher()
  third.runUntilIdle()
  expect(ran.value == 2, "it was lost between two loops")

  // A block is not lost either on a loop that has served the main queue before.
  DispatchQueue.main.async { ran.increment() }
  third.foreground.after(.milliseconds(5)) { third.beginShutdown() }
  third.run(servesMainQueue: false)
  expect(ran.value == 2, "it ran although no thread served it any more")
  try UVDispatcher().runUntilIdle()
  expect(ran.value == 3, "it was lost on a loop that had served it")
}

/// A loop on another thread leaves the main queue to the main thread.
@MainActor func elsewhere() throws {
  let ran = Counter()
  DispatchQueue.main.async {
    requireMainThread()
    ran.increment()
  }
  let started = try UVDispatcher()
  try started.start()
  let seen = try started.foreground.sync { ran.value }
  expect(seen == 0, "it ran although the loop has a thread of its own")
  started.beginShutdown()

  let mine = try UVDispatcher()
  mine.runUntilIdle()
  expect(ran.value == 1, "it did not run on the main thread")
}

/// `runUntilIdle()` runs what waits in the main queue and what those blocks post, and returns.
@MainActor func untilIdle() throws {
  let dispatcher = try UVDispatcher()
  let ran = Counter()
  for _ in 0..<100 {
    let before = ran.value
    DispatchQueue.main.async {
      ran.increment()
      dispatcher.foreground {
        ran.increment()
        DispatchQueue.main.async {
          ran.increment()
          dispatcher.background { DispatchQueue.main.async { ran.increment() } }
        }
      }
    }

    dispatcher.runUntilIdle()

    expect(ran.value - before == 4, "\(ran.value - before) of 4 ran")
  }
}

/// A dispatcher is refused with an error where the process has no descriptors left. Dispatch would end the
/// process if it had none for its main queue.
@MainActor func noDescriptors() throws {
  let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  var before = rlimit()
  unsafe getrlimit(resource, &before)
  var refusals = 0
  for most in 3...20 {
    var limit = rlimit(rlim_cur: rlim_t(most), rlim_max: before.rlim_max)
    unsafe setrlimit(resource, &limit)
    do {
      _ = try UVDispatcher()
    } catch is UVError {
      refusals += 1
    }
  }
  // This dispatcher is made while there are still descriptors.
  unsafe setrlimit(resource, &before)
  let made = try UVDispatcher()
  var none = rlimit(rlim_cur: 3, rlim_max: before.rlim_max)
  unsafe setrlimit(resource, &none)
  made.foreground { made.beginShutdown() }
  made.run()
  unsafe setrlimit(resource, &before)
  expect(refusals > 3, "\(refusals) refusals")
  try waitingBefore()
}
