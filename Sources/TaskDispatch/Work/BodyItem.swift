/// A work item whose body makes no value.
package class BodyItem: WorkItem, @unchecked Sendable {
  // Guarded as ``WorkItem`` says. Once the body has thrown, a closure that throws the same error.
  @safe @exclusivity(unchecked) final var body: (() throws -> Void)?

  init(
    _ origin: Origin, _ more: consuming More, body: consuming sending @escaping () throws -> Void
  ) {
    self.body = body
    super.init(origin, more)
  }

  override final func callBody() throws {
    guard let body = body.take() else { refuseToRunTwice() }
    try body()
  }

  override final func keep(_ failure: any Error) { body = { throw failure } }

  override final var hasCalledBody: Bool { body == nil }

  override final var holdsUnrunBody: Bool { body != nil }

  override package final func releaseUnrun() { body = nil }

  override final var failure: (any Error)? {
    do {
      try body?()
      return nil
    } catch {
      return error
    }
  }
}

/// A body item with a label.
final class LabelledItem: BodyItem, @unchecked Sendable {
  private let ownLabel: String

  init(
    _ origin: Origin, _ more: consuming More, label: String,
    body: consuming sending @escaping () throws -> Void
  ) {
    ownLabel = label
    super.init(origin, more, body: body)
  }

  override var label: String? { ownLabel }
}

/// A body item that waits for a time.
final class TimerItem: BodyItem, @unchecked Sendable {
  private let ownDue: Int64

  init(
    _ origin: Origin, _ more: consuming More, due: Int64,
    body: consuming sending @escaping () throws -> Void
  ) {
    ownDue = due
    super.init(origin, more, body: body)
  }

  override var dueInNanoseconds: Int64? { ownDue }
}

/// A repeating timer. It never runs itself: its ``run`` does, with the timer's body.
package final class RepeatingItem: BodyItem, @unchecked Sendable {
  // Guarded by the dispatcher's lock, as the item's place is.
  @safe @exclusivity(unchecked) package final var ticks: Ticks
  /// The run that waits in its queue or is in its body. Nil if there is none.
  @safe @exclusivity(unchecked) package private(set) final var run: RunItem?

  init(
    _ origin: Origin, _ more: consuming More, _ repetition: Repetition, due: DispatcherInstant,
    body: consuming sending @escaping () throws -> Void
  ) {
    ticks = Ticks(repetition, first: due)
    super.init(origin, more, body: body)
  }

  override var dueInNanoseconds: Int64? { ticks.next.nanoseconds }
  package override var next: WorkItem { run ?? self }

  /// What a timer does next.
  package enum Next {
    /// It gets a run now.
    case run
    /// It waits for its next tick.
    case wait(until: DispatcherInstant)
    /// It ends: it was cancelled, or a shutdown has stopped its ticks.
    case end
  }

  /// A tick has come, and there is no run.
  package func comeDue(at now: DispatcherInstant) -> Next {
    ticks.comeDue(at: now) ? .run : .wait(until: ticks.next)
  }

  /// The body of the run has ended. Forgets the run.
  package func endRun(at now: DispatcherInstant) -> Next {
    letGoOfRun()
    if isCancellationRequested { return .end }
    if ticks.endRun(at: now) { return .run }
    return ticks.isStopped ? .end : .wait(until: ticks.next)
  }

  /// Makes a run. Traps if there is one already. The timer must not have ended.
  package func makeRun() -> RunItem {
    guard let body, run == nil else { refuse("\(name) cannot make a run") }
    let run = RunItem(of: self, body: body)
    self.run = run
    return run
  }

  /// Forgets the run, which has ended or never will. Without this, the timer and its run would keep each
  /// other alive.
  package func letGoOfRun() { run = nil }
}

/// A run of a repeating timer. It waits in its queue as a timer does whose time has come.
package final class RunItem: BodyItem, @unchecked Sendable {
  package let timer: RepeatingItem
  // Set under the dispatcher's lock before the body begins.
  @safe @exclusivity(unchecked) final var missedTicks = 0

  fileprivate init(
    of timer: RepeatingItem, body: consuming sending @escaping () throws -> Void
  ) {
    self.timer = timer
    super.init(Origin(runOf: timer), More(view: timer.view), body: body)
    _ = markTaken()
  }

  public override var label: String? { timer.label }
  package override var handled: WorkItem { timer }

  /// Notes that the body is about to begin. Under the dispatcher's lock.
  package func beginBody(at now: DispatcherInstant) {
    missedTicks = timer.ticks.beginBody(at: now)
  }
}
