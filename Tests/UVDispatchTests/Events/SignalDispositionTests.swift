import Glibc
import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("What a signal does to the process")
  struct SignalDispositionTests {
    @Test("has its old disposition back when the last handler is removed")
    func disposition() throws {
      let signal = Signal(rawValue: 49)
      setDisposition(signal.rawValue, SIG_IGN)
      let dispatcher = try UVDispatcher()
      let first = try dispatcher.onSignal(signal) { _ in }
      let second = try dispatcher.onSignal(signal) { _ in }
      #expect(Disposition.of(signal) != .ignored)

      first.cancel()
      #expect(Disposition.of(signal) != .ignored)
      second.cancel()
      #expect(Disposition.of(signal) == .ignored)

      let again = try dispatcher.onSignal(signal) { _ in }
      #expect(Disposition.of(signal) != .ignored)
      again.cancel()
      #expect(Disposition.of(signal) == .ignored)
    }

    @Test("has it back after a shutdown, and when its dispatcher is let go of")
    func dispositionAtTheEnd() throws {
      let signal = Signal(rawValue: 50)
      let dispatcher = try UVDispatcher()
      try dispatcher.onSignal(signal) { _ in }
      try dispatcher.start()
      dispatcher.end()
      #expect(Disposition.of(signal) == .standard)

      do {
        let dropped = try UVDispatcher()
        _ = try dropped.onSignal(signal) { _ in }
        deliver(signal)
        // A call of the handler waits, and no loop will run it.
        dropped.engine.withCore { dropped.engine.queueEventCalls($0, looks: true) }
        #expect(dropped.ledger.waiting == 1)
      }
      #expect(Disposition.of(signal) == .standard)
    }

    @Test("does not meet it if it was sent while there was a handler", arguments: [false, true])
    func pending(isIgnoredBefore: Bool) throws {
      let signal = Signal(rawValue: isIgnoredBefore ? 53 : 54)
      if isIgnoredBefore { setDisposition(signal.rawValue, SIG_IGN) }
      let dispatcher = try UVDispatcher()
      let registration = try dispatcher.onSignal(signal) { _ in }
      let thread = OtherThread {
        // The signal stays pending on this thread, since the thread blocks it while there is a handler.
        var these = sigset_t()
        unsafe sigemptyset(&these)
        unsafe sigaddset(&these, signal.rawValue)
        unsafe pthread_sigmask(SIG_BLOCK, &these, nil)
        pthread_kill(pthread_self(), signal.rawValue)
        #expect(isPending(signal))

        registration.cancel()

        #expect(!isPending(signal))
      }

      #expect(thread.join())
      #expect(Disposition.of(signal) == (isIgnoredBefore ? .ignored : .standard))
    }

    private func isPending(_ signal: Signal) -> Bool {
      var pending = sigset_t()
      unsafe sigpending(&pending)
      return unsafe sigismember(&pending, signal.rawValue) == 1
    }

    @Test("keeps the disposition that other code gave it since")
    func anotherDisposition() throws {
      let signal = Signal(rawValue: 51)
      let dispatcher = try UVDispatcher()
      let registration = try dispatcher.onSignal(signal) { _ in }
      setDisposition(signal.rawValue, foreignHandler)
      let theirs = Disposition.of(signal)

      registration.cancel()

      #expect(Disposition.of(signal) == theirs)
      setDisposition(signal.rawValue, SIG_DFL)
    }

    @Test("has its old disposition in a forked child, where nothing can be registered")
    func forked() async {
      await #expect(processExitsWith: .success) {
        try blocking {
          let dispatcher = try UVDispatcher()
          let registration = try dispatcher.onSignal(.user2) { _ in }

          let status = statusOfForkedChild {
            guard Disposition.of(.user2) == .standard else { _exit(2) }
            guard
              refusal(of: { () throws(EventRefusal) in try dispatcher.onSignal(.user1) { _ in } })
                == .forkedChild
            else { _exit(3) }
            guard
              refusal(of: { () throws(EventRefusal) in
                try dispatcher.onReady(0, for: .readable) { _ in }
              }) == .forkedChild
            else { _exit(4) }
            registration.cancel()
          }

          #expect(status == 0)
          #expect(Disposition.of(.user2) != .standard)
          registration.cancel()
        }
      }
    }

    @Test("may come while its handlers come and go on other threads")
    func comingAndGoing() throws {
      let signal = Signal(rawValue: 55)
      // Ignored, since without a handler the signal would end the process.
      setDisposition(signal.rawValue, SIG_IGN)
      let dispatcher = try UVDispatcher()
      try dispatcher.start()
      let rounds = 300
      @Sendable func comeAndGo() {
        for _ in 0..<rounds {
          let registration = try? dispatcher.onSignal(signal) { _ in }
          registration?.cancel()
        }
      }
      let allEnded = race(
        { deliver(signal, times: rounds * 10) },
        { for _ in 0..<rounds * 10 { kill(getpid(), signal.rawValue) } }, comeAndGo, comeAndGo)
      #expect(allEnded)
      dispatcher.end()
      #expect(Disposition.of(signal) == .ignored)
      #expect(dispatcher.ledger.balances)
    }
  }
}

private func refusal(of register: () throws(EventRefusal) -> Registration) -> EventRefusal? {
  do throws(EventRefusal) {
    _ = try register()
    return nil
  } catch {
    return error
  }
}

private func setDisposition(_ number: CInt, _ handler: sighandler_t!) {
  _ = signal(number, handler)
}
