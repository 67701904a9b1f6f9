import Glibc
import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

/// The signals that a thread gets for what it did itself. If one of these is blocked, the kernel ends the
/// process without calling its handler. Swift's backtrace is such a handler.
private let faults = [SIGSEGV, SIGILL, SIGBUS, SIGFPE, SIGTRAP, SIGABRT, SIGSYS]

extension OnePool {
  @Suite("The signals of a fault")
  struct FaultSignalTests {
    @Test("are let in by a thread whose maker blocks them, and the maker's mask stays as it was")
    func maker() async throws {
      let (of, before, after) = try await onOtherThread {
        var all = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_SETMASK, &all, nil)
        let blocked = Box([CInt]())
        let isKnown = Latch()
        let before = Self.blocked
        try OwnThread.start(named: "made") {
          blocked.value = Self.blocked
          isKnown.open()
        }
        let after = Self.blocked
        return (isKnown.wait(patience) ? blocked.value : [], before, after)
      }

      #expect(of == Self.allButFaults)
      #expect(before == after)
    }

    @Test("are let in by the workers, also if the pool was first used by a thread that blocks them")
    func workers() async {
      await #expect(processExitsWith: .exitCode(7)) {
        try blocking {
          Leaving.watch()
          var all = sigset_t()
          unsafe sigfillset(&all)
          unsafe sigdelset(&all, SIGALRM)
          unsafe pthread_sigmask(SIG_SETMASK, &all, nil)
          let dispatcher = try UVDispatcher()
          let blocked = Box<[CInt]?>(nil)
          let isKnown = Latch()

          dispatcher.background {
            blocked.value = Self.blocked
            isKnown.open()
          }

          guard isKnown.wait(patience), let blocked = blocked.value else { exit(1) }
          guard blocked.allSatisfy({ !faults.contains($0) }) else { exit(2) }
          guard faults.allSatisfy({ CurrentThread.blocks($0) }) else { exit(3) }
          exit(chosenStatus)
        }
      }
    }

    @Test("reach their handler when a body on the thread of start() does what it must not")
    func crash() async {
      await #expect(processExitsWith: .exitCode(7)) {
        try blocking {
          Leaving.watch()
          var action = sigaction()
          unsafe action.__sigaction_handler.sa_handler = { _ in _exit(chosenStatus) }
          for signal in faults { unsafe sigaction(signal, &action, nil) }
          let dispatcher = try UVDispatcher()
          dispatcher.foreground {
            // An address at which no object is.
            unsafe UnsafeMutablePointer<Int>(bitPattern: 8)!.pointee = 1
          }

          try dispatcher.start()

          dispatcher.waitUntil { $0.loop.isOver }
          exit(1)
        }
      }
    }

    @Test("are let in while a handler of onSignal is told of a delivery")
    func handlers() throws {
      let dispatcher = try UVDispatcher()
      let registration = try dispatcher.onSignal(.user2) { _ in }
      var action = sigaction()

      unsafe sigaction(SIGUSR2, nil, &action)

      for signal in faults { #expect(unsafe sigismember(&action.sa_mask, signal) == 0) }
      #expect(unsafe sigismember(&action.sa_mask, SIGTERM) == 1)
      registration.cancel()
      dispatcher.runUntilIdle()
    }

    /// The signals that the calling thread blocks. The C library keeps two signals for its own threads, and no
    /// program can block these.
    private static var blocked: [CInt] {
      (1...64).filter { CurrentThread.blocks($0) }
    }

    private static var allButFaults: [CInt] {
      (1...64).filter {
        ![SIGKILL, SIGSTOP, 32, 33].contains($0) && !faults.contains($0)
      }
    }
  }
}
