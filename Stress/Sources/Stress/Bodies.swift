import Oracle
import TaskDispatch

/// What a body does besides being checked.
enum Errand: Sendable {
  case nothing
  /// Submits so many other tasks.
  case children(Int)
  /// Keeps its thread for so many nanoseconds.
  case slow(Int64)
  case fails
  /// Waits in a `sync` of a queue.
  case sync(Int)
  case call(@Sendable () -> Void)
}

struct Failure: Error {}

extension World {
  /// The body of every task. The oracle checks it from its first instruction to its last.
  func perform(_ ticket: Ticket, _ errand: Errand = .nothing, isRepeat: Bool = false) {
    let checker = checkers[ticket.queue]
    let time = now()
    totals.begun.add()
    guard checker.begin(ticket, isRepeat: isRepeat, at: time) else {
      totals.ended.add()
      return
    }
    if !limitCheckers.isEmpty, ticket.countsAgainstLimit { limitCheckers[ticket.queue].leaves() }
    if Latency.isSampled(ticket), ticket.due == 0, ticket.form != .event {
      latency.record(time - ticket.submittedAt)
    }
    if ticket.form == .timer, ticket.queue == 0 { timerChecker.begin(ticket) }
    bandChecker?.begins(ticket, at: time)
    if Latency.isSampled(ticket) { checkPlace(ticket) }
    run(errand, of: ticket)
    bandChecker?.ends(at: now())
    checker.finish(ticket, isRepeat: isRepeat)
    if isRepeat {
      totals.ticks.add()
    } else if case .fails = errand {
      totals.threw.add()
    } else {
      totals.ran.add()
    }
    totals.ended.add()
    ring(for: ticket)
  }

  private func checkPlace(_ ticket: Ticket) {
    if !queues[ticket.queue].isCurrent {
      violations.report(.alone, ticket, "runs, and its queue is not current")
    }
    if ticket.form != .synced, dispatcher.isForeground != (ticket.queue == 0) {
      violations.report(.alone, ticket, "runs on another lane")
    }
  }

  private func run(_ errand: Errand, of ticket: Ticket) {
    switch errand {
    case .nothing, .fails: break
    case .children(let count):
      var dice = Dice(seed: ticket.seed)
      for _ in 0..<count { postChild(&dice) }
    case .slow(let nanoseconds):
      guard plan.backend == .uv else { return }
      let end = now() + nanoseconds
      while now() < end, !CurrentTask.isCancelled {}
    case .call(let body): body()
    case .sync(let queue): syncInside(queue, seed: ticket.seed)
    }
  }

  /// Posts a plain task to any queue, from inside a body.
  private func postChild(_ dice: inout Dice) {
    let queue = dice.roll(queues.count)
    post(on: queue, seed: dice.next())
  }

  /// Posts a plain task for a thread that keeps no list of its submissions.
  @discardableResult
  func post(on queue: Int, seed: UInt64, _ body: (@Sendable () -> Void)? = nil) -> Bool {
    let ticket = checkers[queue].issue(.posted, seed: seed, at: now())
    let target = queues[queue]
    let admission = target { [self] in perform(ticket, body.map { .call($0) } ?? .nothing) }
    guard settle(ticket, admission) else { return false }
    onChild?(ticket)
    return true
  }

  private func syncInside(_ queue: Int, seed: UInt64) {
    let checker = checkers[queue]
    let ticket = checker.issue(.synced, seed: seed, at: now())
    do {
      totals.waits.add()
      try queues[queue].sync { perform(ticket) }
      checker.returned(ticket, at: now())
      totals.accepted.add()
    } catch {
      turnAway(ticket, error)
    }
  }

  /// Records what a call of `sync` threw.
  func turnAway(_ ticket: Ticket, _ error: any Error) {
    checkers[ticket.queue].refused(ticket)
    totals.turnedAway.add()
    totals.waitsRefused.add()
    switch error {
    case WaitRefusal.wouldDeadlock(let chain) where !chain.isEmpty: break
    case WaitRefusal.refused(.shutDown) where isOver.isRaised: break
    case WaitRefusal.cannotBeOrdered where plan.backend == .fake: break
    default: violations.report(.deadlock, ticket, "sync threw \(error)")
    }
  }

  /// Records the answer to a submission.
  @discardableResult
  func settle(_ ticket: Ticket, _ admission: Admission) -> Bool {
    switch admission {
    case .accepted:
      totals.accepted.add()
      checkers[ticket.queue].returned(ticket, at: now())
      if !limitCheckers.isEmpty, ticket.countsAgainstLimit {
        limitCheckers[ticket.queue].accepted(ticket)
      }
      return true
    case .refused(let reason):
      totals.refused.add()
      checkers[ticket.queue].refused(ticket)
      let isExpected =
        switch reason {
        case .shutDown: isOver.isRaised
        case .limitReached, .noRoomInTime, .wouldDeadlock: plan.mix == .overflow
        case .forkedChild, .unimplemented: false
        }
      if !isExpected { violations.report(.once, ticket, "was refused: \(reason)") }
      return false
    }
  }
}

extension Ticket {
  var countsAgainstLimit: Bool { form == .posted || form == .handled || form == .asked }
}
