internal import CSignals
internal import Glibc
internal import Synchronization
internal import TaskDispatch

/// A forked child has neither the threads of the pool nor a thread that held a lock at the fork.
///
/// So calls that submit, cancel, wait, begin a shutdown or register for events ask this before they take a lock. The
/// others (``UVDispatcher/ledger``, ``UVDispatcher/report``, making, suspending and resuming a view, waiting in a Task,
/// a job of a Swift Task) do not: in a child they may wait for a lock that no thread gives back.
enum ForkGuard {
  private static let forked = Atomic(false)

  private static let registration: Void = {
    let status = pthread_atfork(csignals_before_fork, csignals_after_fork_in_parent) {
      ForkGuard.forked.store(true, ordering: .relaxed)
      csignals_after_fork_in_child()
    }
    require(status == 0, "pthread_atfork refused: \(status)")
  }()

  /// Begins to watch for forks. Further calls do nothing. Traps if the system has no memory for it.
  static func prepare() { registration }

  /// Whether this process is a forked child. Costs one relaxed load.
  static var isForked: Bool { forked.load(ordering: .relaxed) }
}
