internal import Scheduling

/// What is known of the simulated pool.
enum ThreadPool {
  static func threads() throws -> Int {
    ForkGuard.prepare()
    return Simulation.shared.limits.poolThreads
  }
}
