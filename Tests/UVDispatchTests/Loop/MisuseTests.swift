import Glibc
import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("Running the loop where it must not be run")
  struct LoopMisuseTests {
    @Test("run() in a foreground task traps and names its label")
    func foregroundTask() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        try blocking {
          let dispatcher = try UVDispatcher()
          dispatcher.foreground.async(label: "reload") { dispatcher.run() }
          dispatcher.run()
        }
      }
      #expect(result?.said("run() inside a task") == true)
      #expect(result?.said("reload") == true)
    }

    @Test("a wake-up descriptor that other code has closed traps, and says what to look for")
    func closedWakeDescriptor() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        try blocking {
          let dispatcher = try UVDispatcher()
          try dispatcher.start()
          dispatcher.waitUntil { $0.loop.mustBeTold }
          close(dispatcher.engine.loop.wakeDescriptor)
          dispatcher.foreground {}
        }
      }
      #expect(result?.said("was closed by other code of this process (errno 9)") == true)
      #expect(result?.said("A second close() of one number closes what has that number") == true)
    }

    @Test("run() in a plain task traps and names its line")
    func plainTask() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        try blocking {
          let dispatcher = try UVDispatcher()
          dispatcher.foreground(fileID: "Module/File.swift", line: 4711) { dispatcher.run() }
          dispatcher.run()
        }
      }
      #expect(result?.said("Module/File.swift:4711") == true)
    }

    @Test("run() in a background task traps, although the loop does not run")
    func backgroundTask() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        try blocking {
          let dispatcher = try UVDispatcher()
          dispatcher.background.async(label: "hash") { dispatcher.run() }
          _ = Latch().wait(patience)
        }
      }
      #expect(result?.said("run() inside a task") == true)
      #expect(result?.said("hash") == true)
    }

    @Test("run() in a sync body on another thread traps")
    func syncBody() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        try blocking {
          let dispatcher = try UVDispatcher()
          try? dispatcher.background.sync { _ = dispatcher.run() }
        }
      }
      #expect(result?.said("run() inside a task") == true)
    }

    @Test("start() in a task traps")
    func startInTask() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        try blocking {
          let dispatcher = try UVDispatcher()
          dispatcher.foreground.async(label: "reload") { try? dispatcher.start() }
          dispatcher.run()
        }
      }
      #expect(result?.said("start() inside a task") == true)
      #expect(result?.said("reload") == true)
    }

    @Test("runUntilIdle() in a task traps")
    func runUntilIdleInTask() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        try blocking {
          let dispatcher = try UVDispatcher()
          dispatcher.foreground.async(label: "reload") { dispatcher.runUntilIdle() }
          dispatcher.runUntilIdle()
        }
      }
      #expect(result?.said("runUntilIdle() inside a task") == true)
      #expect(result?.said("reload") == true)
    }

    @Test("start() after the end traps")
    func startAfterTheEnd() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        try blocking {
          let dispatcher = try UVDispatcher()
          dispatcher.beginShutdown()
          dispatcher.run()
          try dispatcher.start()
        }
      }
      #expect(result?.said("start() after the end: this dispatcher was shut down") == true)
    }

    @Test("run() while another thread runs the loop traps")
    func runTwiceAtOnce() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        try blocking {
          let dispatcher = try UVDispatcher()
          try dispatcher.start()
          dispatcher.run()
        }
      }
      #expect(result?.said("run() while the loop runs already") == true)
    }

    @Test("withLoop before the loop runs traps")
    func withLoopOutside() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        try blocking {
          let dispatcher = try UVDispatcher()
          unsafe dispatcher.withLoop { _ in }
        }
      }
      #expect(result?.said("must run on foreground, and runs on no queue") == true)
    }

    @Test("withLoop on a worker traps and names the task")
    func withLoopOnWorker() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        try blocking {
          let dispatcher = try UVDispatcher()
          dispatcher.background.async(label: "hash") { unsafe dispatcher.withLoop { _ in } }
          dispatcher.run()
        }
      }
      #expect(result?.said("must run on foreground, and runs on background (in \"hash\")") == true)
    }

    @Test(
      "a handle that is left on the loop traps at the end, and says what to do",
      arguments: [false, true])
    func handleLeftOnLoop(ticks: Bool) async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) { [ticks] in
        try blocking {
          let dispatcher = try UVDispatcher()
          dispatcher.foreground {
            unsafe dispatcher.withLoop { unsafe Adopted.leaveTimer(on: $0, ticks: ticks) }
            dispatcher.beginShutdown()
          }
          dispatcher.run()
        }
      }
      #expect(result?.said("used for are open: timer; uv_close what") == true)
    }
  }
}
