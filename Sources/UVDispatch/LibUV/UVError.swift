internal import CUV

/// A call that the system refused: which call it was, and the error.
public struct UVError: Error, Sendable, Hashable {
  /// The function that failed, of libuv or of the C library, such as `uv_loop_init`.
  public let call: String
  /// A negative error number, as libuv returns it.
  public let status: Int32

  /// The symbol of the error, such as `EMFILE`.
  public var name: String { unsafe String(cString: uv_err_name(status)) }

  /// The text of the error, such as `too many open files`.
  public var message: String { unsafe String(cString: uv_strerror(status)) }

  /// Throws unless `status` says that `call` succeeded.
  static func check(_ call: String, _ status: Int32) throws(UVError) {
    guard status >= 0 else { throw UVError(call: call, status: status) }
  }
}

extension UVError: CustomStringConvertible {
  public var description: String { "\(call) failed: \(message) (\(name))" }
}
