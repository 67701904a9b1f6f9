import Glibc
import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("exit() without a shutdown")
  struct ExitCallTests {
    @Test("from another thread ends the process while the loop waits for work")
    func idle() async {
      await #expect(processExitsWith: .exitCode(7)) {
        try blocking {
          Leaving.watch()
          let dispatcher = try UVDispatcher()
          try dispatcher.start()
          let ran = Latch()
          dispatcher.background { dispatcher.foreground { ran.open() } }
          guard ran.wait(patience) else { exit(1) }

          exit(chosenStatus)
        }
      }
    }

    @Test("with ten thousand bodies queued ends the process, and leaves most of them unrun")
    func queued() async throws {
      let result = await #expect(
        processExitsWith: .exitCode(7), observing: [\.standardErrorContent]
      ) {
        try blocking {
          Leaving.watch()
          let dispatcher = try UVDispatcher()
          let started = Latch()
          for _ in 0..<10_000 {
            dispatcher.background {
              Leaving.say("begun")
              started.open()
              busy(nanoseconds: 1_000_000)
            }
          }
          guard started.wait(patience) else { exit(1) }
          atexit { Leaving.say("exit has begun") }

          exit(chosenStatus)
        }
      }
      // If the process hangs, the watch ends it with a signal.
      let said = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
      #expect(said.contains("exit has begun"))
      #expect(said.split(separator: "\n").count { $0 == "begun" } < 5_000)
    }

    @Test("from a body of the loop ends the process, with work queued on both lanes")
    func fromForeground() async {
      for loop in ["run", "start"] {
        await #expect(processExitsWith: .exitCode(7)) { [loop = loop as String] in
          try blocking {
            Leaving.watch()
            let dispatcher = try UVDispatcher()
            for _ in 0..<100 { dispatcher.background {} }
            dispatcher.foreground { exit(chosenStatus) }
            dispatcher.foreground { exit(1) }
            if loop == "run" {
              dispatcher.run()
            } else {
              try dispatcher.start()
              _ = Latch().wait(patience)
            }
          }
        }
      }
    }

    @Test("from a worker's body aborts the process: libuv cannot join the thread that it is on")
    func fromWorker() async {
      await #expect(processExitsWith: .signal(SIGABRT)) {
        try blocking {
          Leaving.watch()
          let dispatcher = try UVDispatcher()
          dispatcher.background { exit(0) }
          dispatcher.run()
        }
      }
    }

    @Test("asked for by a worker's body, and called by the loop, ends the process well")
    func askedForByWorker() async {
      await #expect(processExitsWith: .exitCode(7)) {
        try blocking {
          Leaving.watch()
          let dispatcher = try UVDispatcher()
          dispatcher.background { dispatcher.foreground { exit(chosenStatus) } }
          dispatcher.run()
        }
      }
    }

    @Test("while other threads post ends the process with its own status", arguments: 0..<8)
    func whileOthersPost(round: Int) async {
      await #expect(processExitsWith: .exitCode(7)) {
        try blocking {
          Leaving.watch()
          let dispatcher = try UVDispatcher()
          try dispatcher.start()
          let posted = Latch(4)
          for _ in 0..<4 {
            _ = OtherThread {
              posted.open()
              while true {
                dispatcher.background { dispatcher.foreground {} }
                dispatcher.foreground { dispatcher.background {} }
                // Long enough for worker runs to end, so that others have to be started.
                busy(nanoseconds: 50_000)
              }
            }
          }
          guard posted.wait(patience) else { exit(1) }

          exit(chosenStatus)
        }
      }
    }
  }
}

private func busy(nanoseconds: Int64) {
  let end = monotonicNanoseconds() + nanoseconds
  while monotonicNanoseconds() < end {}
}
