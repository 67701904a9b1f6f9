import Glibc
import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

/// Each test has a signal of its own: the whole process shares the count and the disposition of a signal.
extension OnePool {
  @Suite("A signal")
  struct SignalTests {
    @Test("calls its handler on the foreground, under its label, with the number of deliveries")
    func handler() throws {
      let signal = Signal(rawValue: 40)
      let dispatcher = try UVDispatcher()
      let log = Box([String]())
      let registration = try dispatcher.onSignal(signal, label: "reload") { deliveries in
        let label = CurrentTask.label ?? "none"
        log.change { $0.append("\(deliveries) \(dispatcher.isForeground) \(label)") }
      }
      deliver(signal, times: 3)

      dispatcher.runUntilIdle()

      // The registration and the dispatcher hold each other until it is cancelled.
      registration.cancel()
      #expect(log.value == ["3 true reload"])
      #expect(dispatcher.ledger.completed == 1)
      #expect(dispatcher.ledger.balances)
    }

    @Test("that comes 20 000 times while the loop is blocked is counted 20 000 times")
    func everyDelivery() throws {
      let signal = Signal(rawValue: 41)
      let dispatcher = try UVDispatcher()
      let (sum, calls) = (Box(0), Box(0))
      try dispatcher.onSignal(signal) { deliveries in
        sum.change { $0 += deliveries }
        calls.increment()
      }
      dispatcher.foreground { deliver(signal, times: 20_000) }

      dispatcher.runUntilIdle()

      #expect(sum.value == 20_000)
      #expect(calls.value == 1)
    }

    @Test("sent by another process comes at least once, and not more often than it was sent")
    func fromAnotherProcess() async {
      await #expect(processExitsWith: .success) {
        try blocking {
          let dispatcher = try UVDispatcher()
          let (seen, came) = (Box(0), Latch())
          try dispatcher.onSignal(.user1) { deliveries in
            seen.change { $0 += deliveries }
            came.open()
          }
          try dispatcher.start()
          let parent = getpid()
          let status = statusOfForkedChild {
            for _ in 0..<5000 { kill(parent, SIGUSR1) }
          }
          #expect(status == 0)
          #expect(came.wait(patience))
          dispatcher.end()
          #expect((1...5000).contains(seen.value))
        }
      }
    }

    @Test("that comes while a call waits is told in that call")
    func joins() throws {
      let signal = Signal(rawValue: 59)
      let dispatcher = try UVDispatcher()
      let log = Box([Int]())
      try dispatcher.onSignal(signal) { deliveries in log.change { $0.append(deliveries) } }
      for _ in 0..<3 {
        deliver(signal)
        dispatcher.engine.withCore { dispatcher.engine.queueEventCalls($0, looks: true) }
      }

      dispatcher.runUntilIdle()

      #expect(log.value == [3])
    }

    @Test("that comes while its handler runs is a call of its own")
    func whileItRuns() throws {
      let signal = Signal(rawValue: 42)
      let dispatcher = try UVDispatcher()
      let log = Box([Int]())
      try dispatcher.onSignal(signal) { deliveries in
        if log.value.isEmpty { deliver(signal) }
        log.change { $0.append(deliveries) }
      }
      deliver(signal)

      dispatcher.runUntilIdle()

      #expect(log.value == [1, 1])
    }

    @Test("wakes a loop that waits, whatever thread it comes on")
    func wakes() throws {
      let signal = Signal(rawValue: 43)
      let dispatcher = try UVDispatcher()
      let came = Latch(3)
      try dispatcher.onSignal(signal) { deliveries in
        for _ in 0..<deliveries { came.open() }
      }
      try dispatcher.start()

      for _ in 0..<3 { #expect(OtherThread { deliver(signal) }.join()) }

      #expect(came.wait(patience))
      dispatcher.end()
    }

    @Test("reaches each of its handlers, of every dispatcher, and no handler of another")
    func severalHandlers() throws {
      let (signal, other) = (Signal(rawValue: 44), Signal(rawValue: 45))
      let (first, second) = (try UVDispatcher(), try UVDispatcher())
      let log = Box([String]())
      func note(_ name: String) -> @Sendable (Int) -> Void {
        { _ in log.change { $0.append(name) } }
      }
      try first.onSignal(signal, perform: note("a"))
      try first.onSignal(other, perform: note("other"))
      try first.onSignal(signal, perform: note("b"))
      try second.onSignal(signal, perform: note("c"))
      deliver(signal)

      first.runUntilIdle()
      second.runUntilIdle()

      #expect(log.value == ["a", "b", "c"])
    }

    @Test("that came before a handler was registered is not told to that one")
    func before() throws {
      let signal = Signal(rawValue: 46)
      let dispatcher = try UVDispatcher()
      let seen = Box(0)
      let first = try dispatcher.onSignal(signal) { _ in }
      deliver(signal, times: 5)
      try dispatcher.onSignal(signal) { deliveries in seen.change { $0 += deliveries } }
      deliver(signal)

      dispatcher.runUntilIdle()

      #expect(seen.value == 1)
      first.cancel()
    }

    @Test("does not reach a handler that was removed, also if it had come already")
    func removed() throws {
      let signal = Signal(rawValue: 47)
      let dispatcher = try UVDispatcher()
      let (calls, stays) = (Box(0), Box(0))
      weak var handler: Box<Int>?
      let registration: Registration
      do {
        let token = Box(0)
        handler = token
        registration = try dispatcher.onSignal(signal) { _ in
          token.increment()
          calls.increment()
        }
      }
      try dispatcher.onSignal(signal) { _ in stays.increment() }
      deliver(signal)
      dispatcher.engine.withCore { dispatcher.engine.queueEventCalls($0, looks: true) }
      #expect(dispatcher.ledger.waiting == 2)

      registration.cancel()
      registration.cancel()

      #expect(registration.isCancelled)
      #expect(handler == nil)
      #expect(dispatcher.engine.withCore { $0.events.ofSignals.count } == 1)
      #expect(dispatcher.ledger.cancelled == 1)
      dispatcher.runUntilIdle()
      deliver(signal)
      dispatcher.runUntilIdle()
      #expect(calls.value == 0)
      #expect(stays.value == 2)
      #expect(dispatcher.ledger.balances)
    }
  }
}
