internal import CUV
// Links the functions that the header of CUV declares.
internal import Dispatch
internal import Glibc
internal import Synchronization

/// `DispatchQueue.main`, which also runs the main actor. Its blocks wait until the main thread runs them.
enum MainQueue {
  /// Whether the calling thread is the main thread: no other thread may run the blocks.
  static var isOnItsThread: Bool { cuv_is_main_thread() != 0 }

  private static let isPrepared = Atomic(false)

  /// Makes the ``descriptor`` of the queue. Any thread.
  ///
  /// - Throws: ``UVError`` if the process has no descriptor left. Without this check Dispatch would end the process.
  static func prepare() throws(UVError) {
    guard !isPrepared.load(ordering: .acquiring) else { return }
    try Descriptors.reserve(1, for: "eventfd")
    _ = descriptor
    isPrepared.store(true, ordering: .releasing)
  }

  /// Readable when a block has come since ``takeWake()``. Only after ``prepare()``.
  ///
  /// Dispatch keeps it open, unless the program calls `dispatchMain()`, which takes the main thread for good.
  static var descriptor: CInt { _dispatch_get_main_queue_handle_4CF() }

  /// Whether a block has come since the last call. Call it before ``runAll()``: a block that comes during that makes
  /// the descriptor readable again.
  static func takeWake() -> Bool {
    var count: UInt64 = 0
    return unsafe read(descriptor, &count, 8) == 8
  }

  /// Makes the descriptor readable again, for the next loop that looks.
  static func giveBackWake() {
    var one: UInt64 = 1
    _ = unsafe write(descriptor, &one, 8)
  }

  /// A block in the queue that records that it has run.
  final class Probe: Sendable {
    private let ran = Atomic(false)

    init() { DispatchQueue.main.async { [self] in ran.store(true, ordering: .relaxed) } }

    var hasRun: Bool { ran.load(ordering: .relaxed) }
  }

  /// Runs all blocks that wait now. Runs none if it is called from a block of the queue.
  static func runAll() { _dispatch_main_queue_callback_4CF(nil) }
}
