import Glibc
import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("A write to a pipe that no process reads")
  struct BrokenPipeTests {
    @Test("fails on the loop's thread, and does not end the process", arguments: [false, true])
    func onTheLoop(isStarted: Bool) async {
      await #expect(processExitsWith: .success) { [isStarted] in
        try blocking {
          let dispatcher = try UVDispatcher()
          let (here, there) = socketPair()
          close(there)
          let error = Box<CInt>(0)
          dispatcher.foreground {
            var byte: UInt8 = 1
            if unsafe write(here, &byte, 1) < 0 { error.value = errno }
            dispatcher.beginShutdown()
          }
          if isStarted {
            try dispatcher.start()
            dispatcher.end()
          } else {
            dispatcher.run()
          }
          #expect(error.value == EPIPE)
        }
      }
    }

    @Test("has left nothing behind when the loop has ended: the thread is as it was")
    func afterTheLoop() async {
      await #expect(processExitsWith: .exitCode(7)) {
        try blocking {
          let dispatcher = try UVDispatcher()
          let (here, there) = socketPair()
          close(there)
          @Sendable func tryToWrite() {
            var byte: UInt8 = 1
            _ = unsafe write(here, &byte, 1)
          }
          dispatcher.foreground(tryToWrite)
          dispatcher.runUntilIdle()
          // The first SIGPIPE is not pending any more, and it was not delivered, which would have ended the
          // process. The second one is delivered.
          signal(SIGPIPE) { _ in _exit(7) }
          tryToWrite()
        }
      }
    }
  }
}
