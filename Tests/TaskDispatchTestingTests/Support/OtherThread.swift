import Dispatch
import Foundation

/// Runs `body` on a thread of its own, and returns when it has ended.
func onAnotherThread(_ body: @escaping @Sendable () -> Void) {
  let done = DispatchSemaphore(value: 0)
  let thread = Thread {
    body()
    done.signal()
  }
  thread.start()
  done.wait()
}

/// Tells the threads that are alive apart.
func thisThread() -> ObjectIdentifier { ObjectIdentifier(Thread.current) }
