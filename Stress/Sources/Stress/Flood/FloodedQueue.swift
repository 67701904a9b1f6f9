import Oracle
import Synchronization
import TaskDispatch
import UVDispatch

/// A queue with a limit that refuses, and what threads have counted of it. It knows only the rule: never do more tasks
/// wait than the limit says, and a task is refused only if at some moment of the call as many did.
final class FloodedQueue: Sendable {
  let queue: TaskQueue
  let limit: Int
  private let width: Int
  private let violations: ViolationLog
  let totals = Totals()
  /// Submissions that threads have begun to make, those of them that were accepted, and those that were refused.
  private let asked = Atomic(0)
  private let accepted = Atomic(0)
  private let refused = Atomic(0)
  /// Tasks that have begun.
  private let begun = Atomic(0)
  /// Tasks that have left the queue, or are about to: also those that a thread is about to cancel.
  private let gone = Atomic(0)

  init(_ queue: TaskQueue, limit: Int, width: Int, violations: ViolationLog) {
    (self.queue, self.limit, self.width, self.violations) = (queue, limit, width, violations)
  }

  /// Submits a task in one of several ways, and judges the answer.
  func submit(_ dice: inout Dice) {
    let work: Int64 = dice.once(in: 200) ? 20_000 : 0
    let posts = dice.once(in: 50)
    let seed = dice.next()
    let before = begun.load(ordering: .acquiring)
    asked.add(1, ordering: .acquiringAndReleasing)
    let body: @Sendable () -> Void = { [self] in
      begun.add(1, ordering: .acquiringAndReleasing)
      gone.add(1, ordering: .acquiringAndReleasing)
      totals.begun.add()
      if posts {
        var dice = Dice(seed: seed)
        submit(&dice)
      }
      spin(work)
      totals.ended.add()
    }
    switch dice.roll(20) {
    case 0: judge(queue.async(label: "flood", body), before)
    case 1 where queue.lane == .background:
      judge(queue.async(priority: dice.once(in: 2) ? .high : .low, body), before)
    case 2 where queue.view != nil: judge(queue.barrier(body), before)
    case 3:
      let handle = queue.submit { body() }
      if case .refused = handle.outcomeIfFinished {
        judge(.refused(.limitReached), before)
      } else {
        judge(.accepted, before)
      }
      if dice.once(in: 2) { cancel(handle) }
    default: judge(queue(body), before)
    }
  }

  /// The ledger and the counts, once all has ended.
  func check(_ ledger: Ledger) {
    let (asked, accepted, refused) = (
      asked.load(ordering: .acquiring), accepted.load(ordering: .acquiring),
      refused.load(ordering: .acquiring)
    )
    let ran = begun.load(ordering: .acquiring)
    if !ledger.balances || ledger.accepted != accepted || ledger.refused != refused
      || ledger.completed != ran || ledger.completed + ledger.cancelled != accepted
      || accepted + refused != asked
    {
      violations.report(
        .shutdown, nil,
        "\(asked) were submitted, \(accepted) accepted, \(refused) refused, and \(ran) have run; the ledger: \(ledger)"
      )
    }
  }

  private func judge(_ admission: Admission, _ before: Int) {
    if admission == .accepted {
      totals.accepted.add()
      let now = accepted.add(1, ordering: .acquiringAndReleasing).newValue
      let waiting = now - gone.load(ordering: .acquiring)
      // As many as the queue is wide may have been taken, and not have begun.
      if waiting > limit + width {
        violations.report(
          .once, nil, "\(waiting) tasks wait in \(queue.label), and the limit is \(limit)")
      }
      return
    }
    totals.refused.add()
    // First what was refused: so the number of the others is not too small.
    let refusals = refused.add(1, ordering: .acquiringAndReleasing).newValue
    let others = asked.load(ordering: .acquiring) - refusals
    if others - before < limit {
      violations.report(
        .once, nil,
        "a task of \(queue.label) was refused, although at most \(others - before) have waited at a time; the limit is \(limit)"
      )
    }
  }

  private func cancel(_ handle: TaskHandle<Void>) {
    gone.add(1, ordering: .acquiringAndReleasing)
    if handle.cancel() == .beforeStart {
      totals.cancelled.add()
    } else {
      // It begins by itself, or was refused.
      gone.subtract(1, ordering: .acquiringAndReleasing)
    }
  }

  private func spin(_ nanoseconds: Int64) {
    let end = queue.dispatcher.now.advanced(by: .nanoseconds(nanoseconds))
    while nanoseconds > 0, queue.dispatcher.now < end {}
  }
}
