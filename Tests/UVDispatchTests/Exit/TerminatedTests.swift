import Glibc
import Synchronization
import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("SIGTERM while a dispatcher starts")
  struct TerminatedTests {
    @Test("ends a process that has no handler, wherever the start is")
    func withoutHandler() async {
      await #expect(processExitsWith: .signal(SIGTERM)) {
        try blocking {
          Leaving.watch()
          let makes = Latch()
          _ = OtherThread {
            guard makes.wait(patience) else { exit(1) }
            kill(getpid(), SIGTERM)
          }
          while true {
            let dispatcher = try UVDispatcher()
            try dispatcher.start()
            makes.open()
            dispatcher.end()
          }
        }
      }
    }

    @Test("interrupts nothing where it has a handler: each start works or says why it did not")
    func withHandler() async {
      await #expect(processExitsWith: .exitCode(7)) {
        try blocking {
          Leaving.watch()
          // The first use of the global may take a lock, which a signal handler must not do.
          handled.store(false, ordering: .relaxed)
          // Without SA_RESTART, calls that wait return with EINTR.
          var action = sigaction()
          unsafe action.__sigaction_handler.sa_handler = { _ in
            handled.store(true, ordering: .relaxed)
          }
          unsafe sigaction(SIGTERM, &action, nil)
          var terminate = sigset_t()
          unsafe sigemptyset(&terminate)
          unsafe sigaddset(&terminate, SIGTERM)
          unsafe pthread_sigmask(SIG_UNBLOCK, &terminate, nil)
          let starter = Box(pthread_self())
          let isOver = Box(false)
          let storm = OtherThread { while !isOver.value { pthread_kill(starter.value, SIGTERM) } }
          for _ in 0..<100 {
            let dispatcher = try UVDispatcher()
            dispatcher.background {}
            try dispatcher.start()
            dispatcher.foreground {}
            dispatcher.end()
            let ledger = dispatcher.ledger
            guard ledger.completed == 2, ledger.balances else { exit(2) }
          }
          isOver.value = true
          guard storm.join(), handled.load(ordering: .relaxed) else { exit(3) }

          exit(chosenStatus)
        }
      }
    }

    @Test("finds the mask of the thread that called start() as it was")
    func mask() throws {
      let dispatcher = try UVDispatcher()
      let before = CurrentThread.blocks(SIGTERM)

      try dispatcher.start()

      #expect(CurrentThread.blocks(SIGTERM) == before)
      dispatcher.end()
    }

    @Test("asks for a shutdown before the loop runs: what was accepted is done, then it ends")
    func shutdownFirst() async {
      for loop in ["run", "start"] {
        await #expect(processExitsWith: .exitCode(7)) { [loop = loop as String] in
          try blocking {
            Leaving.watch()
            let dispatcher = try UVDispatcher()
            let ran = Box(0)
            dispatcher.background { ran.increment() }
            dispatcher.foreground { ran.increment() }
            dispatcher.foreground.after(.seconds(3600)) { ran.increment() }
            let (waits, hasAsked) = (Latch(), Latch())
            let waiting = Box(pthread_self())
            _ = OtherThread {
              // One thread waits for the signal and asks for the end, as a daemon does it.
              var terminate = sigset_t()
              unsafe sigemptyset(&terminate)
              unsafe sigaddset(&terminate, SIGTERM)
              unsafe pthread_sigmask(SIG_BLOCK, &terminate, nil)
              waiting.value = pthread_self()
              waits.open()
              var number: CInt = 0
              unsafe sigwait(&terminate, &number)
              dispatcher.beginShutdown()
              hasAsked.open()
            }
            guard waits.wait(patience) else { exit(1) }
            pthread_kill(waiting.value, SIGTERM)
            guard hasAsked.wait(patience) else { exit(1) }

            if loop == "run" { dispatcher.run() } else { try dispatcher.start() }

            dispatcher.waitUntil { $0.loop.isOver }
            guard ran.value == 2, dispatcher.ledger.cancelled == 1 else { exit(2) }
            exit(chosenStatus)
          }
        }
      }
    }
  }
}

/// Whether the handler has run.
private let handled = Atomic(false)
