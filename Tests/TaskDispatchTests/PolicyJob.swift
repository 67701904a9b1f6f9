@testable import TaskDispatch

/// A task as the policy sees it: knows where it stands, as one that can be cancelled does.
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

  /// Whether the trial that takes it back is to vacate its slot: every second that may be.
  var canBeVacated: Bool { id % 2 == 0 && !isBarrier && !runsOnCaller }
}
