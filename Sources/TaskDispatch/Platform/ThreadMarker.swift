internal import Glibc

/// What this thread is running for dispatchers: a stack of ``TaskFrame``, kept on the thread's own
/// stack, so that entering a body allocates nothing and writes to no shared object.
///
/// A thread-local pointer, and no comparison of thread ids: the compiler may keep `pthread_self`
/// across an `await`, and ids are used again, so that could answer for another thread (or for one
/// that is gone).
@safe struct ThreadMarker {
  let frame: TaskFrame
  let dispatcher: any TaskDispatcher
  /// Whether the body cannot rely on what is below.
  let hidesOuter: Bool
  private let below: UnsafePointer<ThreadMarker>?

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let status = unsafe pthread_key_create(&key, nil)
    precondition(status == 0, "pthread_key_create refused: \(status)")
    return key
  }()

  /// Never inlined: what it reads changes where the compiler sees no reason for it.
  @inline(never) private static func top() -> UnsafePointer<ThreadMarker>? {
    guard let marker = unsafe pthread_getspecific(key) else { return nil }
    return unsafe UnsafePointer(marker.assumingMemoryBound(to: ThreadMarker.self))
  }

  /// The innermost frame that runs on this thread, or nil.
  static var innermost: ThreadMarker? { unsafe top()?.pointee }

  /// Runs `body` with `frame` on top of this thread's stack.
  static func run<Result, Failure: Error>(
    _ frame: TaskFrame, by dispatcher: any TaskDispatcher, hidesOuter: Bool,
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let below = unsafe top()
    var marker = unsafe ThreadMarker(
      frame: frame, dispatcher: dispatcher, hidesOuter: hidesOuter, below: below)
    return try unsafe withUnsafePointer(to: &marker) { marker throws(Failure) in
      unsafe set(marker)
      defer { unsafe set(below) }
      return try body()
    }
  }

  @inline(never) private static func set(_ marker: UnsafePointer<ThreadMarker>?) {
    let status = unsafe pthread_setspecific(key, marker)
    precondition(status == 0, "pthread_setspecific refused: \(status)")
  }

  /// The first marker of this thread, from the innermost outwards, that `matches`.
  static func first(where matches: (borrowing ThreadMarker) -> Bool) -> ThreadMarker? {
    var next = unsafe top()
    while let marker = unsafe next {
      if unsafe matches(marker.pointee) { return unsafe marker.pointee }
      unsafe next = marker.pointee.below
    }
    return nil
  }
}
