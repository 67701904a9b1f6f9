internal import CUV
internal import Glibc
internal import Synchronization
internal import TaskDispatch

/// Descriptors that are watched for readiness. Each is reported once, until ``waitAgain(_:for:token:)``. Any thread.
final class ReadySet: Sendable {
  /// An epoll descriptor: readable while a descriptor of the set is ready.
  let descriptor: CInt
  #if DEBUG
    /// How many system calls were made to watch a descriptor. Tests count them.
    let calls = Atomic(0)
  #endif

  /// - Throws: ``UVError`` if the process has no descriptor left.
  init() throws(UVError) {
    descriptor = cuv_make_ready_set()
    guard descriptor >= 0 else { throw UVError(call: "epoll_create1", status: -errno) }
  }

  deinit { close(descriptor) }

  /// Begins to watch a descriptor that is not in the set.
  ///
  /// - Parameters:
  ///   - interest: What to report.
  ///   - token: Names the descriptor in what ``take()`` returns.
  /// - Throws: ``EventRefusal/notOpen(_:)`` or ``EventRefusal/cannotBeWatched(_:)`` if the kernel says so, and
  ///   ``EventRefusal/system(_:)`` for any other error. The set is unchanged then.
  func add(_ descriptor: CInt, for interest: Readiness, token: UInt64) throws(EventRefusal) {
    switch wait(for: interest, of: descriptor, token: token, again: false) {
    case 0: return
    // The descriptor was closed, and its number is the same file's again: the kernel still has the old entry.
    case EEXIST where waitAgain(descriptor, for: interest, token: token): return
    case EBADF: throw .notOpen(descriptor)
    case EPERM: throw .cannotBeWatched(descriptor)
    case let error: throw .system(UVError(call: "epoll_ctl", status: -error).description)
    }
  }

  /// Watches a descriptor again, after it was reported ready.
  ///
  /// - Returns: False if it is not in the set any more, because it was closed.
  func waitAgain(_ descriptor: CInt, for interest: Readiness, token: UInt64) -> Bool {
    wait(for: interest, of: descriptor, token: token, again: true) == 0
  }

  /// Makes the system call that watches a descriptor. Debug builds count the calls.
  private func wait(
    for interest: Readiness, of descriptor: CInt, token: UInt64, again: Bool
  ) -> CInt {
    #if DEBUG
      calls.wrappingAdd(1, ordering: .relaxed)
    #endif
    return cuv_ready_set_wait(
      self.descriptor, descriptor, CInt(interest.rawValue), token, again ? 1 : 0)
  }

  /// Stops watching a descriptor. Does nothing if it is not in the set.
  func remove(_ descriptor: CInt) { cuv_ready_set_remove(self.descriptor, descriptor) }

  /// Takes descriptors that have become ready, at most 64 of them, without waiting. The others stay for the next
  /// call.
  func take() -> [(token: UInt64, readiness: Readiness)] {
    unsafe withUnsafeTemporaryAllocation(of: cuv_ready.self, capacity: 64) { ready in
      let count = unsafe cuv_ready_set_take(descriptor, ready.baseAddress!, 64)
      return unsafe ready[..<Int(count)].map {
        ($0.token, Readiness(rawValue: UInt8($0.readiness)))
      }
    }
  }
}
