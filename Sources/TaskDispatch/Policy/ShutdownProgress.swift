/// How far a shutdown has come: its phase, its deadlines, and what it has left behind. Both dispatchers use this,
/// each under its lock.
///
/// A shutdown *drains* first: accepted work goes on. When the drain's deadline passes and work is left, it
/// *cancels*: what has not started is cancelled, and running bodies are asked to stop. When the second deadline
/// passes, it gives up what still runs. Then it is *over*, and there is a report. A shutdown with nothing left is
/// over at any time.
@safe package struct ShutdownProgress {
  package enum Phase: Sendable { case draining, cancelling, over }
  package private(set) var phase = Phase.draining
  /// Until when accepted work may go on, in nanoseconds of the dispatcher's time.
  package private(set) var drainUntil: Int64
  /// Until when running bodies may go on after that, in nanoseconds of the dispatcher's time.
  package private(set) var cancelUntil: Int64
  /// The report that every caller of `shutdown` gets. Nil until it is made.
  package private(set) var report: ShutdownReport?
  package private(set) var unfinished: [(number: UInt64, left: ShutdownReport.Unfinished)] = []

  /// Begins to drain.
  package init(_ policy: ShutdownPolicy, at now: DispatcherInstant) {
    (drainUntil, cancelUntil) = Self.deadlines(policy, now)
  }

  private static func deadlines(
    _ policy: ShutdownPolicy, _ now: DispatcherInstant
  ) -> (drain: Int64, cancel: Int64) {
    let drain = now.advanced(by: policy.drain)
    return (drain.nanoseconds, drain.advanced(by: policy.cancel).nanoseconds)
  }

  /// Moves each deadline to where another call of `shutdown` would have it, if that is sooner.
  package mutating func shorten(_ policy: ShutdownPolicy, at now: DispatcherInstant) {
    let (drain, cancel) = Self.deadlines(policy, now)
    drainUntil = min(drainUntil, drain)
    cancelUntil = min(cancelUntil, cancel)
  }

  package func drainIsOver(at now: Int64) -> Bool { now >= drainUntil }

  package func cancelIsOver(at now: Int64) -> Bool { now >= cancelUntil }

  /// Whether handlers are called for signals and descriptors now.
  ///
  /// A second signal may ask for an end at once. So handlers of signals are called also while a shutdown cancels,
  /// until it gives up what still runs.
  package func callsHandlers(ofSignals: Bool, at now: Int64) -> Bool {
    switch phase {
    case .draining: true
    case .cancelling: ofSignals && !cancelIsOver(at: now)
    case .over: false
    }
  }

  /// Work is left at the drain's deadline.
  package mutating func beginCancelling() { phase = .cancelling }

  /// Adds a task to what the report says is unfinished.
  ///
  /// - Parameter number: Its place in the order of submission, by which the report lists it.
  package mutating func note(_ left: ShutdownReport.Unfinished, number: UInt64) {
    unfinished.append((number, left))
  }

  /// The report is about to be made: no handler is called any more, and nothing is taken in.
  package mutating func end() { phase = .over }

  /// Whether something is unfinished.
  package var isUnclean: Bool { !unfinished.isEmpty }

  /// Makes the report.
  ///
  /// - Parameter snapshot: What the dispatcher holds, if something is unfinished.
  package mutating func makeReport(
    _ ledger: Ledger, _ snapshot: DispatcherSnapshot? = nil
  ) -> ShutdownReport {
    let report = ShutdownReport(
      ledger: ledger, unfinished: unfinished.sorted { $0.number < $1.number }.map(\.left),
      snapshot: snapshot)
    self.report = report
    return report
  }
}
