internal import TaskDispatch

/// Counts the steps of one call, and, near the end of the budget, which tasks ran.
///
/// The steps of calls that its bodies make count as well. Touched by the thread of the call alone.
final class StepBudget {
  let limit: Int
  /// How many steps the call itself has made.
  private(set) var steps = 0
  /// The budget of the call whose body makes this call.
  private let outer: StepBudget?
  /// Bodies that ran since the call last moved time, if it moves time.
  private var used = 0
  private var usedBefore = 0
  private var seen: [Key: Int] = [:]
  /// How many of the last bodies are recorded: enough to see what recurs, at no cost for calls that end.
  private static let watched = 1_000
  /// The least total for a call that moves time: a clock may tick for days, and not for centuries.
  private static let leastInAll = 100_000

  private struct Key: Hashable {
    let label: String?
    let site: CallSite
  }

  /// - Parameter outer: The budget of the call, on the same thread, whose body makes this call.
  init(_ limit: Int, inside outer: StepBudget? = nil) {
    require(limit >= 1, "a step limit must allow a step (limit: \(limit))")
    (self.limit, self.outer) = (limit, outer)
  }

  private var mostInAll: Int {
    let (most, overflow) = limit.multipliedReportingOverflow(by: 10)
    return overflow ? .max : max(most, Self.leastInAll)
  }

  private var isSpent: Bool { used >= limit || usedBefore + used >= mostInAll }

  /// The nearest budget, from this one outwards, that allows no further step. Nil if all allow one.
  var spent: StepBudget? {
    var next: StepBudget? = self
    while let budget = next, !budget.isSpent { next = budget.outer }
    return next
  }

  /// Counts a body that is about to run, in this budget and in those around it.
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

  /// Begins a new count after the call has moved time.
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
