internal import TaskDispatch

/// Changed paths, each of which waits until no program has touched it for a while.
///
/// A file that a program is writing must not be read after every piece. A file that is written to for
/// ever is tried all the same, when it has waited for long enough.
struct Pending {
  /// How long a path waits.
  struct Patience: Sendable, Hashable {
    /// Since it was last touched.
    var settle: Duration
    /// Since it was last touched by a program that seems to have finished with it.
    var settleComplete: Duration
    /// Since it was first touched.
    var atMost: Duration
  }

  /// What is known of a file from trying to read it.
  struct Attempt: Sendable, Hashable {
    /// The stamp with which the file was found unsettled, at least the settling time ago.
    var quiet: Stamp?
    /// How often the file was found unsettled.
    var tries = 0
  }

  private struct Entry {
    let first: DispatcherInstant
    var due: DispatcherInstant
    /// The time of its element in the agenda, which may be too early.
    var alarm: DispatcherInstant
    var attempt: Attempt
  }

  var patience: Patience
  private var entries: [BytePath: Entry] = [:]
  private var agenda = Agenda<BytePath>()

  init(_ patience: Patience) { self.patience = patience }

  var count: Int { entries.count }
  var paths: some Collection<BytePath> { entries.keys }

  /// When the next path may be due. It may turn out that none is.
  var next: DispatcherInstant? { entries.isEmpty ? nil : agenda.first }

  func contains(_ path: BytePath) -> Bool { entries[path] != nil }

  /// Records that a program has touched the file.
  ///
  /// - Parameter isComplete: Whether the program seems to have finished with it.
  mutating func note(_ path: BytePath, at now: DispatcherInstant, isComplete: Bool) {
    let wait = isComplete ? min(patience.settle, patience.settleComplete) : patience.settle
    let first = entries[path]?.first ?? now
    let due = min(now.advanced(by: wait), max(now, first.advanced(by: patience.atMost)))
    let tries = entries[path]?.attempt.tries ?? 0
    set(path, first: first, due: due, Attempt(tries: tries))
  }

  /// Lets the file wait until `due`, because an attempt to read it had no result.
  mutating func hold(
    _ path: BytePath, since now: DispatcherInstant, until due: DispatcherInstant, _ attempt: Attempt
  ) {
    // If a program has touched it since, that entry is newer. The number of tries is kept.
    guard entries[path] == nil else {
      entries[path]!.attempt.tries = attempt.tries
      return
    }
    set(path, first: now, due: due, attempt)
  }

  private mutating func set(
    _ path: BytePath, first: DispatcherInstant, due: DispatcherInstant, _ attempt: Attempt
  ) {
    let alarm = entries[path]?.alarm
    let isEarlier = alarm.map { due < $0 } ?? true
    if isEarlier { agenda.insert(path, due: due) }
    entries[path] = Entry(
      first: first, due: due, alarm: isEarlier ? due : alarm!, attempt: attempt)
  }

  /// Removes a path that is due.
  mutating func takeNext(at now: DispatcherInstant) -> (path: BytePath, attempt: Attempt)? {
    while let (path, alarm) = agenda.popFirst(dueBy: now) {
      // The path's entry was removed, or has an earlier element in the agenda.
      guard let entry = entries[path], entry.alarm == alarm else { continue }
      if entry.due > now {
        agenda.insert(path, due: entry.due)
        entries[path]!.alarm = entry.due
        continue
      }
      entries[path] = nil
      return (path, entry.attempt)
    }
    return nil
  }

  /// Makes all paths due, in the order in which they would have been.
  mutating func hurry(at now: DispatcherInstant) {
    var hurried = Agenda<BytePath>()
    while let (path, alarm) = agenda.popFirst() {
      guard let entry = entries[path], entry.alarm == alarm else { continue }
      let due = min(now, entry.due)
      entries[path]!.due = due
      entries[path]!.alarm = due
      hurried.insert(path, due: due)
    }
    agenda = hurried
  }

  mutating func removeAll() {
    entries = [:]
    agenda = Agenda()
  }
}
