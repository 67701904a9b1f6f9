/// Checks which task and which queues user code sees as current, and records the user code that each
/// thread is in.
public final class PlaceChecker: Sendable {
  private let violations: ViolationLog
  private let busy = Locked(0)

  public init(violations: ViolationLog) { self.violations = violations }

  /// How many threads of the pool are in user code of any kind.
  public var busyWorkers: Int { busy.withLock { $0 } }

  // MARK: Bodies

  /// A body begins on the calling thread. It must see its own task and its own queue. A `sync` body
  /// that its caller runs also sees the queues that the caller sees.
  ///
  /// - Parameter standsOnCaller: Whether it is the body of a `sync` that the calling thread is in.
  public func enterBody(
    _ kind: Place.Kind, _ ticket: Ticket, mark: Int, standsOnCaller: Bool = false, seen: Standing
  ) {
    let stand = ThreadRecorder.current.stand
    var expected = Standing(task: mark, queue: ticket.queue)
    if standsOnCaller, let top = stand.top { expected.queues |= top.standing.queues }
    if seen != expected {
      violations.report(
        .standing, ticket, "the body of #\(mark) sees \(seen), and stands in \(expected)")
    }
    enter(stand, kind, mark, seen)
  }

  /// A job of a Swift Task begins on the calling thread, in `queue`. It has no mark.
  ///
  /// - Parameter isLate: Whether it may run elsewhere, since the dispatcher has ended.
  public func enterJob(in queue: Int, isLate: Bool, seen: Standing) {
    if !isLate, seen.queues != 1 << UInt64(queue) {
      violations.report(.standing, nil, "a job in queue \(queue) sees \(seen)")
    }
    enter(ThreadRecorder.current.stand, .job, 0, seen)
  }

  /// Code that no dispatcher runs begins: of a thread of the program's own, or of a Task elsewhere.
  public func enterOutside(_ kind: Place.Kind, seen: Standing) {
    let stand = ThreadRecorder.current.stand
    if stand.depth == 0, seen != .nowhere {
      violations.report(.standing, nil, "a \(kind.rawValue) of no dispatcher sees \(seen)")
    }
    enter(stand, kind, 0, seen)
  }

  // MARK: Callbacks

  /// A callback begins. On a dispatcher's own thread it sees no task and no queue. Inside a call that
  /// user code makes, it may also see what that code sees; which of the two it sees cannot be known from
  /// outside.
  ///
  /// - Parameter own: Other standings that are right: those of the tasks that the callback belongs to.
  public func enterCallback(
    _ kind: Place.Kind, mark: Int, or own: [Standing] = [], seen: Standing
  ) {
    let stand = ThreadRecorder.current.stand
    let caller = stand.top
    if seen != .nowhere, seen != caller?.standing, !own.contains(seen) {
      let place = caller.map { "inside a call of a \($0.kind.rawValue) in \($0.standing)" }
      violations.report(
        .standing, nil,
        "\(kind.rawValue) of #\(mark) sees \(seen), \(place ?? "called by the dispatcher's own thread")"
      )
    }
    enter(stand, kind, mark, seen)
  }

  /// What a body had captured is released. If the body ran, the release happens in the body's own
  /// standing; if not, it is a callback like any other.
  public func enterCaptured(_ ticket: Ticket, mark: Int, seen: Standing) {
    guard ticket.hasRun else { return enterCallback(.captured, mark: mark, seen: seen) }
    let own = Standing(task: mark, queue: ticket.queue)
    if seen != own {
      violations.report(
        .standing, ticket,
        "what the body of #\(mark) had captured is let go of in \(seen), and not in \(own)")
    }
    enter(ThreadRecorder.current.stand, .captured, mark, seen)
  }

  /// A callback begins for which no rule says what it sees.
  public func enterAnywhere(_ kind: Place.Kind, mark: Int, seen: Standing) {
    enter(ThreadRecorder.current.stand, kind, mark, seen)
  }

  private func enter(_ stand: Stand, _ kind: Place.Kind, _ mark: Int, _ standing: Standing) {
    if stand.enter(kind, mark, standing), stand.role == .worker { busy.withLock { $0 += 1 } }
  }

  /// The innermost piece of user code of the calling thread ends.
  public func leave() {
    let stand = ThreadRecorder.current.stand
    if stand.leave(), stand.role == .worker { busy.withLock { $0 -= 1 } }
  }
}
