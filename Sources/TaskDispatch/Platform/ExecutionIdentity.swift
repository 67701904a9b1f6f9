internal import Glibc

/// Identifies what executes the calling code: a Swift Task, which may move from thread to thread, or else a
/// thread.
package enum ExecutionIdentity: Equatable, Sendable {
  case task(Int)
  case thread(UInt)

  /// The identity of what executes the calling code. Never inlined: a compiler may keep `pthread_self` across
  /// an `await`.
  @inline(never) package static var current: ExecutionIdentity {
    // A Task has the same hash value for as long as it lives.
    if let task = unsafe withUnsafeCurrentTask(body: { unsafe $0?.hashValue }) {
      return .task(task)
    }
    return .thread(UInt(pthread_self()))
  }

  /// The identity of the calling thread, also inside a Task: a Task may begin on the thread that makes it.
  @inline(never) package static var ofThread: ExecutionIdentity { .thread(UInt(pthread_self())) }
}
