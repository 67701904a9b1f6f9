import Glibc
import TaskDispatch

/// What the process does when a signal comes.
enum Disposition: Equatable {
  case standard
  case ignored
  case handled(UInt)

  /// The disposition of `signal` at this moment.
  static func of(_ signal: Signal) -> Disposition {
    var action = sigaction()
    precondition(unsafe sigaction(signal.rawValue, nil, &action) == 0, "\(errno)")
    let handler = unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: UInt.self)
    return switch handler {
    case 0: .standard
    case 1: .ignored
    default: .handled(handler)
    }
  }
}

/// A handler that is not the dispatcher's.
let foreignHandler: @convention(c) (CInt) -> Void = { _ in }
