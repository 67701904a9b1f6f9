internal import Glibc

/// Who is executing: a Swift Task, which may go from thread to thread, or else a thread.
package enum ExecutionIdentity: Equatable, Sendable {
  case task(Int)
  case thread(UInt)

  /// The caller's. Never inlined: a compiler may keep `pthread_self` across an `await`.
  @inline(never) package static var current: ExecutionIdentity {
    // A Task hashes as itself, for as long as it lives.
    if let task = unsafe withUnsafeCurrentTask(body: { unsafe $0?.hashValue }) {
      return .task(task)
    }
    return .thread(UInt(pthread_self()))
  }

  /// The calling thread, in a Task as well: one may begin where it is made.
  @inline(never) package static var ofThread: ExecutionIdentity { .thread(UInt(pthread_self())) }
}
