import Oracle
import TaskDispatch

/// Every piece of user code passes through one of these functions, from its first instruction to its
/// last.
extension Tangle {
  /// The body of a task.
  func body(
    _ ticket: Ticket, _ mark: Int, _ kind: Place.Kind = .body, standsOnCaller: Bool = false,
    isRepeat: Bool = false, _ work: () throws -> Void
  ) rethrows {
    totals.begun.add()
    if !leavesOut(.starts) {
      starts.begins(ticket, lastSeen: ThreadRecorder.current.stand.lastSeen)
    }
    places.enterBody(kind, ticket, mark: mark, standsOnCaller: standsOnCaller, seen: look())
    defer {
      places.leave()
      totals.ended.add()
    }
    guard checkers[ticket.queue].begin(ticket, isRepeat: isRepeat, at: dispatcher.now.nanoseconds)
    else { return }
    defer {
      checkers[ticket.queue].finish(ticket, isRepeat: isRepeat)
      if isRepeat { totals.ticks.add() } else { live.add(-1) }
    }
    do {
      try work()
      if !isRepeat { totals.ran.add() }
    } catch {
      // An error thrown by a submission without a handle is no outcome: it goes to a reply, or to the
      // caller of a `sync`.
      if ticket.form == .handled { totals.threw.add() } else { totals.ran.add() }
      throw error
    }
  }

  /// A job of a Task that prefers the executor of `queue`.
  func job(in queue: Int, _ work: () -> Void) {
    places.enterJob(in: queue, isLate: isOver.isRaised, seen: look())
    work()
    places.leave()
  }

  /// Code of a Task elsewhere, or of a thread of the program's own.
  func outside(_ kind: Place.Kind, _ work: () -> Void) {
    places.enterOutside(kind, seen: look())
    work()
    places.leave()
  }

  /// Code that the library calls because something has ended.
  func callback(_ kind: Place.Kind, _ mark: Int, or own: [Standing] = [], _ work: () -> Void) {
    totals.callbacks.add()
    places.enterCallback(kind, mark: mark, or: own, seen: look())
    if !leavesOut(.callbacks) { work() }
    places.leave()
  }

  /// Code of the dispatcher's observer. No rule says what it sees as current.
  func observes(_ mark: Int, _ work: () -> Void) {
    totals.callbacks.add()
    places.enterAnywhere(.observer, mark: max(mark, 0), seen: look())
    work()
    places.leave()
  }

  /// The end of a token.
  ///
  /// - Parameter asked: The queue of the body that made the token for its reply, `ticket`. If a
  ///   shutdown refuses the reply, the token ends in that body.
  func letGo(
    _ kind: Place.Kind, _ ticket: Ticket?, of asked: Int?, mark: Int, _ work: () -> Void
  ) {
    let seen = look()
    if kind == .captured, let ticket, !leavesOut(.capturedStandings) {
      places.enterCaptured(ticket, mark: mark, seen: seen)
    } else {
      // The captures of a repeating body or a handler may end inside one of its calls.
      let own = kind == .result ? [] : [ticket?.queue, asked].compactMap { $0 }
      places.enterCallback(
        kind, mark: mark, or: own.map { Standing(task: mark, queue: $0) }, seen: seen)
    }
    work()
    places.leave()
  }

  /// A call of the library, made by the calling code.
  func call<Result>(
    _ name: @autoclosure () -> String, holdsRuntimeLock: Bool = false, _ body: () throws -> Result
  ) rethrows -> Result {
    try ThreadRecorder.current.stand.call(name(), holdsRuntimeLock: holdsRuntimeLock, body)
  }
}
