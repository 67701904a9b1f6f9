internal import TaskDispatch

/// A value that bodies on several threads share.
package final class Box<Value: Sendable>: Sendable {
  private let state: Locked<Value>

  package init(_ value: Value) { state = Locked(value) }

  package var value: Value {
    get { state.withLock { $0 } }
    set {
      // The former value is released without the lock: a `deinit` that runs here may use this box.
      let former = state.withLock { value in
        let former = value
        value = newValue
        return former
      }
      _ = consume former
    }
  }

  package func change<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
    state.withLock { body(&$0) }
  }
}

extension Box<Int> {
  /// Adds one, and returns the new number.
  @discardableResult
  package func increment() -> Int {
    change { count in
      count += 1
      return count
    }
  }
}

extension Box<Bool> {
  /// Makes it true. Returns whether it was false.
  package func raise() -> Bool {
    change { isRaised in
      defer { isRaised = true }
      return !isRaised
    }
  }
}
