internal import TaskDispatch

/// Counts the steps of one call, and near the end what they were.
struct StepBudget {
  let limit: Int
  private(set) var used = 0
  private var seen: [Key: Int] = [:]
  /// Enough to see what recurs, and no cost for calls that end.
  private static let watched = 1_000

  private struct Key: Hashable {
    let label: String?
    let site: CallSite
  }

  init(_ limit: Int) {
    require(limit >= 1, "a step limit must allow a step (limit: \(limit))")
    self.limit = limit
  }

  var isSpent: Bool { used >= limit }

  mutating func count(_ body: Entry) {
    used += 1
    guard used > limit - Self.watched else { return }
    let task = body.record
    seen[Key(label: task.label, site: task.site), default: 0] += 1
  }

  /// What the call throws once the budget is spent.
  var error: StepError { .stepLimitReached(limit: limit, recurring: recurring) }

  /// The call sites that ran most often of late, the most frequent first.
  private var recurring: [StepError.Recurrence] {
    seen.map { StepError.Recurrence(label: $0.label, site: $0.site, count: $1) }
      .sorted { ($1.count, $0.site.line) < ($0.count, $1.site.line) }
      .prefix(5).map { $0 }
  }
}
