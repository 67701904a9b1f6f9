import Glibc
import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("The thread of the watchdog")
  struct WatchdogSignalsTests {
    private final class Deaf: TaskObserver {
      func observe(_ event: TaskEvent) {}
    }

    @Test("blocks what threads of bodies block, since it calls code of the program")
    func mask() throws {
      let dispatcher = try UVDispatcher(.init(label: "faults", observer: Deaf()))
      let gate = Latch()
      let isRunning = Latch()
      dispatcher.background {
        isRunning.open()
        gate.hold(patience)
      }
      try dispatcher.start()
      #expect(isRunning.wait(patience))
      // The dispatcher starts its watchdog when it is made. The thread takes its name when it first runs.
      var thread: KernelThread?
      let end = ContinuousClock.now + patience
      while thread == nil, ContinuousClock.now < end { thread = .named("faults watch") }
      let known = try #require(thread)

      #expect(known.waitUntilItSleeps())
      let faults = [SIGSEGV, SIGILL, SIGBUS, SIGFPE, SIGTRAP, SIGABRT, SIGSYS]
      #expect(faults.filter { known.blocks($0) } == [])
      let main = KernelThread(getpid(), of: getpid())
      for signal in [SIGTERM, SIGINT, SIGHUP, SIGUSR1] {
        #expect(known.blocks(signal) == main.blocks(signal), "\(signal)")
      }
      gate.open()
      dispatcher.end()
    }
  }
}
