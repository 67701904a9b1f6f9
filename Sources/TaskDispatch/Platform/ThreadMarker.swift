internal import Glibc

/// What this thread is running for a dispatcher: the top of its stack of ``TaskFrame``.
///
/// A thread-local pointer read by functions that are never inlined: the compiler may keep
/// `pthread_self` across an `await`, and thread ids are used again, so a comparison of ids could
/// answer for another thread (or for one that is gone).
enum ThreadMarker {
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let status = unsafe pthread_key_create(&key, nil)
    precondition(status == 0, "pthread_key_create refused: \(status)")
    return key
  }()

  /// The frame that runs on this thread, or nil.
  @inline(never) static var top: TaskFrame? {
    guard let pointer = unsafe pthread_getspecific(key) else { return nil }
    return unsafe Unmanaged<TaskFrame>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// Makes `frame` the top of this thread. Whoever pushes a frame keeps it alive until it is popped.
  @inline(never) static func setTop(_ frame: TaskFrame?) {
    let pointer = unsafe frame.map { unsafe Unmanaged.passUnretained($0).toOpaque() }
    let status = unsafe pthread_setspecific(key, pointer)
    precondition(status == 0, "pthread_setspecific refused: \(status)")
  }
}
