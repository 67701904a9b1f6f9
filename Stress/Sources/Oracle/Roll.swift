/// Lists every submission of a dispatcher under a mark of its own, with what an observer was told of
/// it, and checks in the end that each had one outcome.
public final class Roll: Sendable {
  /// What an observer is told.
  public enum News: Sendable {
    case enqueued, refused, started
    /// - Parameter ran: Whether the outcome says that the body ran, or began.
    case finished(ran: Bool)
  }

  private struct Entry {
    let ticket: Ticket
    /// Whether the submission may end without a run although the dispatcher was idle when it was shut
    /// down.
    let mayVanish: Bool
    var isTurnedAway = false
    var enqueued = 0
    var refused = 0
    var started = 0
    var finished = 0
    var finishedRun = 0
  }

  private let entries = Locked<[Entry]>([])
  private let violations: ViolationLog

  public init(violations: ViolationLog) { self.violations = violations }

  /// - Returns: The mark of the submission, from 1.
  public func add(_ ticket: Ticket, mayVanish: Bool = false) -> Int {
    entries.withLock { entries in
      entries.append(Entry(ticket: ticket, mayVanish: mayVanish))
      return entries.count
    }
  }

  /// A `sync` was rejected. An observer may have been told of it in any way.
  public func turnedAway(_ mark: Int) { entries.withLock { $0[mark - 1].isTurnedAway = true } }

  public func ticket(_ mark: Int) -> Ticket? {
    entries.withLock { 0 < mark && mark <= $0.count ? $0[mark - 1].ticket : nil }
  }

  /// The observer was told of the submission with that mark.
  public func told(_ news: News, of mark: Int) {
    entries.withLock { entries in
      guard 0 < mark, mark <= entries.count else { return }
      switch news {
      case .enqueued: entries[mark - 1].enqueued += 1
      case .refused: entries[mark - 1].refused += 1
      case .started: entries[mark - 1].started += 1
      case .finished(let ran):
        entries[mark - 1].finished += 1
        if ran { entries[mark - 1].finishedRun += 1 }
      }
    }
  }

  /// How many submissions were accepted and never ran, without those that repeat.
  public var unrun: Int {
    entries.withLock { entries in
      entries.count {
        !$0.ticket.hasBegun && !$0.ticket.wasRefused && !$0.isTurnedAway && $0.ticket.isSingle
      }
    }
  }

  /// Checks all submissions. No task runs any more.
  ///
  /// - Parameters:
  /// - wasQuiet: Whether the dispatcher had nothing left when it was shut down.
  /// - wasObserved: Whether an observer was told of everything.
  public func check(wasQuiet: Bool, wasObserved: Bool) {
    let all = entries.withLock { $0 }
    for (index, entry) in all.enumerated() where entry.ticket.isSingle && !entry.isTurnedAway {
      let (mark, ticket) = (index + 1, entry.ticket)
      if ticket.hasBegun, !ticket.hasRun {
        violations.report(.once, ticket, "#\(mark) has begun, and did not come to its end")
      }
      if wasQuiet, !ticket.isFinal, !entry.mayVanish {
        violations.report(.once, ticket, "#\(mark) was accepted, is lost, and was not cancelled")
      }
      if wasObserved, ticket.isToldOnce { checkNews(entry, mark) }
    }
  }

  private func checkNews(_ entry: Entry, _ mark: Int) {
    let ticket = entry.ticket
    let told =
      "\(entry.enqueued) enqueued, \(entry.refused) refused, \(entry.started) started, "
      + "\(entry.finished) finished (\(entry.finishedRun) after a start)"
    if ticket.wasRefused {
      if entry.refused != 1 || entry.finished > 0 || entry.started > 0 {
        violations.report(.once, ticket, "#\(mark) was refused, and the observer was told: \(told)")
      }
      return
    }
    let ran = ticket.hasBegun ? 1 : 0
    if entry.enqueued != 1 || entry.refused > 0 || entry.finished != 1 || entry.started != ran
      || entry.finishedRun != ran
    {
      violations.report(
        .once, ticket,
        "#\(mark) \(ran == 1 ? "ran" : "never ran"), and the observer was told: \(told)")
    }
  }
}

extension Ticket {
  /// Whether it stands for at most one run.
  var isSingle: Bool { form != .repeating && form != .event }
  /// Whether an observer is certainly told of it, and of nothing else under its mark.
  var isToldOnce: Bool { form != .asked && form != .awaited && form != .reply }
}
