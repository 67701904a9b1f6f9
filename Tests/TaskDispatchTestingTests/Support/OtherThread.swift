import Dispatch
import Foundation

/// Runs `body` on a thread of its own, and returns when it has ended.
func onAnotherThread(_ body: @escaping @Sendable () -> Void) { startThread(body).wait() }

/// Runs `body` on a thread of its own.
///
/// - Returns: Signalled once, when `body` has ended.
func startThread(_ body: @escaping @Sendable () -> Void) -> DispatchSemaphore {
  let done = DispatchSemaphore(value: 0)
  let thread = Thread {
    body()
    done.signal()
  }
  thread.start()
  return done
}

/// Tells threads apart that are alive at the same time.
func thisThread() -> ObjectIdentifier { ObjectIdentifier(Thread.current) }
