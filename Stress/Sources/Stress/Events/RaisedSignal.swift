import Glibc
import Oracle
import TaskDispatch

/// A signal that the program raises, and how often it did.
final class RaisedSignal: Sendable {
  let signal: Signal
  let raises = Raises()
  /// Whether each raised signal is a delivery of its own, and has arrived when the call returns.
  let isCounted: Bool

  private init(_ number: CInt, isCounted: Bool = true) {
    signal = Signal(rawValue: number)
    self.isCounted = isCounted
  }

  /// SIGUSR1, SIGUSR2, SIGURG, SIGWINCH, and two signals that the kernel queues. Each thread raises
  /// them for itself.
  static let counted = [10, 12, 23, 28, 40, 41].map { RaisedSignal($0) }
  /// SIGIO, which the kernel merges, and one signal that it queues. The system delivers them to any
  /// thread that does not block them.
  static let sent = [29, 50].map { RaisedSignal($0, isCounted: false) }

  /// A signal for which there is at most one handler at a time.
  static let alone = RaisedSignal(42)
  private static var all: [RaisedSignal] { counted + sent + [alone] }

  private static let dispositions = Locked<[CInt: Disposition]>([:])

  /// Sets what the process does with these signals while no dispatcher handles them, with at least one
  /// signal of each kind. Call it on the main thread, before the first dispatcher is made.
  static func prepare() {
    Glibc.signal(SIGPIPE, SIG_IGN)
    // The process that started this one may have blocked them, and at least one thread must let them
    // in.
    var ours = sigset_t()
    sigemptyset(&ours)
    for raised in all { sigaddset(&ours, raised.signal.rawValue) }
    pthread_sigmask(SIG_UNBLOCK, &ours, nil)
    for number: CInt in [10, 29, 40, 42, 50] { Glibc.signal(number, SIG_IGN) }
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in }
    action.sa_flags = SA_RESTART | SA_NODEFER
    sigaddset(&action.sa_mask, SIGWINCH)
    sigaction(12, &action, nil)
    action = sigaction()
    action.__sigaction_handler.sa_sigaction = { _, _, _ in }
    action.sa_flags = SA_RESTART | CInt(SA_SIGINFO)
    sigaction(41, &action, nil)
    dispositions.withLock { known in
      for raised in all { known[raised.signal.rawValue] = .of(raised.signal) }
    }
  }

  /// No dispatcher handles any of these signals any more.
  static func checkDispositions(_ violations: ViolationLog) {
    for raised in all where !raised.isAsBefore {
      let before = dispositions.withLock { $0[raised.signal.rawValue]! }
      let now = Disposition.of(raised.signal)
      violations.report(
        .events, nil,
        "\(raised.signal) has no handler any more, and its disposition is \(now), not \(before)")
    }
  }

  /// Whether the process does with the signal what it did before.
  var isAsBefore: Bool {
    .of(signal) == Self.dispositions.withLock { $0[signal.rawValue]! }
  }

  /// Raises the signal for the calling thread, which lets it in for that. Its handler has run when this
  /// returns.
  func raise() {
    raises.count {
      var only = sigset_t()
      var before = sigset_t()
      sigemptyset(&only)
      sigaddset(&only, signal.rawValue)
      pthread_sigmask(SIG_UNBLOCK, &only, &before)
      let status = Glibc.raise(signal.rawValue)
      pthread_sigmask(SIG_SETMASK, &before, nil)
      // It fails if the kernel has no room to queue one more.
      return status == 0
    }
  }

  /// Sends the signal to the process. Some thread lets it in soon.
  func send() { raises.count { kill(getpid(), signal.rawValue) == 0 } }

  /// Sends the signal to a thread by the system's number. That thread may block it, or have ended.
  func send(to thread: pid_t) {
    raises.count {
      SystemCalls.send(signal.rawValue, to: thread)
      return false
    }
  }
}
