import Glibc

@testable import TaskDispatchTesting

/// The status that a process of these tests leaves with, which nothing else uses.
let chosenStatus: CInt = 7

/// Where this process is on its way out.
enum Leaving {
  /// Opens when `exit` has begun: before libuv joins its threads.
  static let begun: Latch = {
    let latch = Latch()
    atexit { Leaving.begun.open() }
    return latch
  }()

  /// Ends this process badly if it has not ended by itself: nothing here may hang for long.
  static func watch() { alarm(20) }

  /// Writes to standard error, also while the process is leaving.
  static func say(_ text: String) {
    let line = text + "\n"
    _ = unsafe line.withCString { unsafe write(2, $0, strlen($0)) }
  }
}
