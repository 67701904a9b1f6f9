import Glibc
import TaskDispatch

/// What the process does when a signal comes.
struct Disposition: Equatable, Sendable {
  /// 0 for what the system does, 1 for nothing; else the address of a handler.
  var handler: UInt
  /// Those of a handler; without one they mean nothing.
  var flags: CInt = 0
  var mask: [UInt8] = []

  static func of(_ signal: Signal) -> Disposition {
    var action = sigaction()
    let status = sigaction(signal.rawValue, nil, &action)
    precondition(status == 0, "sigaction: \(errno)")
    var disposition = Disposition(
      handler: unsafeBitCast(action.__sigaction_handler.sa_handler, to: UInt.self))
    if disposition.handler > 1 {
      // Without what the C library adds for itself, and without signals that the kernel does not know.
      disposition.flags = action.sa_flags & ~0x0400_0000
      disposition.mask = withUnsafeBytes(of: action.sa_mask) { Array($0.prefix(8)) }
    }
    return disposition
  }
}
