import Dispatch
import Glibc
import Synchronization
import TestSupport
import UVDispatch

/// Threads that run bodies block the signals that the main thread blocks, apart from SIGPIPE and the signals of
/// a fault. It does not matter which thread starts them.
@MainActor func masks() throws {
  signal(SIGPIPE) { _ in }
  block([SIGUSR1, SIGSEGV, SIGABRT, SIGPIPE])
  let found = Found()
  let ended = DispatchSemaphore(value: 0)
  // This thread blocks everything.
  DispatchQueue.global().async {
    block(Array(1...64))
    do {
      let dispatcher = try UVDispatcher()
      try dispatcher.start()
      // Not `sync`, which may run a body on the calling thread.
      dispatcher.background { found.onWorker.store(blocked(), ordering: .relaxed) }
      dispatcher.foreground { found.onLoop.store(blocked(), ordering: .relaxed) }
      dispatcher.beginShutdown()
      _ = try dispatcher.waitForReport()
    } catch { fatalError("\(error)") }
    ended.signal()
  }
  ended.wait()

  let only = UInt64(1) << UInt64(SIGUSR1 - 1)
  let onWorker = found.onWorker.load(ordering: .relaxed)
  let onLoop = found.onLoop.load(ordering: .relaxed)
  expect(onWorker == only, "a worker blocks \(String(onWorker, radix: 16))")
  expect(onLoop == only, "the thread of start() blocks \(String(onLoop, radix: 16))")
}

/// While the C library makes a thread, it blocks every signal on the thread that calls it. A thread that runs
/// bodies must not inherit that.
@MainActor func masksWhileThreadsAreMade() throws {
  let isOver = Flag()
  let wrong = Counter()
  DispatchQueue.global().async {
    for _ in 0..<50 {
      do {
        let dispatcher = try UVDispatcher()
        dispatcher.foreground {
          if blocked() & ~(1 << UInt64(SIGPIPE - 1)) != 0 { wrong.increment() }
        }
        try dispatcher.start()
        dispatcher.beginShutdown()
        _ = try dispatcher.waitForReport()
      } catch { fatalError("\(error)") }
    }
    isOver.raise()
  }
  while !isOver.isRaised { makeThread() }

  expect(wrong.value == 0, "\(wrong.value) of 50 threads block something")
}

private nonisolated func makeThread() {
  var thread = pthread_t()
  guard unsafe pthread_create(&thread, nil, { _ in nil }, nil) == 0 else { return }
  pthread_join(thread, nil)
}

private final class Found: Sendable {
  let onWorker = Atomic(UInt64(0))
  let onLoop = Atomic(UInt64(0))
}

private func block(_ signals: [CInt]) {
  var mask = sigset_t()
  unsafe sigemptyset(&mask)
  for signal in signals { unsafe sigaddset(&mask, signal) }
  unsafe pthread_sigmask(SIG_SETMASK, &mask, nil)
}

/// The signals that the calling thread blocks, as the kernel writes them: a bit for each signal.
private func blocked() -> UInt64 {
  var mask = sigset_t()
  unsafe pthread_sigmask(SIG_BLOCK, nil, &mask)
  return (CInt(1)...64).reduce(0) { bits, signal in
    unsafe sigismember(&mask, signal) == 1 ? bits | 1 << UInt64(signal - 1) : bits
  }
}
