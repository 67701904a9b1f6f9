import TaskDispatchTesting
import TestSupport
import Testing

@testable import TaskDispatch

@Suite("A lock of one word")
struct WordLockTests {
  @Test("lets one in at a time")
  func oneAtATime() {
    let guarded = Guarded()

    let ended = race(
      Array(
        repeating: { for _ in 0..<20_000 { guarded.withLock { guarded.count += 1 } } }, count: 4))

    #expect(ended)
    #expect(guarded.count == 80_000)
  }

  @Test("wakes every thread that sleeps until it is free, one after the other")
  func sleepers() {
    let guarded = Guarded()
    guarded.gate.lock()
    let sleepers = (0..<3).map { _ in
      WatchedThread { guarded.withLock { guarded.count += 1 } }
    }
    for sleeper in sleepers { #expect(sleeper.waitUntilItSleeps()) }

    guarded.gate.unlock()

    for sleeper in sleepers { #expect(sleeper.join()) }
    #expect(guarded.count == 3)
  }

  @Test("does not take a thread that sleeps at another lock on the same bench for its own")
  func sharedBench() {
    // One lock more than there are benches: the first and the last lock share a bench.
    let locks = (0...64).map { _ in Guarded() }
    let (first, last) = (locks[0], locks[64])
    first.gate.lock()
    last.gate.lock()
    let sleepers = [first, last].map { guarded in
      WatchedThread { guarded.withLock { guarded.count += 1 } }
    }
    for sleeper in sleepers { #expect(sleeper.waitUntilItSleeps()) }

    last.gate.unlock()
    #expect(sleepers[1].join())
    #expect(sleepers[0].waitUntilItSleeps())
    #expect(first.count == 0)
    first.gate.unlock()

    #expect(sleepers[0].join())
    #expect(first.count == 1)
    #expect(last.count == 1)
  }

  @Test("must be free when it goes")
  func destroyed() async {
    await #expect(processExitsWith: .failure) {
      let gate = WordLock()
      gate.lock()
    }
  }
}

@Suite("A monitor")
struct MonitorTests {
  @Test("wakes the waiting thread each time that it is freed, also just before that sleeps")
  func turns() {
    let turns = Turns()

    let ended = race(
      (0..<2).map { own in
        {
          for _ in 0..<5_000 {
            turns.monitor.lock()
            while turns.next != own { turns.monitor.wait() }
            turns.next = 1 - own
            turns.taken += 1
            turns.monitor.unlock()
          }
        }
      })

    #expect(ended)
    #expect(turns.taken == 10_000)
  }

  @Test("wakes the waiting thread while the calling one goes on to wait as well")
  func notifiedBeforeWaiting() {
    let turns = Turns()
    let other = WatchedThread {
      turns.monitor.lock()
      while turns.next != 1 { turns.monitor.wait() }
      turns.next = 2
      turns.monitor.unlock()
    }
    #expect(other.waitUntilItSleeps())

    turns.monitor.lock()
    turns.next = 1
    turns.monitor.tellOthers()
    while turns.next != 2 { turns.monitor.wait() }
    turns.monitor.unlock()

    #expect(other.join())
  }

  @Test("waits no longer than until the time that is given")
  func deadline() {
    let monitor = Monitor()
    let end = monotonicNanoseconds() + 1_000_000
    monitor.lock()
    while monotonicNanoseconds() < end { monitor.wait(until: end) }
    monitor.unlock()
    #expect(monotonicNanoseconds() >= end)
  }
}

/// A number that is safe only under the lock beside it.
private final class Guarded: @unchecked Sendable {
  let gate = WordLock()
  var count = 0

  func withLock(_ body: () -> Void) {
    gate.lock()
    defer { gate.unlock() }
    body()
  }
}

private final class Turns: @unchecked Sendable {
  let monitor = Monitor()
  // Guarded by the monitor.
  var next = 0
  var taken = 0
}
