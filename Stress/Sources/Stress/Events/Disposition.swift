import Glibc
import TaskDispatch

/// What the process does when a signal arrives.
struct Disposition: Equatable, Sendable {
  /// 0 for the system's default, 1 if the signal is ignored; else the address of a handler.
  var handler: UInt
  /// The handler's flags and mask. They mean nothing without a handler.
  var flags: CInt = 0
  var mask: [UInt8] = []

  static func of(_ signal: Signal) -> Disposition {
    var action = sigaction()
    let status = sigaction(signal.rawValue, nil, &action)
    precondition(status == 0, "sigaction: \(errno)")
    var disposition = Disposition(
      handler: unsafeBitCast(action.__sigaction_handler.sa_handler, to: UInt.self))
    if disposition.handler > 1 {
      // Leaves out the flag that the C library adds, and the signals that the kernel does not know.
      disposition.flags = action.sa_flags & ~0x0400_0000
      disposition.mask = withUnsafeBytes(of: action.sa_mask) { Array($0.prefix(8)) }
    }
    return disposition
  }
}
