import Foundation
import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("A thread that posts while the process leaves")
  struct PostingAtExitTests {
    @Test("does so without harm, also when libuv has already joined its threads")
    func afterJoin() async {
      await #expect(processExitsWith: .signal(SIGKILL)) {
        try blocking {
          Leaving.watch()
          // Some versions of libuv have the kernel add threads for a loop, and these threads stay.
          unsafe setenv("UV_USE_IO_URING", "0", 1)
          let begun = Leaving.begun
          let dispatcher = try UVDispatcher()
          // The threads that meet in these bodies. Any other new thread may be one of Swift's, which stays.
          let pool = Box<Set<String>>([])
          let met = Latch(dispatcher.effectiveBackgroundWidth)
          for _ in 0..<dispatcher.effectiveBackgroundWidth {
            dispatcher.background {
              let path = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/thread-self")
              pool.change { _ = $0.insert("/proc/\(path ?? "")") }
              met.open()
              met.hold(patience)
            }
          }
          guard met.wait(patience) else { _exit(1) }
          try dispatcher.start()
          _ = OtherThread {
            guard begun.wait(patience) else { _exit(2) }
            let threads = pool.value
            while threads.contains(where: { unsafe access($0, F_OK) == 0 }) {}
            // libuv may need a moment more to join the last of them.
            let end = monotonicNanoseconds() + 200_000_000
            while monotonicNanoseconds() < end {
              dispatcher.background {}
              dispatcher.foreground { dispatcher.background {} }
            }
            // ThreadSanitizer's `_exit` would flush the stream too, and wait as `exit` does.
            kill(getpid(), SIGKILL)
          }

          standStillAtTheEnd()
          exit(4)
        }
      }
    }
  }
}

/// Makes `exit` stop where the C library flushes its streams, which is its last step: standard output becomes a
/// pipe that is full.
private func standStillAtTheEnd() {
  var ends: [CInt] = [-1, -1]
  unsafe pipe(&ends)
  let page = [UInt8](repeating: 0, count: 4096)
  _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
  while unsafe write(ends[1], page, page.count) > 0 {}
  _ = fcntl(ends[1], F_SETFL, 0)
  dup2(ends[1], 1)
  // Without an end of line the text stays in the stream's buffer.
  print("what is left to be written", terminator: "")
}
