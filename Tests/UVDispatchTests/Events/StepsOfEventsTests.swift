import Glibc
import Synchronization
import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

/// Counts that check what "Complexity:" says of signals and descriptors.
extension OnePool {
  @Suite("What events cost")
  struct StepsOfEventsTests {
    #if DEBUG
      @Test("a descriptor takes a system call to be watched, and one for each call of its handler")
      func descriptors() throws {
        let dispatcher = try UVDispatcher()
        let pipes = (0..<100).map { _ in Pipe() }
        let registrations = try pipes.map { pipe in
          try dispatcher.onReady(pipe.readEnd, for: .readable) { _ in pipe.read() }
        }
        let set = try #require(dispatcher.engine.withCore { $0.events.readySet })
        #expect(set.calls.load(ordering: .relaxed) == 100)

        for pipe in pipes[..<30] { pipe.write() }
        dispatcher.runUntilIdle()
        #expect(set.calls.load(ordering: .relaxed) == 130)

        pipes[7].write(4)
        dispatcher.runUntilIdle()
        #expect(set.calls.load(ordering: .relaxed) == 134)
        for registration in registrations { registration.cancel() }
      }
    #endif

    /// The test sets another disposition in between. A second `sigaction` by the dispatcher would overwrite it.
    @Test("only the first handler of a signal takes a system call")
    func signals() throws {
      let signal = Signal(rawValue: 61)
      let dispatcher = try UVDispatcher()
      let first = try dispatcher.onSignal(signal) { _ in }
      var (other, ours) = (sigaction(), sigaction())
      unsafe other.__sigaction_handler.sa_handler = foreignHandler
      unsafe sigaction(signal.rawValue, &other, &ours)
      let between = Disposition.of(signal)

      let second = try dispatcher.onSignal(signal) { _ in }
      #expect(Disposition.of(signal) == between)

      unsafe sigaction(signal.rawValue, &ours, nil)
      first.cancel()
      second.cancel()
      #expect(Disposition.of(signal) == .standard)
    }
  }
}
