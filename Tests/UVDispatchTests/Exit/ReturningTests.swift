import Glibc
import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing
import UVDispatch

extension OnePool {
  @Suite("A process that leaves after the report")
  struct ReturningTests {
    @Test("of run() ends with its own status, and has done everything")
    func afterRun() async {
      let result = await #expect(
        processExitsWith: .exitCode(7), observing: [\.standardErrorContent]
      ) {
        try blocking {
          Leaving.watch()
          let dispatcher = try UVDispatcher()
          for _ in 0..<100 { dispatcher.background {} }
          dispatcher.foreground { dispatcher.beginShutdown() }

          let report = dispatcher.run()

          Leaving.say("\(report.ledger.completed) completed")
          exit(chosenStatus)
        }
      }
      #expect(result?.said("101 completed") == true)
    }

    @Test("of run() on the main thread ends with its own status")
    func onMainThread() async {
      await #expect(processExitsWith: .exitCode(7)) {
        try await MainActor.run {
          Leaving.watch()
          let dispatcher = try UVDispatcher()
          dispatcher.background { dispatcher.foreground { dispatcher.beginShutdown() } }

          let report = dispatcher.run()

          exit(report.ledger.completed == 2 ? chosenStatus : 1)
        }
      }
    }

    @Test("of a loop on its own thread ends with its own status")
    func afterStart() async {
      await #expect(processExitsWith: .exitCode(7)) {
        Leaving.watch()
        let dispatcher = try UVDispatcher()
        try dispatcher.start()
        for _ in 0..<100 { dispatcher.background { dispatcher.foreground {} } }

        let report = await dispatcher.shutdown()

        exit(report.ledger.balances && report.unfinished.isEmpty ? chosenStatus : 1)
      }
    }

    @Test("that awaits a report in a hundred dispatchers, one after the other, does so too")
    func manyTimes() async {
      await #expect(processExitsWith: .exitCode(7)) {
        Leaving.watch()
        for _ in 0..<100 {
          let dispatcher = try UVDispatcher()
          try dispatcher.start()
          dispatcher.background {}
          guard await dispatcher.shutdown().ledger.completed == 1 else { exit(1) }
        }
        exit(chosenStatus)
      }
    }
  }
}
