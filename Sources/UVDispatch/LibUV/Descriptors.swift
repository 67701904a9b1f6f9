internal import Glibc

/// File descriptors that a call of libuv is about to open.
enum Descriptors {
  /// Checks that the process can open `count` more descriptors, before a call of libuv that opens so many.
  ///
  /// libuv 1.44 does not fail cleanly without them: `uv_loop_init` leaks a descriptor, and the first one of a process
  /// aborts. Another thread may still take the descriptors between this check and the call.
  ///
  /// - Throws: ``UVError`` with the error of `open`, if it fails.
  static func reserve(_ count: Int, for call: String) throws(UVError) {
    var opened: [CInt] = []
    defer { for descriptor in opened { close(descriptor) } }
    for _ in 0..<count {
      let descriptor = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw UVError(call: call, status: -errno) }
      opened.append(descriptor)
    }
  }

  /// How many descriptors `uv_loop_init` opens at most: for polling, for wake-ups and for signals, and those that the
  /// first loop of a process opens for the process.
  static let ofLoop = 6
}
