internal import Scheduling

/// Starts threads that belong to this package.
enum OwnThread {
  static func start(
    named name: String, role: String? = nil, runsBodies: Bool = false,
    _ body: @escaping @Sendable () -> Void
  ) throws(UVError) {
    Simulation.shared.spawn(named: "\(name) \(role ?? "loop")", body)
  }
}
