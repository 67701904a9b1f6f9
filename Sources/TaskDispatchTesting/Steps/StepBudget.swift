internal import TaskDispatch

/// Counts the steps of one call, those of the calls that its bodies make included, and near the end what they were.
///
/// Touched by the thread of the call alone.
final class StepBudget {
  let limit: Int
  /// How many steps the call itself has made.
  private(set) var steps = 0
  /// The call in a body of which this one is.
  private let outer: StepBudget?
  /// Since the call has moved time, if it does.
  private var used = 0
  private var usedBefore = 0
  private var seen: [Key: Int] = [:]
  /// Enough to see what recurs, and no cost for calls that end.
  private static let watched = 1_000
  /// What a call that moves time may run in all, at least: a clock may tick for days, and not for centuries.
  private static let leastInAll = 100_000

  private struct Key: Hashable {
    let label: String?
    let site: CallSite
  }

  /// - Parameter outer: The call of the same thread in a body of which this one is.
  init(_ limit: Int, inside outer: StepBudget? = nil) {
    require(limit >= 1, "a step limit must allow a step (limit: \(limit))")
    (self.limit, self.outer) = (limit, outer)
  }

  private var mostInAll: Int {
    let (most, overflow) = limit.multipliedReportingOverflow(by: 10)
    return overflow ? .max : max(most, Self.leastInAll)
  }

  private var isSpent: Bool { used >= limit || usedBefore + used >= mostInAll }

  /// This one, or the nearest around it, that must not make another step; nil if they all may.
  var spent: StepBudget? {
    var next: StepBudget? = self
    while let budget = next, !budget.isSpent { next = budget.outer }
    return next
  }

  /// A body is about to run.
  func count(_ body: Entry) {
    steps += 1
    use(body)
    var next = outer
    while let budget = next {
      budget.use(body)
      next = budget.outer
    }
  }

  private func use(_ body: Entry) {
    used += 1
    guard used > limit - Self.watched || usedBefore + used > mostInAll - Self.watched else {
      return
    }
    let task = body.record
    seen[Key(label: task.label, site: task.site), default: 0] += 1
  }

  /// The call, which moves time, has moved it.
  func timeHasMoved() {
    usedBefore += used
    used = 0
    if usedBefore <= mostInAll - Self.watched { seen = [:] }
  }

  /// What the call throws once the budget is spent.
  var error: StepError {
    .stepLimitReached(limit: used >= limit ? limit : mostInAll, recurring: recurring)
  }

  /// The call sites that ran most often of late, the most frequent first.
  private var recurring: [StepError.Recurrence] {
    seen.map { StepError.Recurrence(label: $0.label, site: $0.site, count: $1) }
      .sorted { ($1.count, $0.site.line) < ($0.count, $1.site.line) }
      .prefix(5).map { $0 }
  }
}
