public import TaskDispatch
public import TaskDispatchTesting

/// Puts ``RecordingDispatcher`` to the contract. It also shows how little a subject has to say.
public struct FakeSubject: ContractSubject {
  public init() {}

  /// No threads: every body runs on the thread that steps.
  public var provides: DispatcherContract.Provisions { .events }

  public func makeDispatcher(_ configuration: ContractConfiguration) -> RecordingDispatcher {
    RecordingDispatcher(
      .init(
        width: configuration.width, stepLimit: 5_000, thrownErrors: .ignore,
        overflow: configuration.overflow, agingStep: configuration.agingStep,
        observer: configuration.observer))
  }

  public func runUntilIdle(_ dispatcher: RecordingDispatcher) throws {
    try dispatcher.runUntilIdle()
  }

  public func runBackgroundUntilIdle(_ dispatcher: RecordingDispatcher) throws {
    try dispatcher.runBackgroundUntilIdle()
  }

  public func pass(_ duration: Duration, on dispatcher: RecordingDispatcher) throws {
    try dispatcher.advanceTime(by: duration)
  }

  public func spend(_ duration: Duration, on dispatcher: RecordingDispatcher) {
    do { try dispatcher.skipTime(by: duration) } catch {
      refuse("a body cannot take \(duration.exactText): \(error)")
    }
  }

  public func end(_ dispatcher: RecordingDispatcher) throws {
    while true {
      try dispatcher.runUntilIdle()
      if dispatcher.report != nil { return }
      try dispatcher.advanceToNextDeadline()
    }
  }

  public func finish(_ dispatcher: RecordingDispatcher) throws {
    try dispatcher.finish()
  }

  public func raise(_ signal: Signal, to dispatcher: RecordingDispatcher) throws {
    try dispatcher.raise(signal)
  }

  /// A number that no registration has. The fake opens no descriptor: it knows only numbers.
  public func openDescriptor(for dispatcher: RecordingDispatcher) -> CInt {
    1_000 + CInt(dispatcher.awaitedEvents.count)
  }

  public func makeReadable(_ descriptor: CInt, for dispatcher: RecordingDispatcher) throws {
    try dispatcher.makeReady(descriptor, .readable)
  }
}
