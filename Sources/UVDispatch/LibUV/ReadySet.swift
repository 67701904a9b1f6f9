internal import CUV
internal import Glibc
internal import Synchronization
internal import TaskDispatch

/// Descriptors that are watched for readiness, each until it is ready once. Any thread.
final class ReadySet: Sendable {
  /// Readable while one of them is ready.
  let descriptor: CInt
  #if DEBUG
    /// How many system calls were made to watch a descriptor, for the tests that count them.
    let calls = Atomic(0)
  #endif

  init() throws(UVError) {
    descriptor = cuv_make_ready_set()
    guard descriptor >= 0 else { throw UVError(call: "epoll_create1", status: -errno) }
  }

  deinit { close(descriptor) }

  /// Begins to watch a descriptor that is not in the set.
  ///
  /// - Parameter token: Names it in what ``take()`` returns.
  func add(_ descriptor: CInt, for interest: Readiness, token: UInt64) throws(EventRefusal) {
    switch wait(for: interest, of: descriptor, token: token, again: false) {
    case 0: return
    // Its number was closed, and is the same file's again.
    case EEXIST where waitAgain(descriptor, for: interest, token: token): return
    case EBADF: throw .notOpen(descriptor)
    case EPERM: throw .cannotBeWatched(descriptor)
    case let error: throw .system(UVError(call: "epoll_ctl", status: -error).description)
    }
  }

  /// Watches it again, after it was ready. False if it is not in the set any more: it was closed.
  func waitAgain(_ descriptor: CInt, for interest: Readiness, token: UInt64) -> Bool {
    wait(for: interest, of: descriptor, token: token, again: true) == 0
  }

  /// Every call that watches a descriptor goes by here: debug builds count them.
  private func wait(
    for interest: Readiness, of descriptor: CInt, token: UInt64, again: Bool
  ) -> CInt {
    #if DEBUG
      calls.wrappingAdd(1, ordering: .relaxed)
    #endif
    return cuv_ready_set_wait(
      self.descriptor, descriptor, CInt(interest.rawValue), token, again ? 1 : 0)
  }

  func remove(_ descriptor: CInt) { cuv_ready_set_remove(self.descriptor, descriptor) }

  /// What has become ready, some of it if that is much.
  func take() -> [(token: UInt64, readiness: Readiness)] {
    unsafe withUnsafeTemporaryAllocation(of: cuv_ready.self, capacity: 64) { ready in
      let count = unsafe cuv_ready_set_take(descriptor, ready.baseAddress!, 64)
      return unsafe ready[..<Int(count)].map {
        ($0.token, Readiness(rawValue: UInt8($0.readiness)))
      }
    }
  }
}
