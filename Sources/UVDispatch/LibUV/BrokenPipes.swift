internal import Glibc

/// `SIGPIPE`: the kernel sends it to a thread that writes to a pipe or a socket whose other side has closed. It ends
/// the process, unless the process handles or ignores it.
enum BrokenPipes {
  /// Runs `body` with `SIGPIPE` blocked on the calling thread, so that such a write only fails with `EPIPE`.
  ///
  /// If the process handles or ignores `SIGPIPE`, a write fails like this anyway. Then the mask stays as it is,
  /// because programs that `body` starts inherit it.
  static func withHeldBack<Result>(_ body: () -> Result) -> Result {
    guard endTheProcess else { return body() }
    var pipe = sigset_t()
    var before = sigset_t()
    unsafe sigemptyset(&pipe)
    unsafe sigaddset(&pipe, SIGPIPE)
    unsafe pthread_sigmask(SIG_BLOCK, &pipe, &before)
    defer {
      if unsafe sigismember(&before, SIGPIPE) == 0 {
        // Drops a `SIGPIPE` that is pending for this thread: to unblock it would end the process.
        var noTime = timespec()
        while unsafe sigtimedwait(&pipe, nil, &noTime) > 0 {}
      }
      unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
    }
    return body()
  }

  /// Whether `SIGPIPE` has its default disposition, which ends the process.
  private static var endTheProcess: Bool {
    var action = sigaction()
    unsafe sigaction(SIGPIPE, nil, &action)
    return unsafe action.__sigaction_handler.sa_handler == nil
  }
}
