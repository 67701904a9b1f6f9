internal import TaskDispatch
internal import TaskDispatchTesting

/// A subject and its dispatcher, without their types.
protocol SceneDriver: Sendable {
  var provides: DispatcherContract.Provisions { get }
  var patience: Duration { get }
  func start() throws
  func runUntilIdle() throws
  func runBackgroundUntilIdle() throws
  func pass(_ duration: Duration) throws
  func spend(_ duration: Duration)
  func end() throws
  func finish() throws
  func usePool(_ work: @escaping @Sendable () -> Void)
  func raise(_ signal: Signal) throws
  func openDescriptor() throws -> CInt
  func makeReadable(_ descriptor: CInt) throws
  func makeUnreadable(_ descriptor: CInt) throws
}

private struct SubjectDriver<Subject: ContractSubject>: SceneDriver {
  let subject: Subject
  let dispatcher: Subject.Dispatcher

  var provides: DispatcherContract.Provisions { subject.provides }
  var patience: Duration { subject.patience }
  func start() throws { try subject.start(dispatcher) }
  func runUntilIdle() throws { try subject.runUntilIdle(dispatcher) }
  func runBackgroundUntilIdle() throws { try subject.runBackgroundUntilIdle(dispatcher) }
  func pass(_ duration: Duration) throws { try subject.pass(duration, on: dispatcher) }
  func spend(_ duration: Duration) { subject.spend(duration, on: dispatcher) }
  func end() throws { try subject.end(dispatcher) }
  func finish() throws { try subject.finish(dispatcher) }
  func usePool(_ work: @escaping @Sendable () -> Void) { subject.usePool(of: dispatcher, work) }
  func raise(_ signal: Signal) throws { try subject.raise(signal, to: dispatcher) }
  func openDescriptor() throws -> CInt { try subject.openDescriptor(for: dispatcher) }
  func makeReadable(_ descriptor: CInt) throws {
    try subject.makeReadable(descriptor, for: dispatcher)
  }
  func makeUnreadable(_ descriptor: CInt) throws {
    try subject.makeUnreadable(descriptor, for: dispatcher)
  }
}

extension Scene {
  /// Makes a scene with a new dispatcher of `subject`.
  static func make(
    for rule: DispatcherContract.Rule, _ subject: some ContractSubject
  ) throws(ContractViolation) -> Scene {
    let events = EventLog()
    var configuration = rule.configuration
    configuration.observer = rule.isObserved ? events : nil
    do {
      let dispatcher = try subject.makeDispatcher(configuration)
      return Scene(
        rule, dispatcher, SubjectDriver(subject: subject, dispatcher: dispatcher), events)
    } catch {
      throw ContractViolation(
        rule: rule.number, check: rule.description, expected: "the subject makes a dispatcher",
        found: "\(error)", notes: [], events: [], site: CallSite(fileID: #fileID, line: #line))
    }
  }
}
