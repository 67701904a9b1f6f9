import Oracle
import TaskDispatch
import UVDispatch

/// Looks into a dispatcher while that is under load, as a monitor of a daemon would: it takes snapshots all the time, on
/// a thread of its own, and watches for stalls.
///
/// It knows only what holds of every snapshot and of every stall, whatever the load is.
final class Inspector: @unchecked Sendable {
  private let dispatcher: UVDispatcher
  private let violations: ViolationLog
  private let isOver = Gate()
  private var thread: OwnThread?
  private let stalls = Locked(StallBook())

  /// The stalls that were told of and are not over, and what was said of each last.
  private struct StallBook {
    var open: [TaskID: Duration] = [:]
    var ended: Set<TaskID> = []
  }

  init(_ dispatcher: UVDispatcher, violations: ViolationLog) {
    self.dispatcher = dispatcher
    self.violations = violations
    do { try dispatcher.watchStalls { [self] in note($0) } } catch {
      violations.report(.inspection, nil, "stalls cannot be watched for: \(error)")
    }
    thread = OwnThread { [unowned self] in inspect() }
  }

  /// Returns when the inspecting thread has stopped. Stalls are told of after that as well.
  func stop() {
    isOver.open()
    _ = thread?.join(seconds: 1e6)
  }

  // MARK: Snapshots

  private func inspect() {
    var before = dispatcher.snapshot()
    repeat {
      let snapshot = dispatcher.snapshot()
      check(snapshot, after: before)
      before = snapshot
    } while !isOver.wait(seconds: 0.0005)
  }

  private func check(_ snapshot: DispatcherSnapshot, after before: DispatcherSnapshot) {
    let ledger = snapshot.ledger
    demand(ledger.balances, "the ledger of a snapshot does not balance: \(ledger)")
    demand(snapshot.time >= before.time, "a later snapshot is of an earlier time")
    // What waits for room at the beginning of a shutdown was counted as accepted, and counts as refused after that.
    let isOpen = snapshot.phase == .open
    demand(
      !isOpen || ledger.accepted >= before.ledger.accepted,
      "a later snapshot has forgotten submissions")
    demand(ledger.ended >= before.ledger.ended, "a later snapshot has forgotten ends")
    let abandoned = snapshot.running.count { $0.isAbandoned }
    var (waiting, running) = (0, 0)
    for queue in snapshot.queues {
      waiting += queue.waiting
      running += queue.running
      demand(queue.running <= queue.width, "\(queue) runs more than its width")
      demand(queue.waiting >= 0 && queue.running >= 0, "\(queue)")
      // A plain body that was given an object carries no time.
      demand(queue.oldestAge == nil || queue.waiting > 0, "\(queue): none waits")
      if let age = queue.oldestAge {
        demand(age >= 0 && age <= snapshot.time + 0.01, "\(queue): older than the dispatcher")
      }
    }
    // Timers, and what waits for a group or for room, are in no queue.
    demand(waiting <= ledger.waiting, "more wait in queues than in all: \(snapshot)")
    // A job that a shutdown has stranded runs in no queue any more.
    if snapshot.phase != .over {
      demand(running == ledger.running + abandoned, "queues and ledger differ: \(snapshot)")
    }
    let numbers = snapshot.running.compactMap(\.task)
    demand(Set(numbers).count == numbers.count, "a task runs twice: \(snapshot)")
    demand(
      zip(snapshot.timers, snapshot.timers.dropFirst()).allSatisfy { $0.dueIn <= $1.dueIn },
      "timers are out of order")
    if let pool = snapshot.pool {
      demand(pool.used <= pool.threads && pool.width <= pool.threads, "\(pool)")
    }
  }

  // MARK: Stalls

  private func note(_ stall: Stall) {
    demand(stall.duration > .zero, "\(stall)")
    guard let task = stall.task else { return }
    let problem = stalls.withLock { stalls -> String? in
      let before = stalls.open[task.id]
      if stalls.ended.contains(task.id) { return "it was over before" }
      if let before, before > stall.duration { return "it was told to last longer before" }
      if !stall.isOver {
        stalls.open[task.id] = stall.duration
        return nil
      }
      stalls.open[task.id] = nil
      stalls.ended.insert(task.id)
      return before == nil ? "it was never told of" : nil
    }
    if let problem { violations.report(.inspection, nil, "\(stall): \(problem)") }
  }

  private func demand(_ holds: Bool, _ text: @autoclosure () -> String) {
    if !holds { violations.report(.inspection, nil, text()) }
  }

}
