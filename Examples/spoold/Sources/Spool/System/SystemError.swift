internal import Glibc

/// A call of the system that failed.
public struct SystemError: Error, Sendable, Hashable {
  /// The call, such as `openat`.
  public let call: String
  /// Its `errno`.
  public let code: Int32

  /// Of the call that has just failed on this thread.
  static func last(_ call: String) -> SystemError { SystemError(call: call, code: errno) }

  /// What the system says about it, such as `Permission denied`.
  public var text: String { unsafe String(cString: strerror(code)) }

  /// Whether what was asked for is not there, or is no longer what it was a moment ago. `ELOOP`
  /// says so of a symbolic link, because nothing here follows one.
  var meansGone: Bool { code == ENOENT || code == ENOTDIR || code == ELOOP }

  /// Whether the process has run out of something. Then it is not about one file.
  var isShortage: Bool { code == EMFILE || code == ENFILE || code == ENOMEM }
}

/// Makes a call again for as long as a signal interrupts it.
///
/// - Throws: If it then returns a negative number.
@discardableResult
func checked<Number: SignedInteger>(
  _ call: String, _ body: () -> Number
) throws(SystemError) -> Number {
  while true {
    let result = body()
    if result >= 0 { return result }
    guard errno == EINTR else { throw .last(call) }
  }
}
