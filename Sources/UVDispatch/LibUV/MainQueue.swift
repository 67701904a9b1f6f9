internal import CUV
// Links what the header declares.
internal import Dispatch
internal import Glibc
internal import Synchronization

/// `DispatchQueue.main`, and with it the main actor: what waits there for somebody to run it on the
/// main thread.
enum MainQueue {
  /// Nobody else may run what waits there.
  static var isOnItsThread: Bool { cuv_is_main_thread() != 0 }

  private static let isPrepared = Atomic(false)

  /// Sees to it that there is a ``descriptor``: where the process has none left, Dispatch ends it.
  static func prepare() throws(UVError) {
    guard !isPrepared.load(ordering: .acquiring) else { return }
    try Descriptors.reserve(1, for: "eventfd")
    _ = descriptor
    isPrepared.store(true, ordering: .releasing)
  }

  /// Readable when something has come since ``takeWake()``. Dispatch keeps it open, unless somebody
  /// calls `dispatchMain()`, which takes the thread for good. Only after ``prepare()``.
  static var descriptor: CInt { _dispatch_get_main_queue_handle_4CF() }

  /// Whether something has come since the last time. Ask before ``runAll()``: what comes meanwhile
  /// says so again.
  static func takeWake() -> Bool {
    var count: UInt64 = 0
    return unsafe read(descriptor, &count, 8) == 8
  }

  /// Says once more that something has come, for whoever looks next.
  static func giveBackWake() {
    var one: UInt64 = 1
    _ = unsafe write(descriptor, &one, 8)
  }

  /// A block that says whether blocks are run.
  final class Probe: Sendable {
    private let ran = Atomic(false)

    init() { DispatchQueue.main.async { [self] in ran.store(true, ordering: .relaxed) } }

    var hasRun: Bool { ran.load(ordering: .relaxed) }
  }

  /// Runs everything that waits now. Nothing, if it is one of those that has called this.
  static func runAll() { _dispatch_main_queue_callback_4CF(nil) }
}
