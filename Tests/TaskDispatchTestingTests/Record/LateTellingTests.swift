import TaskDispatch
import TaskDispatchContract
import TaskDispatchTesting
import Testing

/// A submitting thread may report its submission late: after a worker has run the task and reported its end.
@Suite("A dispatcher that tells of the end before it tells of the beginning")
struct LateTellingTests {
  @Test("keeps the contract", arguments: DispatcherContract.rules(for: LateSubject()))
  func contract(_ rule: DispatcherContract.Rule) throws {
    try rule.check(LateSubject())
  }

  @Test("gives the same token for the order of its bodies, since times decide")
  func token() throws {
    let log = EventLog()
    let dispatcher = RecordingDispatcher(.init(width: 2, observer: log))
    dispatcher.foreground.async(label: "ask") {
      for number in 1...3 {
        dispatcher.background.async(label: "answer \(number)") {
          dispatcher.foreground.async(label: "keep \(number)") {}
        }
      }
    }
    try dispatcher.runUntilIdle()
    let history = log.events.enumerated().map { index, event in
      TaskEvent(event.kind, event.task, at: .init(nanoseconds: Int64(index)))
    }

    let late = history.filter { $0.kind != .enqueued } + history.filter { $0.kind == .enqueued }

    #expect(scheduleToken(of: late) == scheduleToken(of: history))
    #expect(scheduleToken(of: history.reversed()) == scheduleToken(of: history))
    try dispatcher.finish()
  }
}

/// A fake whose observer hears of the end of a task before it hears that the task was enqueued.
private struct LateSubject: ContractSubject {
  private let fake = FakeSubject()

  var provides: DispatcherContract.Provisions { fake.provides }

  func makeDispatcher(_ configuration: ContractConfiguration) -> RecordingDispatcher {
    var configuration = configuration
    configuration.observer = configuration.observer.map { LateObserver($0) }
    return fake.makeDispatcher(configuration)
  }

  func runUntilIdle(_ dispatcher: RecordingDispatcher) throws { try fake.runUntilIdle(dispatcher) }

  func runBackgroundUntilIdle(_ dispatcher: RecordingDispatcher) throws {
    try fake.runBackgroundUntilIdle(dispatcher)
  }

  func pass(_ duration: Duration, on dispatcher: RecordingDispatcher) throws {
    try fake.pass(duration, on: dispatcher)
  }

  func spend(_ duration: Duration, on dispatcher: RecordingDispatcher) {
    fake.spend(duration, on: dispatcher)
  }

  func end(_ dispatcher: RecordingDispatcher) throws { try fake.end(dispatcher) }

  func finish(_ dispatcher: RecordingDispatcher) throws { try fake.finish(dispatcher) }

  func raise(_ signal: Signal, to dispatcher: RecordingDispatcher) throws {
    try fake.raise(signal, to: dispatcher)
  }

  func openDescriptor(for dispatcher: RecordingDispatcher) -> CInt {
    fake.openDescriptor(for: dispatcher)
  }

  func makeReadable(_ descriptor: CInt, for dispatcher: RecordingDispatcher) throws {
    try fake.makeReadable(descriptor, for: dispatcher)
  }
}

/// Holds back the event that a task was enqueued until it has reported the end of the task.
private final class LateObserver: TaskObserver {
  private let observer: any TaskObserver
  private let keptBack = Box([TaskID: TaskEvent]())

  init(_ observer: any TaskObserver) { self.observer = observer }

  func observe(_ event: TaskEvent) {
    if event.kind == .enqueued {
      keptBack.change { $0[event.task.id] = event }
      return
    }
    observer.observe(event)
    switch event.kind {
    case .finished, .refused:
      let late = keptBack.change { $0.removeValue(forKey: event.task.id) }
      if let late { observer.observe(late) }
    default: break
    }
  }
}
