import RandomTesting
import TaskDispatch
import TaskDispatchTesting
import Testing

/// Real histories, each with one change that no dispatcher may make.
@Suite("A real history")
struct SpoiltHistoryTests {
  private typealias Entry = History.Entry

  private static let histories = (0..<40).map { RandomProgram.inSteps(seed: $0).history }

  /// Changes each of the histories by `spoil`, which returns whether there was anything to change. Expects that
  /// each changed history breaks one of `rules`.
  private func expect(
    _ rules: Int..., spoil: (inout [History.Entry]) -> Bool,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    var spoilt = 0
    for (seed, history) in Self.histories.enumerated() {
      var entries = history.entries
      guard spoil(&entries) else { continue }
      spoilt += 1
      let violations = HistoryChecker.violations(in: history.with(entries))
      #expect(
        violations.contains { rules.contains($0.rule) }, "program \(seed): \(violations)",
        sourceLocation: sourceLocation)
    }
    #expect(spoilt > 3, sourceLocation: sourceLocation)
  }

  @Test("is accepted as it is")
  func real() {
    for history in Self.histories { #expect(HistoryChecker.violations(in: history) == []) }
  }

  @Test("is refused without one of its outcomes, and without one of its submissions")
  func dropped() {
    expect(2) { entries in
      let index = entries.firstIndex { $0.event?.kind == .finished(.completed) }
      if let index { entries.remove(at: index) }
      return index != nil
    }
    expect(2) { entries in
      let index = entries.firstIndex { $0.event?.kind == .enqueued }
      if let index { entries.remove(at: index) }
      return index != nil
    }
  }

  @Test("is refused when one of its tasks starts or ends twice")
  func twice() {
    expect(2) { entries in
      let index = entries.firstIndex { $0.event?.kind == .started }
      if let index { entries.insert(entries[index], at: index) }
      return index != nil
    }
    expect(2) { entries in
      let index = entries.lastIndex { $0.event?.kind == .finished(.completed) }
      if let index { entries.insert(entries[index], at: index) }
      return index != nil
    }
  }

  @Test("is refused when two tasks of a queue and band change places")
  func swapped() {
    // One of the two may stand behind a barrier that the other stands before.
    expect(3, 6) { entries in
      let starts = entries.indices.filter { entries[$0].event?.kind == .started }
      for (index, first) in starts.enumerated() {
        for second in starts[(index + 1)...] {
          guard areAlike(entries[first], entries[second]),
            waits(entries[second], before: first, in: entries)
          else { continue }
          // From this start on, the events of the two tasks are exchanged.
          let (one, other) = (entries[first].event!.task, entries[second].event!.task)
          for place in first..<entries.count {
            guard let event = entries[place].event else { continue }
            let task =
              event.task.id == one.id ? other : event.task.id == other.id ? one : event.task
            entries[place] = Entry(
              line: .event(TaskEvent(event.kind, task, at: event.time)), time: entries[place].time)
          }
          return true
        }
      }
      return false
    }
  }

  @Test("is refused when what is cancelled before its start runs")
  func cancelled() {
    expect(9) { entries in
      for (index, entry) in entries.enumerated() {
        guard case .cancelled(let number, .beforeStart) = entry.line else { continue }
        let end = entries.firstIndex {
          $0.event?.kind == .finished(.cancelled)
            && $0.event?.task.label == "\(number)"
        }
        guard let end, end < index, let event = entries[end].event else { continue }
        entries.remove(at: end)
        for kind: TaskEvent.Kind in [.finished(.completed), .started] {
          entries.insert(
            Entry(line: .event(TaskEvent(kind, event.task, at: event.time)), time: entry.time),
            at: index)
        }
        return true
      }
      return false
    }
  }

  @Test("is refused when its ledger counts one more, or one less")
  func ledger() {
    let history = Self.histories[1]
    for change in [-1, 1] {
      var other = history
      other.ledger.completed += change
      #expect(HistoryChecker.violations(in: other).contains { $0.rule == 13 })
      other.ledger.accepted += change
      #expect(HistoryChecker.violations(in: other).contains { $0.rule == 13 })
    }
  }

  /// Whether both tasks were posted to one queue in one band, and neither is a call of `sync`.
  private func areAlike(_ left: History.Entry, _ right: History.Entry) -> Bool {
    guard let left = left.event?.task, let right = right.event?.task else { return false }
    return left.id != right.id && left.queue == right.queue && left.band == right.band
      && left.label != nil && right.label != nil
  }

  private func waits(
    _ entry: History.Entry, before index: Int, in entries: [History.Entry]
  ) -> Bool {
    entries[..<index].contains {
      $0.event?.kind == .enqueued && $0.event?.task.id == entry.event?.task.id
    }
  }
}
