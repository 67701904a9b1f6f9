import Glibc
import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("Two hundred dispatchers")
  struct LeakTests {
    @Test("that are run and shut down leave no descriptor and no thread behind")
    func ran() async {
      await #expect(processExitsWith: .success) {
        try blocking {
          withoutIOURing()
          try runAndEnd()
          let before = (ThisProcess.descriptors, ThisProcess.threads)
          for _ in 0..<200 { try runAndEnd() }
          expectNoMore(than: before)
        }
      }
    }

    @Test("that are started leave no descriptor and no thread behind")
    func started() async {
      await #expect(processExitsWith: .success) {
        withoutIOURing()
        try blocking { try runAndEnd() }
        let before = (ThisProcess.descriptors, ThisProcess.threads)
        // Kept here, since a dispatcher that is still held must leave nothing behind either.
        var kept: [UVDispatcher] = []
        for _ in 0..<200 {
          let dispatcher = try UVDispatcher()
          kept.append(dispatcher)
          dispatcher.background {}
          try dispatcher.start()
          _ = await dispatcher.shutdown(inAnHour)
        }
        expectNoMore(than: before)
        withExtendedLifetime(kept) {}
      }
    }

    @Test("that are let go of with work in them leave no descriptor and no thread behind")
    func dropped() async {
      await #expect(processExitsWith: .success) {
        try blocking {
          withoutIOURing()
          try runAndEnd()
          let before = (ThisProcess.descriptors, ThisProcess.threads)
          for _ in 0..<200 {
            let dispatcher = try UVDispatcher()
            dispatcher.foreground {}
            dispatcher.foreground.after(.seconds(3600)) {}
            dispatcher.makeQueue(label: "view", width: 1).suspend()
            dispatcher.beginShutdown(inAnHour)
          }
          expectNoMore(than: before)
        }
      }
    }

    @Test("live beside each other, each with its own work")
    func together() async {
      await #expect(processExitsWith: .success) {
        try blocking {
          let dispatchers = try (0..<200).map { _ in try UVDispatcher() }
          let ran = Box(0)
          for dispatcher in dispatchers {
            for _ in 0..<20 { dispatcher.background { ran.increment() } }
            dispatcher.foreground { dispatcher.beginShutdown() }
          }
          for dispatcher in dispatchers { #expect(dispatcher.run().ledger.completed == 21) }
          #expect(ran.value == 4_000)
        }
      }
    }
  }
}

/// From 1.45 to 1.48 libuv has the kernel start a thread for each loop. That thread counts among those of the
/// process, has no name of its own at first, and ends some time after the loop.
private func withoutIOURing() { unsafe setenv("UV_USE_IO_URING", "0", 1) }

/// Expects as many descriptors as before, and no more threads. A thread ends some moments after its last
/// instruction, and this waits for that, but not for ever. Threads from before may have ended too.
private func expectNoMore(than before: (descriptors: Int, threads: Int)) {
  let clock = ContinuousClock()
  let patient = clock.now.advanced(by: .seconds(10))
  var after = (0, 0)
  repeat {
    after = (ThisProcess.descriptors, ThisProcess.threads)
    if after.0 == before.descriptors, after.1 <= before.threads { return }
  } while clock.now < patient
  Issue.record("\(before), \(after), \(ThisProcess.descriptorTargets)")
}

/// The thread that watches the deadline has to end with the dispatcher, long before this deadline.
private let inAnHour = ShutdownPolicy(drain: .seconds(3_600), cancel: .seconds(3_600))

private func runAndEnd() throws {
  let dispatcher = try UVDispatcher()
  dispatcher.background { dispatcher.foreground { dispatcher.beginShutdown(inAnHour) } }
  dispatcher.foreground.after(.seconds(3600)) {}
  #expect(dispatcher.run().ledger.completed == 2)
}
