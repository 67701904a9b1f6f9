internal import Glibc
internal import Synchronization
internal import TaskDispatch

/// Which signals the threads of this package, and those of libuv's pool, block.
///
/// A program that a body starts inherits the mask of the body's thread. If that thread blocked everything, `SIGTERM`
/// could not stop the program. So a thread that runs bodies blocks what the main thread blocks: that is what the
/// program has chosen, or what it was started with. The mask of the thread that makes it is no guide, because a
/// thread of Swift's pool blocks everything.
///
/// No thread that runs bodies blocks these:
///
/// - The signals of a fault, such as a bad address, a trap or an abort, which a thread causes itself. While one of
///   them is blocked, the kernel ends the process at the fault and calls no handler, so Swift prints no backtrace.
/// - `SIGPIPE`, except while ``BrokenPipes`` blocks it.
/// - The signals that ``letIn(_:)`` was called for.
///
/// If other code has started libuv's pool, the workers have the mask that this code gave them, and only the last
/// point holds of them.
package enum SignalMasks {
  private static let faults = [SIGSEGV, SIGILL, SIGBUS, SIGFPE, SIGTRAP, SIGABRT, SIGSYS]

  /// Held while ``whileAllAreBlocked(_:)`` has replaced the mask of a thread. The main thread's mask is read under
  /// it, since that thread may be the main one.
  private static let lock = Locked(())

  /// The signals that ``letIn(_:)`` was called for: a bit for each, the lowest for signal 1.
  private static let letIn = Atomic(UInt64(0))

  /// Unblocks a signal on the calling thread at once, and on each worker at its next worker run. The workers need
  /// that because libuv makes them early, with the mask of that time. Any thread.
  ///
  /// - Parameter signal: From 1 to 64.
  /// - Returns: Whether the calling thread had blocked it.
  package static func letIn(_ signal: CInt) -> Bool {
    letIn.bitwiseOr(1 << UInt64(signal - 1), ordering: .relaxed)
    var (one, before) = (sigset_t(), sigset_t())
    unsafe sigemptyset(&one)
    unsafe sigaddset(&one, signal)
    unsafe pthread_sigmask(SIG_UNBLOCK, &one, &before)
    return unsafe sigismember(&before, signal) == 1
  }

  /// Unblocks the signals of ``letIn(_:)`` on the calling worker, which begins a worker run.
  static func letInOnWorker() {
    let signals = letIn.load(ordering: .relaxed)
    guard signals != 0 else { return }
    var mask = set(of: signals)
    unsafe pthread_sigmask(SIG_UNBLOCK, &mask, nil)
  }

  /// Runs `body` with all signals blocked on the calling thread. A thread that `body` makes begins with that mask.
  static func whileAllAreBlocked<Result>(_ body: () throws -> Result) rethrows -> Result {
    try lock.withLock { _ in
      var all = sigset_t()
      unsafe sigfillset(&all)
      return try whileSet(all, body)
    }
  }

  /// Runs `body` while the calling thread has the mask of a thread that runs bodies. Threads that `body` makes begin
  /// with that mask.
  static func whileThatOfBodies<Result>(_ body: () throws -> Result) rethrows -> Result {
    try whileSet(ofBodies(), body)
  }

  /// Gives the calling thread the mask of a thread that runs bodies.
  static func setThatOfBodies() {
    var mask = ofBodies()
    unsafe pthread_sigmask(SIG_SETMASK, &mask, nil)
  }

  /// Unblocks the signals of a fault on the calling thread.
  static func letFaultsIn() {
    var mask = sigset_t()
    unsafe sigemptyset(&mask)
    for signal in faults { unsafe sigaddset(&mask, signal) }
    unsafe pthread_sigmask(SIG_UNBLOCK, &mask, nil)
  }

  private static func whileSet<Result>(
    _ mask: sigset_t, _ body: () throws -> Result
  ) rethrows -> Result {
    var (mask, before) = (mask, sigset_t())
    unsafe pthread_sigmask(SIG_SETMASK, &mask, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    return try body()
  }

  private static func set(of signals: UInt64) -> sigset_t {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for signal in CInt(1)...64 where signals >> UInt64(signal - 1) & 1 == 1 {
      unsafe sigaddset(&set, signal)
    }
    return set
  }

  /// The mask of a thread that runs bodies. If the kernel does not say what the main thread blocks, it is the mask of
  /// the calling thread, without the signals of a fault and `SIGPIPE`.
  private static func ofBodies() -> sigset_t {
    var mask = sigset_t()
    if let blocked = lock.withLock({ _ in maskOfIdleMainThread() }) {
      mask = set(of: blocked)
    } else {
      unsafe pthread_sigmask(SIG_BLOCK, nil, &mask)
    }
    for signal in faults + [SIGPIPE] { unsafe sigdelset(&mask, signal) }
    let lettingIn = letIn.load(ordering: .relaxed)
    for signal in CInt(1)...64 where lettingIn >> UInt64(signal - 1) & 1 == 1 {
      unsafe sigdelset(&mask, signal)
    }
    return mask
  }

  /// The mask of the main thread, or nil if the kernel does not say.
  ///
  /// While the main thread makes a thread, the C library blocks everything on it for some microseconds, its own two
  /// signals included, which no program can block. Such a mask is read again.
  private static func maskOfIdleMainThread() -> UInt64? {
    let own: UInt64 = 0b11 << 31
    for _ in 0..<1_000 {
      guard let blocked = blockedByMainThread() else { return nil }
      if blocked & own == 0 { return blocked }
      sched_yield()
    }
    return nil
  }

  /// The signals that the main thread blocks: a bit for each, the lowest for signal 1. `/proc/self` is the main
  /// thread's.
  private static func blockedByMainThread() -> UInt64? {
    let file = unsafe open("/proc/self/status", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe read(file, &bytes, bytes.count)
    guard count > 0 else { return nil }
    let lines = bytes[..<count].split(separator: UInt8(ascii: "\n"))
    let name = Array("SigBlk:\t".utf8)
    guard let line = lines.first(where: { $0.starts(with: name) }) else { return nil }
    return UInt64(String(decoding: line.dropFirst(name.count), as: UTF8.self), radix: 16)
  }
}
