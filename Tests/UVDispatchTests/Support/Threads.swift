import Foundation
import TaskDispatch
import Testing

@testable import TaskDispatchTesting

/// How long a test waits for what must happen. Only a broken dispatcher takes that long.
let patience = Duration.seconds(20)

/// How long a test waits for work of a Task on Swift's own threads. These threads are few, and the Tasks of all
/// tests share them.
let patienceWithTasks = Duration.seconds(300)

/// A thread that no dispatcher knows of.
final class OtherThread: Sendable {
  private let ended = Latch()

  init(_ body: @escaping @Sendable () -> Void) {
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
  func join() -> Bool { ended.wait(patience) }
}

/// Runs each of `bodies` on a thread of its own, all started at once. False if one does not end.
func race(_ bodies: (@Sendable () -> Void)...) -> Bool {
  race(bodies)
}

func race(_ bodies: [@Sendable () -> Void]) -> Bool {
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
func onOtherThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
  await withCheckedContinuation { continuation in
    _ = OtherThread { continuation.resume(returning: body()) }
  }
}

/// Runs `body`, which may block and may throw, on a thread of its own.
func onOtherThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws
  -> Value
{
  try await withCheckedThrowingContinuation { continuation in
    _ = OtherThread { continuation.resume(with: Result(catching: body)) }
  }
}

/// Runs `body` here. The body of an exit test is asynchronous, and may block all the same: it has a process of
/// its own.
func blocking<Value>(_ body: () throws -> Value) rethrows -> Value { try body() }

extension Duration {
  var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}

extension ExitTest.Result {
  /// Whether the process wrote `text` to its standard error before it ended.
  func said(_ text: String) -> Bool {
    String(decoding: standardErrorContent, as: UTF8.self).contains(text)
  }
}
