package import TaskDispatch

/// Threads that wait: when such a wait may end, and whether its refusal is right (rule 14).
extension History {
  package enum Target {
    /// Its turn, or room, in a queue.
    case queue(Int)
    case entry(Entry)
    case group(Group)
    case timer(Timer)
  }

  package final class Wait: CustomStringConvertible, @unchecked Sendable {
    let name: String
    /// The bodies that its thread is in.
    let held: [Entry]
    let target: Target
    let asked: Moment
    /// How long it lasts at most, in nanoseconds.
    let timeout: Int64?
    /// What it waits for had come about before.
    let wasOver: Bool
    var ended: Moment?

    init(
      _ name: String, holding held: [Entry], _ target: Target, asked: Moment, timeout: Int64?,
      wasOver: Bool
    ) {
      self.name = name
      self.held = held
      self.target = target
      self.asked = asked
      self.timeout = timeout
      self.wasOver = wasOver
    }

    package var description: String {
      let aim =
        switch target {
        case .queue(let queue): "queue \(queue)"
        case .entry(let entry): entry.name
        case .group(let group): "a group of \(group.members.map(\.name))"
        case .timer(let timer): timer.name
        }
      return "\(name): for \(aim), in \(held.map(\.name)), asked at \(asked.stamp), ended at "
        + (ended.map { "\($0.stamp)" } ?? "-")
    }
  }

  /// A call that may block begins.
  ///
  /// - Parameter timeout: The longest time to wait, in nanoseconds.
  package func beginWait(for target: Target, timeout: Int64? = nil) -> Wait {
    let wasOver =
      switch target {
      case .entry(let entry): entry.hasOutcome
      case .timer(let timer): timer.hasEnded
      case .queue, .group: false
      }
    let wait = Wait(
      "wait \(waits.count)", holding: stack, target, asked: next(), timeout: timeout,
      wasOver: wasOver)
    waits.append(wait)
    return wait
  }

  /// The wait for a turn of `entry` begins: its thread has asked for a sync.
  package func beginWait(of entry: Entry) -> Wait {
    let wait = beginWait(for: .queue(entry.queue))
    entry.wait = wait
    return wait
  }

  /// The call has returned.
  package func end(_ wait: Wait) {
    wait.ended = wait.ended ?? next()
    switch wait.target {
    case .queue: break
    case .entry(let entry):
      if entry.ended == nil, !entry.mayBeGone, !hasShutdown {
        fail("\(wait.name) has ended before \(entry.name)")
      }
    case .group(let group):
      if !group.wasEmpty(since: wait.asked), !hasShutdown {
        fail("\(wait.name) has ended, and its group was not empty")
      }
    case .timer(let timer):
      if !timer.isCancelled, !hasShutdown { fail("\(wait.name) has ended before \(timer.name)") }
      if let run = timer.running, !hasShutdown {
        fail("\(wait.name) has ended, and \(run.name) runs")
      }
    }
  }

  /// The call has thrown `refusal`.
  package func end(_ wait: Wait, _ refusal: WaitRefusal) {
    let now = next()
    defer { wait.ended = now }
    switch refusal {
    case .timedOut: checkTime(of: wait, now)
    case .wouldDeadlock:
      if !mayBeCircular(wait) { fail("rule 14: \(wait.name) is refused, and nothing is stuck") }
    case .refused(.shutDown) where hasShutdown: break
    default: fail("\(wait.name) is refused, for which there is no cause: \(refusal)")
    }
  }

  private func checkTime(of wait: Wait, _ now: Moment) {
    guard let timeout = wait.timeout else { return fail("\(wait.name) times out, without end") }
    if now.time - wait.asked.time < timeout { fail("\(wait.name) times out early") }
    if wait.wasOver { fail("\(wait.name) times out, and what it waits for was there before") }
  }

  // MARK: Circles

  /// Whether `wait` may wait for its own end: by what its thread holds, or by waits at the same time.
  private func mayBeCircular(_ wait: Wait) -> Bool {
    let others = waits.filter {
      $0 === wait || $0.timeout == nil && ($0.ended?.stamp ?? .max) > wait.asked.stamp
    }
    let blocked = others.compactMap { $0.held.last { isOnWorker($0) } }
    let noWorker = Set(blocked.map { ObjectIdentifier($0) }).count >= workers
    var seen: Set<ObjectIdentifier> = []
    var work = [wait]
    while let next = work.popLast() {
      for other in others
      where other.held.contains(where: { blocks($0, next, noWorker: noWorker) }) {
        if other === wait { return true }
        if seen.insert(ObjectIdentifier(other)).inserted { work.append(other) }
      }
    }
    return false
  }

  private func isOnWorker(_ entry: Entry) -> Bool {
    !entry.kind.isSync && !queues[entry.queue].isLoop
  }

  /// Whether `wait` may have to wait until the body `held` has ended.
  private func blocks(_ held: Entry, _ wait: Wait, noWorker: Bool) -> Bool {
    switch wait.target {
    case .queue(let queue): blocks(held, queue, noWorker: noWorker)
    case .entry(let entry): blocks(held, entry, noWorker: noWorker)
    case .group(let group):
      group.members.contains { blocks(held, $0, noWorker: noWorker) }
    case .timer(let timer):
      queues[held.queue].isLoop || blocks(held, timer.queue, noWorker: noWorker)
    }
  }

  private func blocks(_ held: Entry, _ queue: Int, noWorker: Bool) -> Bool {
    held.queue == queue || noWorker && !queues[queue].isLoop && isOnWorker(held)
  }

  private func blocks(_ held: Entry, _ entry: Entry, noWorker: Bool) -> Bool {
    held === entry || entry.kind == .timer && queues[held.queue].isLoop
      || blocks(held, entry.queue, noWorker: noWorker)
  }
}
