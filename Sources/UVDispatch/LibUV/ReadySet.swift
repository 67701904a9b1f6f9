internal import CUV
internal import Glibc
internal import TaskDispatch

/// Descriptors that are watched for readiness, each until it is ready once. Any thread.
final class ReadySet: Sendable {
  /// Readable while one of them is ready.
  let descriptor: CInt

  init() throws(UVError) {
    descriptor = cuv_make_ready_set()
    guard descriptor >= 0 else { throw UVError(call: "epoll_create1", status: -errno) }
  }

  deinit { close(descriptor) }

  /// Begins to watch a descriptor that is not in the set.
  ///
  /// - Parameter token: Names it in what ``take()`` returns.
  func add(_ descriptor: CInt, for interest: Readiness, token: UInt64) throws(EventRefusal) {
    let error = cuv_ready_set_wait(
      self.descriptor, descriptor, CInt(interest.rawValue), token, 0)
    switch error {
    case 0: return
    // Its number was closed, and is the same file's again.
    case EEXIST where waitAgain(descriptor, for: interest, token: token): return
    case EBADF: throw .notOpen(descriptor)
    case EPERM: throw .cannotBeWatched(descriptor)
    default: throw .system(UVError(call: "epoll_ctl", status: -error).description)
    }
  }

  /// Watches it again, after it was ready. False if it is not in the set any more: it was closed.
  func waitAgain(_ descriptor: CInt, for interest: Readiness, token: UInt64) -> Bool {
    cuv_ready_set_wait(self.descriptor, descriptor, CInt(interest.rawValue), token, 1) == 0
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
