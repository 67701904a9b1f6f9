internal import Glibc

/// The signals that a thread gets for what it has done itself: a bad address, a trap, an abort.
///
/// While a thread blocks one of them, the kernel ends the process at the fault and calls no handler, so
/// that Swift prints no backtrace. So every thread that runs bodies lets them in.
enum FaultSignals {
  private static let all = [SIGSEGV, SIGILL, SIGBUS, SIGFPE, SIGTRAP, SIGABRT, SIGSYS]

  private static var set: sigset_t {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for signal in all { unsafe sigaddset(&set, signal) }
    return set
  }

  /// Lets them in on the calling thread from now on.
  static func letIn() {
    var faults = set
    unsafe pthread_sigmask(SIG_UNBLOCK, &faults, nil)
  }

  /// Lets them in on the calling thread while `body` runs: the threads that `body` makes begin with that.
  static func whileLetIn<Result>(_ body: () throws -> Result) rethrows -> Result {
    var faults = set
    var before = sigset_t()
    unsafe pthread_sigmask(SIG_UNBLOCK, &faults, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    return try body()
  }
}
