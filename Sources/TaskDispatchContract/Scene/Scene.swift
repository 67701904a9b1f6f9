internal import TaskDispatch
internal import TaskDispatchTesting

/// What one check works with: a dispatcher, the notes and events so far, and the calls that drive the dispatcher.
///
/// Bodies may use it from any thread. The calls that drive belong to the thread of the check. The first expectation
/// that fails is remembered, and thrown by the next call that drives or at the end of the check. So a body can state
/// expectations too.
final class Scene: Sendable {
  let dispatcher: any TaskDispatcher
  let rule: DispatcherContract.Rule
  let events: EventLog
  let driver: any SceneDriver
  private let state = Locked(State())

  private struct State {
    var notes: [String] = []
    var violation: ContractViolation?
    var isStarted = false
    /// Gates that hold bodies on threads. They are opened at the end, so that no thread stays blocked.
    var gates: [Latch] = []
  }

  init(
    _ rule: DispatcherContract.Rule, _ dispatcher: any TaskDispatcher, _ driver: any SceneDriver,
    _ events: EventLog
  ) {
    self.rule = rule
    self.dispatcher = dispatcher
    self.driver = driver
    self.events = events
  }

  var foreground: TaskQueue { dispatcher.foreground }
  var background: TaskQueue { dispatcher.background }
  var now: DispatcherInstant { dispatcher.now }
  var isSingleThreaded: Bool { !driver.provides.contains(.threads) }
  var patience: Duration { driver.patience }

  /// The time-out of waits that must end. Nil on one thread: there, the waiting thread itself runs what it waits for,
  /// and is refused if the wait cannot end.
  var timeout: Duration? { isSingleThreaded ? nil : patience }

  /// How often a body may repeat before another body must have run. Many on threads, where the other body's thread must
  /// first get a processor.
  var manyRounds: Int { isSingleThreaded ? 1000 : 1_000_000 }

  /// A new view; its label says its width.
  ///
  /// - Parameter overflow: Its own limit; nil for that of the dispatcher.
  func makeQueue(_ width: Int, overflow: Overflow? = nil) -> TaskQueue {
    dispatcher.makeQueue(
      QueueOptions(label: "view of width \(width)", width: width, overflow: overflow))
  }

  /// A queue of each kind: the foreground, the background, a wide view and a narrow one.
  func makeQueues() -> [TaskQueue] { [foreground, background, makeQueue(2), makeQueue(1)] }

  // MARK: The check itself

  func play(_ body: (Scene) throws -> Void) throws(ContractViolation) {
    do {
      try body(self)
      // A task that the check has waited for may still be ending on another thread.
      try runUntilIdle()
    } catch {
      record(violation(error))
    }
    openGates()
    do {
      try driver.finish()
    } catch {
      record(violation("nothing is left over, and the dispatcher can be finished", "\(error)"))
    }
    // A check that was broken off need not account for its submissions.
    if state.withLock({ $0.violation == nil }), rule.isObserved { audit() }
    if let violation = state.withLock({ $0.violation }) { throw violation }
  }

  private func violation(_ error: any Error) -> ContractViolation {
    (error as? ContractViolation) ?? violation("the check runs to its end", "\(error)")
  }

  func violation(
    _ expected: String, _ found: String, rule number: Int? = nil,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> ContractViolation {
    ContractViolation(
      rule: number ?? rule.number, check: rule.description, expected: expected, found: found,
      notes: notes, events: events.events, site: CallSite(fileID: fileID, line: line))
  }

  /// Remembers a violation, if it is the first.
  func record(_ violation: ContractViolation) {
    state.withLock { state in
      if state.violation == nil { state.violation = violation }
    }
  }

  /// Throws what an expectation has remembered.
  private func throwIfBroken() throws {
    if let violation = state.withLock({ $0.violation }) { throw violation }
  }

  // MARK: Notes

  func note(_ text: String) { state.withLock { $0.notes.append(text) } }

  var notes: [String] { state.withLock { $0.notes } }

  // MARK: Driving

  /// Starts the loop, if it does not run yet.
  func start() throws {
    let isFirst = state.withLock { state in
      defer { state.isStarted = true }
      return !state.isStarted
    }
    if isFirst { try driver.start() }
  }

  /// Lets everything run that can run now.
  func runUntilIdle(fileID: StaticString = #fileID, line: UInt = #line) throws {
    try drive("everything that can run ends", fileID, line) {
      try start()
      try driver.runUntilIdle()
    }
  }

  /// Lets time pass, and runs what comes due.
  func pass(_ duration: Duration, fileID: StaticString = #fileID, line: UInt = #line) throws {
    try drive("time can pass", fileID, line) {
      try start()
      try driver.pass(duration)
    }
  }

  /// Lets time pass inside the calling body. Nothing else runs on its thread.
  func spend(_ duration: Duration) { driver.spend(duration) }

  /// Lets things run until `latch` is open. Throws a violation if it is not open when ``patience`` ends or nothing is
  /// left that could run.
  func reach(
    _ latch: Latch, _ what: String, fileID: StaticString = #fileID, line: UInt = #line
  ) throws {
    try drive(what, fileID, line) {
      try start()
      if isSingleThreaded { try driver.runUntilIdle() }
    }
    try reached(latch, what, fileID, line)
  }

  /// Lets the background alone run until `latch` is open. Must be called before anything else is driven. Throws as
  /// ``reach(_:_:fileID:line:)`` does.
  func reachInBackground(
    _ latch: Latch, _ what: String, fileID: StaticString = #fileID, line: UInt = #line
  ) throws {
    try drive(what, fileID, line) { try driver.runBackgroundUntilIdle() }
    try reached(latch, what, fileID, line)
  }

  private func reached(
    _ latch: Latch, _ what: String, _ fileID: StaticString, _ line: UInt
  ) throws {
    let isOpen = isSingleThreaded ? latch.isOpen : latch.wait(patience)
    try throwIfBroken()
    if !isOpen {
      let found =
        isSingleThreaded ? "nothing is left that could run" : "not in \(patience.exactText)"
      throw violation(
        what, "it has not happened (\(latch.missing) missing): \(found)", fileID: fileID, line: line
      )
    }
  }

  private func drive(
    _ expected: String, _ fileID: StaticString, _ line: UInt, _ drive: () throws -> Void
  ) throws {
    try throwIfBroken()
    do {
      try drive()
    } catch {
      throw violation(expected, "\(error)", fileID: fileID, line: line)
    }
    try throwIfBroken()
  }

  /// Begins to shut down, and drives the dispatcher until the shutdown is over.
  @discardableResult
  func shutDown(
    _ policy: ShutdownPolicy = ShutdownPolicy(), fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> ShutdownReport {
    dispatcher.beginShutdown(policy)
    return try end(fileID: fileID, line: line)
  }

  /// Drives the dispatcher until a shutdown that has begun is over.
  @discardableResult
  func end(fileID: StaticString = #fileID, line: UInt = #line) throws -> ShutdownReport {
    try drive("the shutdown comes to its end", fileID, line) {
      try start()
      try driver.end()
    }
    guard let report = dispatcher.report else {
      throw violation(
        "there is a report when the shutdown is over", "none", fileID: fileID, line: line)
    }
    return report
  }

  /// Runs `work` on the pool directly, and not through the dispatcher.
  func usePool(_ work: @escaping @Sendable () -> Void) { driver.usePool(work) }

  // MARK: Holding

  /// Runs `body` while gates keep the background, and the foreground if the loop runs, from starting anything. So what
  /// `body` submits waits in its queues. A single-threaded dispatcher runs nothing by itself, so there `body` just
  /// runs.
  func hold(
    fileID: StaticString = #fileID, line: UInt = #line, _ body: () throws -> Void
  ) throws {
    guard !isSingleThreaded else { return try body() }
    let gate = newGate()
    defer { gate.open() }
    let isStarted = state.withLock { $0.isStarted }
    let queues =
      Array(repeating: background, count: rule.configuration.width)
      + (isStarted ? [foreground] : [])
    for queue in queues {
      // One after the other: a limit would count several that wait.
      let arrived = Latch()
      let patience = patience
      queue {
        arrived.open()
        gate.hold(patience)
      }
      guard arrived.wait(patience) else {
        throw violation(
          "\(queue.label) starts what it is given while it has room",
          "not in \(patience.exactText)",
          fileID: fileID, line: line)
      }
    }
    try body()
  }

  /// Makes a latch for bodies to wait at. It is opened when the check ends, however it ends.
  func newGate() -> Latch {
    let gate = Latch()
    state.withLock { $0.gates.append(gate) }
    return gate
  }

  private func openGates() {
    for gate in state.withLock({ $0.gates }) { gate.open() }
  }
}
