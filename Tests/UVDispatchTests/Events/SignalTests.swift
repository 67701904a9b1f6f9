import Glibc
import TaskDispatch
import Testing

@testable import TaskDispatchTesting
@testable import UVDispatch

/// Each test has a signal of its own: its count and its disposition are the process's.
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

      // It holds the dispatcher, which holds it.
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
        try standingStill {
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
        dispatcher.withCore { dispatcher.settleEvents($0, looks: true) }
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

    @Test("that came before anybody waited for it is nobody's")
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
      dispatcher.withCore { dispatcher.settleEvents($0, looks: true) }
      #expect(dispatcher.ledger.waiting == 2)

      registration.cancel()
      registration.cancel()

      #expect(registration.isCancelled)
      #expect(handler == nil)
      #expect(dispatcher.withCore { $0.events.ofSignals.count } == 1)
      #expect(dispatcher.ledger.cancelled == 1)
      dispatcher.runUntilIdle()
      deliver(signal)
      dispatcher.runUntilIdle()
      #expect(calls.value == 0)
      #expect(stays.value == 2)
      #expect(dispatcher.ledger.balances)
    }

    @Test("does not reach a handler that an earlier one of the same burst removes")
    func removedByAnother() throws {
      let signal = Signal(rawValue: 48)
      let dispatcher = try UVDispatcher()
      let second = Box<Registration?>(nil)
      let called = Box(false)
      try dispatcher.onSignal(signal) { _ in second.value?.cancel() }
      second.value = try dispatcher.onSignal(signal) { _ in called.value = true }
      deliver(signal)

      dispatcher.runUntilIdle()

      #expect(!called.value)
      #expect(dispatcher.ledger.cancelled == 1)
      #expect(dispatcher.ledger.balances)
      second.value = nil
    }

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
        // A call waits, and nobody will run it.
        dropped.withCore { dropped.settleEvents($0, looks: true) }
        #expect(dropped.ledger.waiting == 1)
      }
      #expect(Disposition.of(signal) == .standard)
    }

    @Test("keeps the disposition that somebody else gave it since")
    func anotherDisposition() throws {
      let signal = Signal(rawValue: 51)
      let dispatcher = try UVDispatcher()
      let registration = try dispatcher.onSignal(signal) { _ in }
      setDisposition(signal.rawValue, somebodyElses)
      let theirs = Disposition.of(signal)

      registration.cancel()

      #expect(Disposition.of(signal) == theirs)
      setDisposition(signal.rawValue, SIG_DFL)
    }

    @Test("has its old disposition in a forked child, where nothing can be registered")
    func forked() async {
      await #expect(processExitsWith: .success) {
        try standingStill {
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

    @Test(
      "that nobody may handle is refused with the reason, and nothing has changed",
      arguments: [
        (Signal.kill, EventRefusal.cannotBeHandled(.kill)),
        (.stop, .cannotBeHandled(.stop)),
        (.child, .belongsToTheLoop(.child)),
        (Signal(rawValue: 4), .endsTheProcess(Signal(rawValue: 4))),
        (Signal(rawValue: 11), .endsTheProcess(Signal(rawValue: 11))),
        (Signal(rawValue: 32), .belongsToTheThreadLibrary(Signal(rawValue: 32))),
        (Signal(rawValue: 33), .belongsToTheThreadLibrary(Signal(rawValue: 33))),
        (Signal(rawValue: 0), .noSuchSignal(Signal(rawValue: 0))),
        (Signal(rawValue: -1), .noSuchSignal(Signal(rawValue: -1))),
        (Signal(rawValue: 65), .noSuchSignal(Signal(rawValue: 65))),
      ])
    func refusals(signal: Signal, refusal: EventRefusal) throws {
      let dispatcher = try UVDispatcher()

      #expect(throws: refusal) { try dispatcher.onSignal(signal) { _ in } }

      #expect(dispatcher.withCore { !$0.awaitsEvents })
    }

    @Test("is refused a handler once shutdown has begun; those there are go on until it ends")
    func shutdown() throws {
      let signal = Signal(rawValue: 52)
      let dispatcher = try UVDispatcher()
      let called = Latch()
      let registration = try dispatcher.onSignal(signal) { _ in called.open() }
      try dispatcher.start()
      let gate = Latch()
      dispatcher.background {
        deliver(signal)
        _ = gate.wait(patience)
      }
      dispatcher.beginShutdown(.init(drain: .seconds(3600)))

      #expect(throws: EventRefusal.shutDown) { try dispatcher.onSignal(.terminate) { _ in } }
      #expect(called.wait(patience))

      gate.open()
      dispatcher.end()
      #expect(!registration.isCancelled)
      #expect(dispatcher.withCore { !$0.awaitsEvents })
    }

    @Test("that came before a shutdown is told, whoever begins it")
    func beforeTheShutdown() throws {
      let signal = Signal(rawValue: 60)
      for _ in 0..<20 {
        let dispatcher = try UVDispatcher()
        let told = Box(0)
        try dispatcher.onSignal(signal) { deliveries in told.change { $0 += deliveries } }
        try dispatcher.start()
        dispatcher.waitUntil { $0.loopRuns && !$0.turnIsDue }
        deliver(signal)
        dispatcher.end()
        #expect(told.value == 1)
      }
    }

    @Test("that comes when a shutdown cancels is told to nobody, and ends no process")
    func whileItCancels() throws {
      let signal = Signal(rawValue: 39)
      let dispatcher = try UVDispatcher()
      let told = Box(false)
      try dispatcher.onSignal(signal) { _ in told.value = true }
      try dispatcher.start()
      let (isHeld, gate) = (Latch(), Latch())
      dispatcher.background {
        isHeld.open()
        _ = gate.wait(patience)
      }
      #expect(isHeld.wait(patience))
      dispatcher.beginShutdown(.init(drain: .zero, cancel: .seconds(3600)))
      dispatcher.waitUntil { $0.shutdown?.phase == .cancelling }
      deliver(signal)
      gate.open()
      dispatcher.end()
      #expect(!told.value)
      #expect(dispatcher.report?.unfinished.isEmpty == true)
    }

    @Test("tells an observer of its registration, its calls and its removal")
    func observed() throws {
      let signal = Signal(rawValue: 53)
      let observer = EventLog()
      let dispatcher = try UVDispatcher(.init(observer: observer))
      let registration = try dispatcher.onSignal(signal, label: "reload") { _ in }
      deliver(signal)
      dispatcher.runUntilIdle()
      registration.cancel()

      let events = observer.all.filter { $0.task.label == "reload" }
      #expect(
        events.map(\.kind)
          == [.registered, .enqueued, .started, .finished(.completed), .unregistered])
      #expect(events.allSatisfy { $0.task.queue == "foreground" })
      #expect(Set(events.map(\.task.site)).count == 1)
    }

    @Test("is counted by no limit")
    func limits() throws {
      let signal = Signal(rawValue: 54)
      let dispatcher = try UVDispatcher(.init(overflow: .reject(limit: 1)))
      let called = Box(0)
      try dispatcher.onSignal(signal) { _ in called.increment() }
      try dispatcher.onSignal(signal) { _ in called.increment() }
      dispatcher.foreground {}
      deliver(signal)

      dispatcher.runUntilIdle()

      #expect(called.value == 2)
      #expect(dispatcher.ledger.refused == 0)
    }

    @Test("may come while its handlers come and go on other threads")
    func comingAndGoing() throws {
      let signal = Signal(rawValue: 55)
      // Without a handler it would end the process.
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

private final class EventLog: TaskObserver {
  private let events = Box([TaskEvent]())

  func observe(_ event: TaskEvent) { events.change { $0.append(event) } }

  var all: [TaskEvent] { events.value }
}

/// Where `signal` is the name of something else.
private func setDisposition(_ number: CInt, _ handler: sighandler_t!) {
  _ = signal(number, handler)
}
