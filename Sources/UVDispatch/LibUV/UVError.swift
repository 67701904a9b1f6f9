internal import CUV

/// The system said no: which call of libuv, and what it answered.
public struct UVError: Error, Sendable, Hashable {
  /// The function of libuv, such as `uv_loop_init`.
  public let call: String
  /// What it returned: a negative error number.
  public let status: Int32

  /// The symbol of the error, such as `EMFILE`.
  public var name: String { unsafe String(cString: uv_err_name(status)) }

  /// What the system says about it, such as `too many open files`.
  public var message: String { unsafe String(cString: uv_strerror(status)) }

  /// Throws unless `status` says that `call` succeeded.
  static func check(_ call: String, _ status: Int32) throws(UVError) {
    guard status >= 0 else { throw UVError(call: call, status: status) }
  }
}

extension UVError: CustomStringConvertible {
  public var description: String { "\(call) failed: \(message) (\(name))" }
}
