import Glibc
import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("Two dispatchers of one process")
  struct TwoDispatchersTests {
    @Test("hand work to each other, and the end of one leaves the other whole")
    func endOfOne() throws {
      let first = try UVDispatcher(.init(label: "first"))
      let second = try UVDispatcher(.init(label: "second"))
      let ran = Box(0)
      try second.start()
      first.background {
        second.background { first.foreground { ran.increment() } }
        second.foreground {
          ran.increment()
          first.beginShutdown()
        }
      }

      let report = first.run()
      second.background { second.foreground { ran.increment() } }
      second.end()

      #expect(report.ledger.balances)
      #expect(second.ledger.completed == 4)
      #expect(ran.value >= 2)
      #expect(first.background {} == .refused(.shutDown))
    }

    @Test("one shut down and one not, leave by exit() with the status that was given")
    func oneShutDown() async {
      await #expect(processExitsWith: .exitCode(7)) {
        try blocking {
          Leaving.watch()
          let first = try UVDispatcher()
          let second = try UVDispatcher()
          try second.start()
          first.background { second.foreground {} }
          first.foreground { first.beginShutdown() }
          first.run()

          exit(chosenStatus)
        }
      }
    }
  }
}
