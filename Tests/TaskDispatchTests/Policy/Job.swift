@testable import TaskDispatch

/// A task as the policy sees it. It knows its position, as a task does that can be cancelled.
final class Job: PoolEntry {
  let id: Int
  let band: PriorityBand
  let isBarrier: Bool
  let runsOnCaller: Bool
  var position = -1

  init(id: Int, band: PriorityBand, isBarrier: Bool = false, runsOnCaller: Bool = false) {
    self.id = id
    self.band = band
    self.isBarrier = isBarrier
    self.runsOnCaller = runsOnCaller
  }

  /// Whether the trial, when it takes the job back, leaves a tombstone by position: every second job that
  /// allows it.
  var canBeVacated: Bool { id % 2 == 0 && !isBarrier && !runsOnCaller }
}
