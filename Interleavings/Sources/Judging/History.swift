package import TaskDispatch

/// Notes what a generated program submits and when it runs, and checks that against the rules of `TaskDispatcher`. It
/// knows nothing of the engine.
///
/// One thread runs at a time, so the notes have one order: that of their stamps.
package final class History {
  package enum Kind { case task, barrier, sync }

  package final class Entry: CustomStringConvertible, @unchecked Sendable {
    package let name: String
    package let queue: Int
    package let kind: Kind
    fileprivate let band: PriorityBand
    fileprivate let asked: Int
    package fileprivate(set) var accepted: Int?
    package fileprivate(set) var began: Int?
    package fileprivate(set) var ended: Int?
    /// It was cancelled before its start, or refused.
    fileprivate var mustNotRun = false

    fileprivate init(_ name: String, _ queue: Int, _ kind: Kind, _ band: PriorityBand, _ asked: Int)
    {
      self.name = name
      self.queue = queue
      self.kind = kind
      self.band = band
      self.asked = asked
    }

    package var description: String {
      func text(_ stamp: Int?) -> String { stamp.map(String.init) ?? "-" }
      return
        "\(name): \(kind) \(band) on queue \(queue), asked at \(asked), accepted at \(text(accepted)), "
        + "began at \(text(began)), ended at \(text(ended))\(mustNotRun ? ", cancelled" : "")"
    }
  }

  private let widths: [Int]
  private var entries: [Entry] = []
  private var stamp = 0
  /// The bodies that run now, by queue.
  private var inside: [[Entry]]
  /// Queues that a shutdown may meet suspended: it cancels what waits there.
  private var open: Set<Int> = []
  private var flushes: [(stamp: Int, of: [Entry])] = []
  package private(set) var failure: String?

  /// - Parameter widths: The width of each queue.
  package init(widths: [Int]) {
    self.widths = widths
    inside = widths.map { _ in [] }
  }

  private func next() -> Int {
    stamp += 1
    return stamp
  }

  private func fail(_ message: String) {
    if failure == nil {
      failure = ([message] + entries.map(\.description)).joined(separator: "\n  ")
    }
  }

  /// A call that submits begins.
  package func ask(_ kind: Kind, on queue: Int, _ band: PriorityBand = .medium) -> Entry {
    let entry = Entry("body \(entries.count)", queue, kind, band, next())
    entries.append(entry)
    return entry
  }

  /// The call has returned, and the work is accepted.
  package func accept(_ entry: Entry) { entry.accepted = next() }

  /// The call has returned.
  package func note(_ admission: Admission, of entry: Entry) {
    if admission == .accepted { accept(entry) } else { refuse(entry) }
  }

  /// The work is refused, or was cancelled before its start.
  package func refuse(_ entry: Entry) {
    if entry.began != nil { fail("rule 9: \(entry.name) was refused or cancelled, and has run") }
    entry.mustNotRun = true
  }

  /// The work has ended so.
  package func note(_ outcome: Outcome?, of entry: Entry) {
    guard let outcome else { return fail("rule 2: \(entry.name) has no outcome") }
    if case .completed = outcome {
      if entry.ended == nil { fail("rule 2: \(entry.name) is completed, and has not run") }
    } else {
      refuse(entry)
    }
  }

  package func begin(_ entry: Entry) {
    if entry.began != nil { fail("rule 2: \(entry.name) runs twice") }
    if entry.mustNotRun { fail("rule 9: \(entry.name) runs, and was cancelled before its start") }
    entry.began = next()
    let others = inside[entry.queue]
    if others.count == widths[entry.queue] {
      fail(
        "rule 4: \(entry.name) begins in queue \(entry.queue), which is full: \(others.map(\.name))"
      )
    }
    if let other = others.first(where: { $0.kind == .barrier || entry.kind == .barrier }) {
      fail("rule 6: \(entry.name) begins, and \(other.name) runs in its queue")
    }
    inside[entry.queue].append(entry)
  }

  package func end(_ entry: Entry) {
    entry.ended = next()
    inside[entry.queue].removeAll { $0 === entry }
  }

  /// How much work was accepted so far, at least.
  package var acceptedCount: Int { entries.count { $0.accepted != nil } }

  /// What a flush of the queue has to wait for if it begins now.
  package func unfinished(on queue: Int) -> [Entry] {
    entries.filter { $0.queue == queue && $0.accepted != nil && $0.ended == nil }
  }

  /// A flush that began with `entries` left has ended.
  package func noteFlush(of entries: [Entry]) { flushes.append((next(), entries)) }

  /// Whether work of the queue runs is not said from now on.
  package func leaveOpen(_ queue: Int) { open.insert(queue) }

  /// Checks the order, once everything has ended.
  package func check() {
    for entry in entries
    where entry.began == nil && entry.accepted != nil && !entry.mustNotRun
      && !open.contains(entry.queue)
    {
      fail("rule 2: \(entry.name) has not run")
    }
    for (stamp, entries) in flushes {
      for entry in entries where !entry.mustNotRun && (entry.ended ?? .max) > stamp {
        fail("a flush has ended before \(entry.name)")
      }
    }
    for later in entries {
      for earlier in entries where earlier.queue == later.queue { check(earlier, before: later) }
    }
  }

  private func check(_ earlier: Entry, before later: Entry) {
    guard let accepted = earlier.accepted, let began = later.began, let first = earlier.began,
      let ended = earlier.ended, accepted < later.asked
    else { return }
    if earlier.kind == .barrier || later.kind == .barrier {
      if earlier.band == later.band, began < ended {
        fail("rule 6: \(later.name) begins before \(earlier.name) has ended, and one is a barrier")
      }
    } else if widths[later.queue] == 1, earlier.band == later.band, began < first {
      fail("rule 3: \(later.name) begins before \(earlier.name), which was submitted before it")
    }
    checkBands(earlier, later)
  }

  /// The other way round: a higher band goes first, if it was there when the queue took its next.
  private func checkBands(_ low: Entry, _ high: Entry) {
    guard widths[low.queue] == 1, high.band > low.band, let accepted = high.accepted,
      let began = high.began, let first = low.began, first < began,
      !entries.contains(where: { $0.queue == low.queue && $0.kind != .task })
    else { return }
    // The body before has ended after the high one was accepted, so that one was there.
    let before = entries.filter { $0.queue == low.queue && ($0.began ?? .max) < first }
      .compactMap(\.ended).filter { $0 < first }.max()
    if let before, accepted < before {
      fail("rule 7: \(low.name) begins before \(high.name), which has a higher band")
    }
  }
}
