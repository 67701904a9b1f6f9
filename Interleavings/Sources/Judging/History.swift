package import TaskDispatch

/// Notes what a generated program submits and when it runs, and checks that against the rules of `TaskDispatcher`. It
/// knows nothing of the engine.
///
/// One thread runs at a time, so the notes have one order: that of their stamps.
package final class History {
  let queues: [Queue]
  /// How many worker runs there may be at a time.
  let workers: Int
  private let clock: () -> Int64
  private let thread: () -> String
  var entries: [Entry] = []
  private var stamp = 0
  /// The bodies that run now, by queue and by thread.
  var inside: [[Entry]]
  private var stacks: [String: [Entry]] = [:]
  /// Queues that a shutdown may meet suspended: it cancels what waits there.
  private var open: Set<Int> = []
  /// A shutdown may have begun.
  private(set) var hasShutdown = false
  /// When a shutdown of the queue had begun, by queue.
  var closed: [Int: Moment] = [:]
  private var flushes: [(stamp: Int, of: [Entry])] = []
  var waits: [Wait] = []
  var timers: [Timer] = []
  package private(set) var failure: String?

  /// - Parameters:
  ///   - workers: How many worker runs there may be at a time.
  ///   - clock: The time in nanoseconds.
  ///   - thread: A name of the calling thread that no other thread has at the time.
  package init(
    queues: [Queue], workers: Int = 2, clock: @escaping () -> Int64 = { 0 },
    thread: @escaping () -> String = { "" }
  ) {
    self.queues = queues
    self.workers = workers
    self.clock = clock
    self.thread = thread
    inside = queues.map { _ in [] }
  }

  func next() -> Moment {
    stamp += 1
    return Moment(stamp: stamp, time: clock())
  }

  func fail(_ message: String) {
    if failure == nil {
      let notes = entries.map(\.description) + waits.map(\.description)
      failure = ([message] + notes).joined(separator: "\n  ")
    }
  }

  /// The bodies that the calling thread is in, the innermost last.
  package var stack: [Entry] { stacks[thread()] ?? [] }

  // MARK: Submissions

  /// A call that submits begins.
  ///
  /// - Parameters:
  ///   - delay: How long the body must wait, in nanoseconds.
  ///   - lifetime: After how many nanoseconds in its queue it expires.
  package func ask(
    _ kind: Kind, on queue: Int, _ band: PriorityBand = .medium, delay: Int64 = 0,
    lifetime: Int64? = nil, group: Group? = nil
  ) -> Entry {
    let entry = Entry(
      "body \(entries.count)", queue, kind, band, delay: delay, lifetime: lifetime, asked: next(),
      outer: stack, group: group)
    entries.append(entry)
    if kind != .notification { group?.members.append(entry) }
    return entry
  }

  /// The call has returned, and the work is accepted.
  package func accept(_ entry: Entry) {
    let now = next()
    entry.accepted = now
    if let closed = closed[entry.queue], closed.stamp < entry.asked.stamp, isFromOutside(entry) {
      fail("rule 13: \(entry.name) is accepted, and the shutdown had begun before it was asked")
    }
    checkRoom(for: entry, at: now)
    if entry.ended == nil, !entry.mayBeGone, let group = entry.group, entry.kind != .notification {
      entry.isInGroup = true
      group.enter(at: now)
    }
  }

  /// Whether it does not come from work of its dispatcher.
  private func isFromOutside(_ entry: Entry) -> Bool {
    let dispatcher = queues[entry.queue].dispatcher
    return !entry.outer.contains { queues[$0.queue].dispatcher == dispatcher }
  }

  /// The call has returned.
  package func note(_ admission: Admission, of entry: Entry) {
    guard case .refused(let refusal) = admission else { return accept(entry) }
    check(refusal, of: entry)
    refuse(entry)
  }

  /// The work is refused, or was cancelled before its start.
  package func refuse(_ entry: Entry) {
    if entry.began != nil { fail("rule 9: \(entry.name) was refused or cancelled, and has run") }
    if entry.isRequested {
      fail("rule 9: \(entry.name) was taken for one that ran, and has never run")
    }
    entry.refused = entry.refused ?? next()
    leaveGroup(entry)
  }

  /// The work has ended so.
  package func note(_ outcome: Outcome?, of entry: Entry) {
    guard let outcome else { return fail("rule 2: \(entry.name) has no outcome") }
    entry.hasOutcome = true
    let mayBeCancelled = entry.cancelled != nil || hasShutdown
    switch outcome {
    case .completed:
      if entry.ended == nil { fail("rule 2: \(entry.name) is completed, and has not run") }
      return
    case .cancelled where mayBeCancelled: break
    case .abandoned where hasShutdown:
      entry.isAbandoned = true
      return
    case .expired: checkLifetime(of: entry)
    case .refused(let refusal): if !entry.mustNotRun { check(refusal, of: entry) }
    default: fail("rule 2: \(entry.name) has the outcome \(outcome), for which there is no cause")
    }
    refuse(entry)
  }

  private func check(_ refusal: Refusal, of entry: Entry) {
    switch refusal {
    case .shutDown where hasShutdown: break
    case .limitReached, .noRoomInTime: checkFull(for: entry)
    case .wouldDeadlock where !entry.outer.isEmpty: break
    default: fail("rule 2: \(entry.name) is refused, for which there is no cause: \(refusal)")
    }
  }

  // MARK: Bodies

  package func begin(_ entry: Entry) {
    if entry.began != nil { fail("rule 2: \(entry.name) runs twice") }
    if entry.mustNotRun { fail("rule 9: \(entry.name) runs, and was cancelled before its start") }
    let now = next()
    entry.began = now
    checkTime(of: entry, now.time - entry.asked.time)
    let others = inside[entry.queue]
    if others.count == queues[entry.queue].width {
      fail(
        "rule 4: \(entry.name) begins in queue \(entry.queue), which is full: \(others.map(\.name))"
      )
    }
    if let other = others.first(where: { $0.kind.isBarrier || entry.kind.isBarrier }) {
      fail("rule 6: \(entry.name) begins, and \(other.name) runs in its queue")
    }
    if entry.kind == .notification, entry.group?.wasEmpty(since: entry.asked) == false, !hasShutdown
    {
      fail("\(entry.name) begins, and its group was not empty")
    }
    inside[entry.queue].append(entry)
    stacks[thread(), default: []].append(entry)
    // On the foreground, the thread of a sync is blocked until the body has run.
    if !queues[entry.queue].isLoop { entry.wait?.ended = now }
  }

  package func end(_ entry: Entry) {
    entry.ended = next()
    inside[entry.queue].removeAll { $0 === entry }
    stacks[thread()]?.removeAll { $0 === entry }
    leaveGroup(entry)
  }

  // MARK: What is asked of all

  /// How much work a dispatcher has accepted so far, at least.
  package func acceptedCount(of dispatcher: Int = 0) -> Int {
    entries.count { $0.accepted != nil && queues[$0.queue].dispatcher == dispatcher }
  }

  /// What a flush of the queue has to wait for if it begins now.
  package func unfinished(on queue: Int) -> [Entry] {
    entries.filter {
      $0.queue == queue && $0.kind.isQueuedAtOnce && $0.accepted != nil && $0.ended == nil
    }
  }

  /// A flush that began with `entries` left has ended.
  package func noteFlush(of entries: [Entry]) { flushes.append((next().stamp, entries)) }

  /// Whether work of the queue runs is not said from now on.
  package func leaveOpen(_ queue: Int) { open.insert(queue) }

  /// A call begins that begins a shutdown: it may refuse and cancel from now on.
  package func beginClosing() { hasShutdown = true }

  /// A call has returned that begins a shutdown of these queues.
  package func close(_ queues: [Int]) {
    let now = next()
    for queue in queues { closed[queue] = closed[queue] ?? now }
  }

  /// Whether nothing runs, and all that was accepted has run, or need not.
  package var isQuiet: Bool {
    entries.allSatisfy {
      ($0.accepted ?? $0.began) == nil || $0.hasEnded || !$0.isInside && $0.mayBeGone
    }
      && waits.allSatisfy { $0.ended != nil }
  }

  /// Checks the order, once everything has ended.
  package func check() {
    for entry in entries where entry.began == nil && !entry.mustNotRun {
      if entry.isRequested || entry.isAbandoned {
        fail("rule 9: \(entry.name) was taken for one that ran, and has never run")
      }
      if entry.accepted != nil, !open.contains(entry.queue) {
        fail("rule 2: \(entry.name) has not run")
      }
    }
    for (stamp, entries) in flushes {
      for entry in entries where !entry.mustNotRun && (entry.ended?.stamp ?? .max) > stamp {
        fail("a flush has ended before \(entry.name)")
      }
    }
    for wait in waits where wait.ended == nil { fail("rule 14: \(wait.name) never ends") }
    checkOrder()
  }
}
