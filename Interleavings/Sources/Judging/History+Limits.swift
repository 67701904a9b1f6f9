/// Queues with a limit: when they refuse, and when they must.
extension History {
  /// A submission was refused because the queue was full. At one moment of the call, so many tasks must have been able
  /// to wait there.
  func checkFull(for entry: Entry) {
    guard let limit = queues[entry.queue].limit else {
      return fail("\(entry.name) is refused, and its queue has no limit")
    }
    let others = entries.filter {
      $0 !== entry && $0.queue == entry.queue && $0.kind.countsAgainstLimits
    }
    let moments = [entry.asked] + others.map(\.asked).filter { $0.stamp > entry.asked.stamp }
    let most = moments.map { moment in others.count { mayWait($0, at: moment) } }.max() ?? 0
    if most < limit { fail("\(entry.name) is refused, and only \(most) waited in its queue") }
  }

  private func mayWait(_ entry: Entry, at moment: Moment) -> Bool {
    guard entry.asked.stamp <= moment.stamp, (entry.began?.stamp ?? .max) > moment.stamp else {
      return false
    }
    return entry.refused.map { $0.stamp > moment.stamp } ?? true
  }

  /// A submission was accepted. During the whole call, the limit must not have been reached for certain: by tasks that
  /// were accepted before, in a queue in which as many bodies ran all the time as its width allows.
  func checkRoom(for entry: Entry, at now: Moment) {
    let queue = queues[entry.queue]
    guard let limit = queue.limit, entry.kind.countsAgainstLimits else { return }
    let running = inside[entry.queue].filter { $0.began!.stamp < entry.asked.stamp }
    guard running.count == queue.width else { return }
    let waiting = entries.filter {
      $0 !== entry && $0.queue == entry.queue && $0.kind.countsAgainstLimits && $0.began == nil
        && !$0.mayBeGone && ($0.accepted?.stamp ?? .max) < entry.asked.stamp
    }
    if waiting.count >= limit {
      fail("\(entry.name) is accepted, and \(waiting.count) wait in its queue")
    }
  }
}
