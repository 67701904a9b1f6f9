internal import Foundation
internal import TaskDispatchTesting

/// How long a test waits for what must happen. Only a broken dispatcher takes that long.
package let patience = Duration.seconds(20)

/// How long a test waits for work of a Task on Swift's own threads. These threads are few, and the Tasks of all
/// tests share them.
package let patienceWithTasks = Duration.seconds(300)

/// A thread that no dispatcher knows of.
package final class OtherThread: Sendable {
  private let ended = Latch()

  package init(_ body: @escaping @Sendable () -> Void) {
    let ended = ended
    let body = Box<(@Sendable () -> Void)?>(body)
    Thread.detachNewThread {
      // Nothing that the body holds may outlive `join()`. If the process ended first, it would have objects
      // left, and the leak checker does not find what hangs on their reference counts.
      body.change { body in body.take() }?()
      ended.open()
    }
  }

  /// Waits until the body has run. False if it does not end in time.
  package func join() -> Bool { ended.wait(patience) }
}

/// Runs `body` on a thread of its own, and returns when it has ended.
package func onAnotherThread(_ body: @escaping @Sendable () -> Void) {
  precondition(OtherThread(body).join(), "a thread did not end in \(patience)")
}

/// Tells threads apart that are alive at the same time.
package func thisThread() -> ObjectIdentifier { ObjectIdentifier(Thread.current) }

/// Runs each of `bodies` on a thread of its own, all started at once. False if one does not end.
package func race(_ bodies: (@Sendable () -> Void)...) -> Bool {
  race(bodies)
}

package func race(_ bodies: [@Sendable () -> Void]) -> Bool {
  let ready = Latch(bodies.count)
  let go = Latch()
  let threads = bodies.map { body in
    OtherThread {
      ready.open()
      go.hold(patience)
      body()
    }
  }
  guard ready.wait(patience) else { return false }
  go.open()
  return threads.allSatisfy { $0.join() }
}

/// Runs `body`, which may block, on a thread of its own: the threads of Swift's Tasks are few, and other tests
/// need them.
package func onOtherThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value
{
  await withCheckedContinuation { continuation in
    _ = OtherThread { continuation.resume(returning: body()) }
  }
}

/// Runs `body`, which may block and may throw, on a thread of its own.
package func onOtherThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value)
  async throws
  -> Value
{
  try await withCheckedThrowingContinuation { continuation in
    _ = OtherThread { continuation.resume(with: Result(catching: body)) }
  }
}

/// Runs `body` here. The body of an exit test is asynchronous, and may block all the same: it has a process of
/// its own.
package func blocking<Value>(_ body: () throws -> Value) rethrows -> Value { try body() }

extension Duration {
  package var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
