internal import CSignals
internal import Glibc
internal import Synchronization
internal import TaskDispatch

/// Knows whether this process was forked from the one that made a dispatcher (rule 15).
///
/// In the child neither the pool's threads nor the owner of a lock exist, so this has to be asked
/// before any lock is taken.
enum ForkGuard {
  private static let forked = Atomic(false)

  private static let registration: Void = {
    let status = pthread_atfork(csignals_before_fork, csignals_after_fork_in_parent) {
      ForkGuard.forked.store(true, ordering: .relaxed)
      csignals_after_fork_in_child()
    }
    require(status == 0, "pthread_atfork refused: \(status)")
  }()

  /// Watches for forks from now on.
  static func prepare() { registration }

  /// One relaxed load.
  static var isForked: Bool { forked.load(ordering: .relaxed) }
}
