package import TaskDispatch

/// In which order the bodies of a queue began.
extension History {
  /// Nanoseconds after which a body of a lower band may go first.
  private static let aging: Int64 = 100_000_000

  func checkOrder() {
    for later in entries {
      for earlier in entries where earlier.queue == later.queue { check(earlier, before: later) }
    }
  }

  private func check(_ earlier: Entry, before later: Entry) {
    guard let accepted = earlier.accepted, let began = later.began?.stamp,
      let first = earlier.began?.stamp, let ended = earlier.ended?.stamp
    else { return }
    checkTimers(earlier, later)
    guard accepted.stamp < later.asked.stamp, earlier.kind.isQueuedAtOnce,
      later.kind.isQueuedAtOnce
    else { return }
    if earlier.kind.isBarrier || later.kind.isBarrier {
      if earlier.band == later.band, began < ended {
        fail("rule 6: \(later.name) begins before \(earlier.name) has ended, and one is a barrier")
      }
    } else if queues[later.queue].width == 1, earlier.band == later.band, began < first {
      fail("rule 3: \(later.name) begins before \(earlier.name), which was submitted before it")
    }
    checkBands(earlier, later)
  }

  /// Of two timers of a queue of width 1, that with the earlier deadline goes first, if it was there in time.
  private func checkTimers(_ earlier: Entry, _ later: Entry) {
    guard queues[later.queue].width == 1, earlier.kind == .timer, later.kind == .timer,
      earlier.band == later.band, let accepted = earlier.accepted, let first = earlier.began,
      let began = later.began,
      accepted.time + earlier.delay < later.asked.time + later.delay,
      !entries.contains(where: { $0.queue == later.queue && $0.kind.isBarrier })
    else { return }
    if began.stamp < first.stamp {
      fail("rule 8: \(later.name) begins before \(earlier.name), which was due before it")
    }
  }

  /// The other way round: a higher band goes first, if it was there when the queue took its next.
  private func checkBands(_ low: Entry, _ high: Entry) {
    guard queues[low.queue].width == 1, high.band > low.band, let accepted = high.accepted,
      let began = high.began, let first = low.began, first.stamp < began.stamp,
      began.time - low.asked.time < Self.aging,
      !entries.contains(where: { $0.queue == low.queue && $0.kind != .task })
    else { return }
    // The body before has ended after the high one was accepted, so that one was there.
    let before = entries.filter {
      $0.queue == low.queue && ($0.began?.stamp ?? .max) < first.stamp
    }
    let ended = before.compactMap { $0.ended?.stamp }.filter { $0 < first.stamp }.max()
    if let ended, accepted.stamp < ended {
      fail("rule 7: \(low.name) begins before \(high.name), which has a higher band")
    }
  }
}
