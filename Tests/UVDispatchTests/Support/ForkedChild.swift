import Glibc

/// Forks. The child runs `body` and leaves with 0; if it hangs, a signal ends it. Returns the child's number.
func forkProcess(_ body: () -> Void) -> pid_t {
  // Swift hides `fork`, for good reasons. A program may get it from C.
  typealias Fork = @convention(c) () -> pid_t
  let fork = unsafe unsafeBitCast(dlsym(nil, "fork")!, to: Fork.self)
  let child = fork()
  guard child == 0 else { return child }
  // Some threads block every signal, and a child inherits that. The alarm below must reach the child.
  var all = sigset_t()
  unsafe sigfillset(&all)
  unsafe pthread_sigmask(SIG_UNBLOCK, &all, nil)
  alarm(2)
  body()
  _exit(0)
}

/// Forks, runs `body` in the child, and returns how that ended. A child that hangs is killed.
func statusOfForkedChild(_ body: () -> Void) -> CInt {
  let child = forkProcess { body() }
  var status: CInt = 0
  unsafe waitpid(child, &status, 0)
  return status
}
