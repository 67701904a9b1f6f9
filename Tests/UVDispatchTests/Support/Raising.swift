import Glibc
import TaskDispatch

/// Has `signal` delivered to the calling thread before this returns. Threads of Swift's own block every signal.
func deliver(_ signal: Signal, times count: Int = 1) {
  var only = sigset_t()
  var before = sigset_t()
  unsafe sigemptyset(&only)
  unsafe sigaddset(&only, signal.rawValue)
  unsafe pthread_sigmask(SIG_UNBLOCK, &only, &before)
  for _ in 0..<count { raise(signal.rawValue) }
  unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
}
