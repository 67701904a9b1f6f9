internal import CUV

/// The `uv_loop_t` of a dispatcher. Use it on the loop's thread only, within the call of
/// ``UVDispatcher/withLoop(fileID:line:_:)`` that hands it out.
@unsafe public struct OpaqueLoop {
  /// Points to the `uv_loop_t`.
  public let pointer: UnsafeMutableRawPointer

  init(_ loop: UnsafeMutablePointer<uv_loop_t>) {
    unsafe pointer = UnsafeMutableRawPointer(loop)
  }
}
