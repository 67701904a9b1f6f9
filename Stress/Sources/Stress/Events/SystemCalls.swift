import Glibc

/// Functions of the C library that Swift's import leaves out.
enum SystemCalls {
  private typealias MakeCounter = @convention(c) (CUnsignedInt, CInt) -> CInt
  private typealias ThreadNumber = @convention(c) () -> pid_t
  private typealias Send = @convention(c) (pid_t, pid_t, CInt) -> CInt

  private static let makeCounter = unsafeBitCast(dlsym(nil, "eventfd")!, to: MakeCounter.self)
  private static let threadNumber = unsafeBitCast(dlsym(nil, "gettid")!, to: ThreadNumber.self)
  private static let send = unsafeBitCast(dlsym(nil, "tgkill")!, to: Send.self)

  /// An eventfd that does not block; -1 if the system has no room for it.
  static func eventfd() -> CInt { makeCounter(0, O_NONBLOCK | O_CLOEXEC) }

  /// The system's number of the calling thread.
  static func gettid() -> pid_t { threadNumber() }

  /// Sends a signal to a thread of this process.
  static func send(_ signal: CInt, to thread: pid_t) { _ = send(getpid(), thread, signal) }
}
