/// The threads that are blocked in `sync`, `wait` or for room, as far as those need to be woken. A value
/// under the dispatcher's lock.
struct BlockedThreads {
  /// Callers of `sync` that were admitted, and have not noticed yet.
  var admitted = 0
  /// Those of them that run another task on top of their wait, and cannot notice before it has ended.
  var admittedWhileHelping = 0
  /// This section changed something that a blocked thread may be waiting for. All of them are woken when
  /// the lock is freed, also if the section ends by blocking its thread.
  var mustCheck = false
  /// Blocked threads that must be woken by every change, since no single event tells them to check again.
  var checkingAlways = 0
  /// The loop's thread is blocked in a callback of libuv, with no end but what it waits for.
  var loopWaitsInCallback = false
}
