internal import Glibc

enum Descriptors {
  /// Sees that `count` more descriptors can be opened, for a call of libuv that opens so many.
  ///
  /// Where there is no room, `uv_loop_init` loses a descriptor, and the first of a process aborts
  /// (1.44). Another thread may still take them in between; then that is what happens.
  static func reserve(_ count: Int, for call: String) throws(UVError) {
    var opened: [CInt] = []
    defer { for descriptor in opened { close(descriptor) } }
    for _ in 0..<count {
      let descriptor = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw UVError(call: call, status: -errno) }
      opened.append(descriptor)
    }
  }

  /// What a loop opens: to poll, to be woken, and for signals; the first also for the process.
  static let ofLoop = 6
}
