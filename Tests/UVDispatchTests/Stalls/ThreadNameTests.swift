import Glibc
import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("The names of threads")
  struct ThreadNameTests {
    /// The name that the kernel has for the thread that runs a body of `queue`.
    private static func name(on queue: TaskQueue) throws -> String {
      let thread = Box<ThreadRecord?>(nil)
      try queue.submit { thread.value = ThreadRecord(of: TaskContext.callingThread) }.wait()
      return try #require(thread.value).name
    }

    @Test(
      "a worker and the loop are named after their dispatcher, and the role stays if the label is long"
    )
    func roles() throws {
      for (label, worker, loop) in [
        ("spoold", "spoold worker", "spoold"), ("a-long-label", "a-long-l worker", "a-long-label"),
        ("ä-label-ä-l", "ä-label worker", "ä-label-ä-l"),
      ] {
        let dispatcher = try UVDispatcher(.init(label: label))
        try dispatcher.start()
        #expect(try Self.name(on: dispatcher.background) == worker)
        #expect(try Self.name(on: dispatcher.foreground) == loop)
        dispatcher.end()
      }
    }

    @Test("a thread that works for another dispatcher is renamed, and only then")
    func renamed() async {
      await #expect(processExitsWith: .success) {
        try blocking {
          // One thread for bodies, and one that stays free.
          unsafe setenv("UV_THREADPOOL_SIZE", "1", 1)
          let (first, second) = (
            try UVDispatcher(.init(label: "first")), try UVDispatcher(.init(label: "second"))
          )
          func check(_ dispatcher: UVDispatcher, _ name: String) throws {
            guard try Self.name(on: dispatcher.background) == name else { throw Wrong(name: name) }
          }
          for _ in 0..<3 {
            try check(first, "first worker")
            try check(second, "second worker")
            try check(second, "second worker")
          }
          // The thread keeps a name that other code has given it, as long as it works for the same dispatcher.
          try second.background.submit { ThreadName.set("mine", "own") }.wait()
          try check(second, "mine own")
          try check(first, "first worker")
        }
      }
    }

    private struct Wrong: Error { let name: String }
  }
}
