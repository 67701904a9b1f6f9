internal import Glibc

/// The stack of the calling thread.
package enum ThreadStack {
  private typealias AttributesOfThread =
    @convention(c) (pthread_t, UnsafeMutablePointer<pthread_attr_t>) -> CInt

  /// `pthread_getattr_np`, which the module of the C library does not export. Nil if there is none.
  private static let attributesOfThread: AttributesOfThread? = {
    guard let function = unsafe dlsym(nil, "pthread_getattr_np") else { return nil }
    return unsafe unsafeBitCast(function, to: AttributesOfThread.self)
  }()

  /// Whether less than a quarter of the stack is left, or less than a mebibyte if that is less.
  ///
  /// Nil if that cannot be known. It makes system calls: some microseconds, and some tens of them on the main
  /// thread.
  @inline(never) package static var isNearlyUsedUp: Bool? {
    var attributes = pthread_attr_t()
    guard let ofThread = unsafe attributesOfThread,
      unsafe ofThread(pthread_self(), &attributes) == 0
    else { return nil }
    defer { unsafe pthread_attr_destroy(&attributes) }
    var lowest: UnsafeMutableRawPointer?
    var size = 0
    guard unsafe pthread_attr_getstack(&attributes, &lowest, &size) == 0, let lowest = unsafe lowest
    else { return nil }
    let here = unsafe withUnsafePointer(to: &size) { UInt(bitPattern: $0) }
    let end = UInt(bitPattern: lowest)
    // A sanitizer may keep variables outside the stack.
    guard here > end, here <= end + UInt(size) else { return nil }
    return here - end < UInt(min(size / 4, 1 << 20))
  }
}
