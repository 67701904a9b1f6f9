import Dispatch

/// Blocks the calling thread until an asynchronous operation has ended. Not for threads of Swift's
/// pool.
///
/// - Parameter executor: Where the operation runs; on Swift's pool if nil.
func blocking<Value: Sendable>(
  preferring executor: (any TaskExecutor)? = nil,
  _ operation: @escaping @Sendable () async -> Value
) -> Value {
  let box = Answer<Value>()
  let done = DispatchSemaphore(value: 0)
  Task.detached(executorPreference: executor) {
    box.value = await operation()
    done.signal()
  }
  done.wait()
  return box.value!
}

private final class Answer<Value: Sendable>: @unchecked Sendable {
  // Written before the signal, read after the wait.
  var value: Value?
}
