internal import Scheduling
internal import Synchronization
internal import TaskDispatch

/// Starts worker runs on the simulated pool.
enum WorkerRuns {
  private static let answeredAt = Atomic(Int64.min)
  private static let isAsked = Atomic(false)

  static func prepare() throws(UVError) { ForkGuard.prepare() }

  static func askForThreadToSpare() {
    if isAsked.exchange(true, ordering: .relaxed) { return }
    start {
      answeredAt.store(monotonicNanoseconds(), ordering: .relaxed)
      isAsked.store(false, ordering: .relaxed)
    }
  }

  static func hadThreadToSpare(since time: Int64) -> Bool {
    answeredAt.load(ordering: .relaxed) >= time
  }

  static func start(_ work: @escaping @Sendable () -> Void) {
    Simulation.shared.queueForPool(work)
  }

  /// What the runs before have left: in each run the time begins anew.
  static func reset() {
    answeredAt.store(.min, ordering: .relaxed)
    isAsked.store(false, ordering: .relaxed)
  }
}
