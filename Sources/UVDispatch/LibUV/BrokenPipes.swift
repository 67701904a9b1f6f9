internal import Glibc

/// The signal that a thread gets for a write to a pipe or a socket whose other side has gone. Unless
/// somebody does something about it, it ends the process.
enum BrokenPipes {
  /// Runs `body`, on this thread, with that signal held back: the write fails, and that is all.
  static func withHeldBack<Result>(_ body: () -> Result) -> Result {
    var pipe = sigset_t()
    var before = sigset_t()
    unsafe sigemptyset(&pipe)
    unsafe sigaddset(&pipe, SIGPIPE)
    unsafe pthread_sigmask(SIG_BLOCK, &pipe, &before)
    defer {
      if unsafe sigismember(&before, SIGPIPE) == 0 {
        // What has come meanwhile was held back for good.
        var noTime = timespec()
        while unsafe sigtimedwait(&pipe, nil, &noTime) > 0 {}
      }
      unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
    }
    return body()
  }
}
