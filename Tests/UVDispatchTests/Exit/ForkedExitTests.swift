import Glibc
import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("A child forked after the pool has started")
  struct ForkedExitTests {
    @Test("leaves by _exit() with its own status, and the parent shuts down as ever")
    func byUnderscoreExit() async {
      await #expect(processExitsWith: .exitCode(7)) {
        try blocking {
          Leaving.watch()
          let dispatcher = try UVDispatcher()
          let ran = Latch()
          dispatcher.background { ran.open() }
          guard ran.wait(patience) else { exit(1) }

          let child = forkProcess { _exit(42) }

          guard statusOf(child) == 42 << 8 else { exit(2) }
          dispatcher.background { dispatcher.foreground { dispatcher.beginShutdown() } }
          guard dispatcher.run().ledger.completed == 3 else { exit(3) }
          exit(chosenStatus)
        }
      }
    }

    @Test("does not leave well by exit(): libuv joins threads that do not exist there")
    func byExit() async {
      await #expect(processExitsWith: .exitCode(7)) {
        try blocking {
          Leaving.watch()
          let dispatcher = try UVDispatcher()
          let ran = Latch()
          dispatcher.background { ran.open() }
          guard ran.wait(patience) else { exit(1) }

          let child = forkProcess { exit(0) }

          // The child crashes, or hangs until it is killed; or a sanitizer ends it first with an error.
          guard statusOf(child) != 0 else { exit(2) }
          _ = dispatcher
          exit(chosenStatus)
        }
      }
    }

    @Test("may exec, and the new program leaves as it likes")
    func byExec() async {
      await #expect(processExitsWith: .exitCode(7)) {
        try blocking {
          Leaving.watch()
          let dispatcher = try UVDispatcher()
          let ran = Latch()
          dispatcher.background { ran.open() }
          guard ran.wait(patience) else { exit(1) }
          let arguments: [UnsafeMutablePointer<CChar>?] = unsafe [
            strdup("sh"), strdup("-c"), strdup("exit 5"), nil,
          ]

          let child = forkProcess { _ = unsafe execv("/bin/sh", arguments) }

          guard statusOf(child) == 5 << 8 else { exit(2) }
          _ = dispatcher
          exit(chosenStatus)
        }
      }
    }
  }
}

private func statusOf(_ child: pid_t) -> CInt {
  var status: CInt = 0
  unsafe waitpid(child, &status, 0)
  return status
}
