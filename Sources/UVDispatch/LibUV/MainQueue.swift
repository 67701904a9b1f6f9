internal import CUV
// Links what the header declares.
internal import Dispatch
internal import Glibc

/// `DispatchQueue.main`, and with it the main actor: what waits there for somebody to run it on the
/// main thread.
enum MainQueue {
  /// Nobody else may run what waits there.
  static var isOnItsThread: Bool { cuv_is_main_thread() != 0 }

  /// Readable when something has come since ``takeWake()``. Dispatch keeps it open for good.
  static var descriptor: CInt { _dispatch_get_main_queue_handle_4CF() }

  /// Whether something has come since the last time. Ask before ``runAll()``: what comes meanwhile
  /// says so again.
  static func takeWake() -> Bool {
    var count: UInt64 = 0
    return unsafe read(descriptor, &count, 8) == 8
  }

  /// Runs everything that waits now. Nothing, if it is one of those that has called this.
  static func runAll() { _dispatch_main_queue_callback_4CF(nil) }
}
