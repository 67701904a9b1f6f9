internal import Glibc
internal import Synchronization
internal import TaskDispatch

/// Which signals the threads of this package, and those of libuv's pool, block.
///
/// A program that a body starts inherits what the thread of the body blocks, and could not be stopped by `SIGTERM` if
/// that were everything. So a thread that runs bodies blocks what the main thread does, which is what the program has
/// chosen, or what it was started with. The thread that makes it says less: one of Swift's pool blocks everything.
///
/// No such thread blocks the signals of a fault, which a thread gets for what it has done itself: a bad address, a
/// trap, an abort. While one of them is blocked, the kernel ends the process at the fault and calls no handler, so that
/// Swift prints no backtrace. Nor does it block `SIGPIPE` longer than ``BrokenPipes`` has to, nor what was let in.
package enum SignalMasks {
  private static let faults = [SIGSEGV, SIGILL, SIGBUS, SIGFPE, SIGTRAP, SIGABRT, SIGSYS]

  /// Held while the mask of a thread is not its own.
  private static let lock = Locked(())

  /// What was let in: a bit for each signal, the lowest for the first.
  private static let letIn = Atomic(UInt64(0))

  /// Lets a signal in: on the calling thread at once, and from their next body on, also on the workers, which have the
  /// mask of the time when the pool was made.
  ///
  /// - Returns: Whether the calling thread has blocked it.
  package static func letIn(_ signal: CInt) -> Bool {
    letIn.bitwiseOr(1 << UInt64(signal - 1), ordering: .relaxed)
    var (one, before) = (sigset_t(), sigset_t())
    unsafe sigemptyset(&one)
    unsafe sigaddset(&one, signal)
    unsafe pthread_sigmask(SIG_UNBLOCK, &one, &before)
    return unsafe sigismember(&before, signal) == 1
  }

  /// A worker comes to its work.
  static func letInOnWorker() {
    let signals = letIn.load(ordering: .relaxed)
    guard signals != 0 else { return }
    var mask = set(of: signals)
    unsafe pthread_sigmask(SIG_UNBLOCK, &mask, nil)
  }

  /// Runs `body` on this thread while it blocks everything: a thread that `body` makes begins with that.
  static func whileAllAreBlocked<Result>(_ body: () throws -> Result) rethrows -> Result {
    try lock.withLock { _ in
      var all = sigset_t()
      unsafe sigfillset(&all)
      return try whileSet(all, body)
    }
  }

  /// Runs `body` on this thread with the mask of a thread that runs bodies: the threads that `body` makes begin with
  /// that.
  static func whileThatOfBodies<Result>(_ body: () throws -> Result) rethrows -> Result {
    try whileSet(ofBodies(), body)
  }

  /// Gives the calling thread the mask of one that runs bodies.
  static func setThatOfBodies() {
    var mask = ofBodies()
    unsafe pthread_sigmask(SIG_SETMASK, &mask, nil)
  }

  /// Lets the signals of a fault in on the calling thread.
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

  /// What the main thread blocks; what the calling thread does, if the kernel does not say.
  private static func ofBodies() -> sigset_t {
    var mask = sigset_t()
    if let blocked = lock.withLock({ _ in settledMaskOfMainThread() }) {
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

  /// While the C library makes a thread it blocks everything on the thread that asks for it, its own two signals
  /// included, which no program can block. That takes microseconds.
  private static func settledMaskOfMainThread() -> UInt64? {
    let own: UInt64 = 0b11 << 31
    for _ in 0..<1_000 {
      guard let blocked = blockedByMainThread() else { return nil }
      if blocked & own == 0 { return blocked }
      sched_yield()
    }
    return nil
  }

  /// A bit for each signal, the lowest for the first. The file is the process's, and its thread is the main one.
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
