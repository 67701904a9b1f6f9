/// Watches where user code is told that it stands, and keeps the books of what each thread is in.
public final class PlaceJudge: Sendable {
  private let court: Court
  private let busy = Locked(0)

  public init(court: Court) { self.court = court }

  /// How many threads of the pool are in user code, whatever kind.
  public var busyWorkers: Int { busy.withLock { $0 } }

  // MARK: Bodies

  /// A body begins on the calling thread. It sees its own task; its own queue, and in a `sync` that its
  /// caller runs also the queues of that.
  ///
  /// - Parameter standsOnCaller: Whether it is the body of a `sync` that the calling thread is in.
  public func enterBody(
    _ kind: Place.Kind, _ ticket: Ticket, mark: Int, standsOnCaller: Bool = false, seen: Standing
  ) {
    let stand = Hand.current.stand
    var expected = Standing(task: mark, queue: ticket.queue)
    if standsOnCaller, let top = stand.top { expected.queues |= top.standing.queues }
    if seen != expected {
      court.report(
        .standing, ticket, "the body of #\(mark) sees \(seen), and stands in \(expected)")
    }
    enter(stand, kind, mark, seen)
  }

  /// A job of a Swift Task begins on the calling thread, in `queue`; it has no mark.
  ///
  /// - Parameter isLate: Whether it may run elsewhere, since the dispatcher is over.
  public func enterJob(in queue: Int, isLate: Bool, seen: Standing) {
    if !isLate, seen.queues != 1 << UInt64(queue) {
      court.report(.standing, nil, "a job in queue \(queue) sees \(seen)")
    }
    enter(Hand.current.stand, .job, 0, seen)
  }

  /// Code that no dispatcher runs begins: a thread of the program's own, or a Task elsewhere.
  public func enterOutside(_ kind: Place.Kind, seen: Standing) {
    let stand = Hand.current.stand
    if stand.depth == 0, seen != .nowhere {
      court.report(.standing, nil, "a \(kind.rawValue) of no dispatcher sees \(seen)")
    }
    enter(stand, kind, 0, seen)
  }

  // MARK: Callbacks

  /// A callback begins. Made by a dispatcher's own thread it stands nowhere. Inside a call of user code
  /// that code's standing is right as well; which of the two it is cannot be known from outside.
  ///
  /// - Parameter own: Other standings that are right, those of the tasks it belongs to.
  public func enterCallback(
    _ kind: Place.Kind, mark: Int, or own: [Standing] = [], seen: Standing
  ) {
    let stand = Hand.current.stand
    let caller = stand.top
    if seen != .nowhere, seen != caller?.standing, !own.contains(seen) {
      let place = caller.map { "inside a call of a \($0.kind.rawValue) in \($0.standing)" }
      court.report(
        .standing, nil,
        "\(kind.rawValue) of #\(mark) sees \(seen), \(place ?? "called by the dispatcher's own thread")"
      )
    }
    enter(stand, kind, mark, seen)
  }

  /// What a body had captured is let go of. If the body ran, that is in its own standing; else it is a
  /// callback as any other.
  public func enterCaptured(_ ticket: Ticket, mark: Int, seen: Standing) {
    guard ticket.hasRun else { return enterCallback(.captured, mark: mark, seen: seen) }
    let own = Standing(task: mark, queue: ticket.queue)
    if seen != own {
      court.report(
        .standing, ticket,
        "what the body of #\(mark) had captured is let go of in \(seen), and not in \(own)")
    }
    enter(Hand.current.stand, .captured, mark, seen)
  }

  /// A callback begins of which nothing is said about where it stands.
  public func enterAnywhere(_ kind: Place.Kind, mark: Int, seen: Standing) {
    enter(Hand.current.stand, kind, mark, seen)
  }

  private func enter(_ stand: Stand, _ kind: Place.Kind, _ mark: Int, _ standing: Standing) {
    if stand.enter(kind, mark, standing), stand.role == .worker { busy.withLock { $0 += 1 } }
  }

  /// The innermost piece of user code of the calling thread ends.
  public func leave() {
    let stand = Hand.current.stand
    if stand.leave(), stand.role == .worker { busy.withLock { $0 -= 1 } }
  }
}
