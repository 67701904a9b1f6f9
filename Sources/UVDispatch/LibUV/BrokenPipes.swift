internal import Glibc

/// The signal that a thread gets for a write to a pipe or a socket whose other side has gone. It ends the process,
/// unless the process has said otherwise.
enum BrokenPipes {
  /// Runs `body`, on this thread, with that signal held back: the write fails, and that is all. So it does without this
  /// if the process has a handler or ignores the signal; then the mask stays as it is, which programs that `body` starts
  /// inherit.
  static func withHeldBack<Result>(_ body: () -> Result) -> Result {
    guard endTheProcess else { return body() }
    var pipe = sigset_t()
    var before = sigset_t()
    unsafe sigemptyset(&pipe)
    unsafe sigaddset(&pipe, SIGPIPE)
    unsafe pthread_sigmask(SIG_BLOCK, &pipe, &before)
    defer {
      if unsafe sigismember(&before, SIGPIPE) == 0 {
        // What has come until now was held back for good.
        var noTime = timespec()
        while unsafe sigtimedwait(&pipe, nil, &noTime) > 0 {}
      }
      unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
    }
    return body()
  }

  private static var endTheProcess: Bool {
    var action = sigaction()
    unsafe sigaction(SIGPIPE, nil, &action)
    return unsafe action.__sigaction_handler.sa_handler == nil
  }
}
