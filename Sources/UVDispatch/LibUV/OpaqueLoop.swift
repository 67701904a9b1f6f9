internal import CUV

/// The `uv_loop_t` of a dispatcher, for a call or two on its own thread.
@unsafe public struct OpaqueLoop {
  /// Points to the `uv_loop_t`.
  public let pointer: UnsafeMutableRawPointer

  init(_ loop: UnsafeMutablePointer<uv_loop_t>) {
    unsafe pointer = UnsafeMutableRawPointer(loop)
  }
}
