internal import Glibc

/// A call of the system that failed.
public struct SystemError: Error, Sendable, Hashable {
  /// The call, such as `openat`.
  public let call: String
  /// The `errno` of the call.
  public let code: Int32

  /// The error of the call that has just failed on this thread.
  static func last(_ call: String) -> SystemError { SystemError(call: call, code: errno) }

  /// What the system says about the error, such as `Permission denied`.
  public var text: String { unsafe String(cString: strerror(code)) }

  /// Whether the file does not exist, or is no longer what it was a moment ago. `ELOOP` means that for
  /// a symbolic link, because no call here follows one.
  var meansGone: Bool { code == ENOENT || code == ENOTDIR || code == ELOOP }

  /// Whether the process has run out of something. Then the error does not concern one file.
  var isShortage: Bool { code == EMFILE || code == ENFILE || code == ENOMEM }
}

extension SystemError {
  /// The setting of the system whose limit is reached, if one is.
  var setting: String? {
    switch (call, code) {
    case ("inotify_add_watch", ENOSPC): "fs.inotify.max_user_watches"
    case ("inotify_init1", EMFILE): "fs.inotify.max_user_instances"
    default: nil
    }
  }
}

extension SystemError: CustomStringConvertible {
  /// `Permission denied (openat)`.
  public var description: String { "\(text) (\(call))" }
}

/// Repeats a call for as long as a signal interrupts it.
///
/// - Throws: If the call then returns a negative number.
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

extension Result where Failure == any Error {
  /// The result of a body that throws only ``SystemError``.
  var ofSystem: Result<Success, SystemError> {
    // A dispatcher passes on what a body has thrown, without its type.
    mapError { $0 as! SystemError }
  }
}
