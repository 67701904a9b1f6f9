import Glibc
import TaskDispatchTesting

/// The status with which a process of these tests leaves. Nothing else uses it.
let chosenStatus: CInt = 7

/// What the tests need of a process that is about to leave.
enum Leaving {
  /// Opens when `exit` has begun: before libuv joins its threads.
  static let begun: Latch = {
    let latch = Latch()
    atexit { Leaving.begun.open() }
    return latch
  }()

  /// Ends this process with a signal if it has not ended by itself: nothing here may hang for long.
  static func watch() { alarm(20) }

  /// Writes to standard error, also while the process leaves.
  static func say(_ text: String) {
    let line = text + "\n"
    _ = unsafe line.withCString { unsafe write(2, $0, strlen($0)) }
  }
}
