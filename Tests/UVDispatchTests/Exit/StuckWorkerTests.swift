import Glibc
import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("A process with a body that does not end")
  struct StuckWorkerTests {
    @Test("that calls exit() hangs there: libuv waits for its threads")
    func hangs() async {
      await #expect(processExitsWith: .exitCode(7)) {
        try blocking {
          Leaving.watch()
          let begun = Leaving.begun
          let others = ThisProcess.threadIDs
          let dispatcher = try UVDispatcher()
          let started = Latch()
          let never = Latch()
          dispatcher.background {
            started.open()
            while true { _ = never.wait(.seconds(3600)) }
          }
          guard started.wait(patience) else { exit(1) }
          _ = OtherThread {
            guard begun.wait(patience) else { _exit(1) }
            // If every thread but this one sleeps for long, nothing goes on any more.
            var looks = 0
            while looks < 200 {
              looks = ThisProcess.isAsleep(apartFrom: others) ? looks + 1 : 0
            }
            _exit(chosenStatus)
          }

          exit(0)
        }
      }
    }

    @Test("goes on to leave once the body has ended after all")
    func goesOn() async {
      let result = await #expect(
        processExitsWith: .exitCode(7), observing: [\.standardErrorContent]
      ) {
        try blocking {
          Leaving.watch()
          let begun = Leaving.begun
          let dispatcher = try UVDispatcher()
          let started = Latch()
          dispatcher.background {
            started.open()
            begun.hold(patience)
            Leaving.say("the body ended")
          }
          guard started.wait(patience) else { _exit(1) }

          exit(chosenStatus)
        }
      }
      #expect(result?.said("the body ended") == true)
    }

    @Test("leaves at once by _exit() after a report that names the body")
    func advised() async {
      let result = await #expect(
        processExitsWith: .exitCode(7), observing: [\.standardErrorContent]
      ) {
        try blocking {
          Leaving.watch()
          let dispatcher = try UVDispatcher()
          let started = Latch()
          let never = Latch()
          dispatcher.background.async(label: "stuck") {
            started.open()
            while true { _ = never.wait(.seconds(3600)) }
          }
          guard started.wait(patience) else { _exit(1) }
          dispatcher.beginShutdown(.init(drain: .milliseconds(1), cancel: .milliseconds(1)))

          let report = dispatcher.run()

          Leaving.say("\(report)")
          _exit(report.unfinished.isEmpty ? 0 : chosenStatus)
        }
      }
      #expect(result?.said("\"stuck\"") == true)
      #expect(result?.said("1 abandoned") == true)
    }
  }
}
