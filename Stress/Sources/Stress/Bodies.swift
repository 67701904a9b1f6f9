import Oracle
import TaskDispatch

/// What a body does beside being watched.
enum Errand: Sendable {
  case nothing
  /// Submits so many others.
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
  /// The body of every task: the oracle looks on from its first instruction to its last.
  func perform(_ ticket: Ticket, _ errand: Errand = .nothing, isRepeat: Bool = false) {
    let judge = judges[ticket.queue]
    let time = now()
    totals.begun.add()
    guard judge.begin(ticket, isRepeat: isRepeat, at: time) else {
      totals.ended.add()
      return
    }
    if !limitJudges.isEmpty, ticket.countsAgainstLimit { limitJudges[ticket.queue].leaves() }
    if Latency.isSampled(ticket), ticket.due == 0, ticket.form != .event {
      latency.record(time - ticket.submittedAt)
    }
    if ticket.form == .timer, ticket.queue == 0 { timerJudge.begin(ticket) }
    bandJudge?.begins(ticket, at: time)
    if Latency.isSampled(ticket) { judgePlace(ticket) }
    run(errand, of: ticket)
    bandJudge?.ends(at: now())
    judge.finish(ticket, isRepeat: isRepeat)
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

  private func judgePlace(_ ticket: Ticket) {
    if !queues[ticket.queue].isCurrent {
      court.report(.alone, ticket, "runs, and its queue is not current")
    }
    if ticket.form != .synced, dispatcher.isForeground != (ticket.queue == 0) {
      court.report(.alone, ticket, "runs on another lane")
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

  /// A plain task of a body's, on any queue.
  private func postChild(_ dice: inout Dice) {
    let queue = dice.roll(queues.count)
    post(on: queue, seed: dice.next())
  }

  /// A plain task of somebody who keeps no books.
  @discardableResult
  func post(on queue: Int, seed: UInt64, _ body: (@Sendable () -> Void)? = nil) -> Bool {
    let ticket = judges[queue].issue(.posted, seed: seed, at: now())
    let target = queues[queue]
    let admission = target { [self] in perform(ticket, body.map { .call($0) } ?? .nothing) }
    guard settle(ticket, admission) else { return false }
    onChild?(ticket)
    return true
  }

  private func syncInside(_ queue: Int, seed: UInt64) {
    let judge = judges[queue]
    let ticket = judge.issue(.synced, seed: seed, at: now())
    do {
      totals.waits.add()
      try queues[queue].sync { perform(ticket) }
      judge.returned(ticket, at: now())
      totals.accepted.add()
    } catch {
      turnAway(ticket, error)
    }
  }

  /// Notes what a call of `sync` threw.
  func turnAway(_ ticket: Ticket, _ error: any Error) {
    judges[ticket.queue].refused(ticket)
    totals.turnedAway.add()
    totals.waitsRefused.add()
    switch error {
    case WaitRefusal.wouldDeadlock(let chain) where !chain.isEmpty: break
    case WaitRefusal.refused(.shutDown) where isOver.isRaised: break
    case WaitRefusal.cannotBeOrdered where plan.backend == .fake: break
    default: court.report(.deadlock, ticket, "sync threw \(error)")
    }
  }

  /// Notes the answer to a submission.
  @discardableResult
  func settle(_ ticket: Ticket, _ admission: Admission) -> Bool {
    switch admission {
    case .accepted:
      totals.accepted.add()
      judges[ticket.queue].returned(ticket, at: now())
      if !limitJudges.isEmpty, ticket.countsAgainstLimit {
        limitJudges[ticket.queue].accepted(ticket)
      }
      return true
    case .refused(let reason):
      totals.refused.add()
      judges[ticket.queue].refused(ticket)
      let isExpected =
        switch reason {
        case .shutDown: isOver.isRaised
        case .limitReached, .noRoomInTime, .wouldDeadlock: plan.mix == .overflow
        case .forkedChild, .unimplemented: false
        }
      if !isExpected { court.report(.once, ticket, "was refused: \(reason)") }
      return false
    }
  }
}

extension Ticket {
  var countsAgainstLimit: Bool { form == .posted || form == .handled || form == .asked }
}
