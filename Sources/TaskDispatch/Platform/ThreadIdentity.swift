internal import Glibc

/// Tells threads apart while they live. The system may use an identity again for a later thread.
package enum ThreadIdentity {
  /// The calling thread's. Never inlined: a compiler may keep `pthread_self` across an `await`.
  @inline(never) package static var current: UInt { UInt(pthread_self()) }
}
