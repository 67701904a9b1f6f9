import TaskDispatch

/// A place for a value that a body needs and that is made after the body, such as a handle.
final class Slot<Value: Sendable>: Sendable {
  private let content = Locked<Value?>(nil)

  var value: Value? {
    get { content.withLock { $0 } }
    set { content.withLock { $0 = newValue } }
  }
}
