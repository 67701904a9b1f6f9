internal import TaskDispatch

/// A value that bodies on several threads share.
final class Box<Value: Sendable>: Sendable {
  private let state: Locked<Value>

  init(_ value: Value) { state = Locked(value) }

  var value: Value {
    get { state.withLock { $0 } }
    set {
      // What it held is released without the lock: that may run a `deinit` that wants this box.
      let former = state.withLock { value in
        let former = value
        value = newValue
        return former
      }
      _ = consume former
    }
  }

  func change<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
    state.withLock { body(&$0) }
  }
}

extension Box<Int> {
  /// Counts one, and returns the number reached.
  @discardableResult
  func increment() -> Int {
    change { count in
      count += 1
      return count
    }
  }
}

extension Box<Bool> {
  /// Makes it true. Returns whether it was false.
  func raise() -> Bool {
    change { isRaised in
      defer { isRaised = true }
      return !isRaised
    }
  }
}
