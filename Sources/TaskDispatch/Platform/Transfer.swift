/// A value on its way from the thread that made it to the one that takes it.
///
/// The compiler cannot follow a value through a queue. This can be trusted with one that is not
/// `Sendable` because it goes in once, as `sending`, and comes out once, and the queue between the
/// two orders them.
package final class Transfer<Value>: @unchecked Sendable {
  private struct Box: @unchecked Sendable { let value: Value }
  private var box: Box?

  package init(_ value: consuming sending Value) {
    box = Box(value: value)
  }

  /// The value. Once: a second call traps.
  package func take() -> sending Value {
    guard let box = self.box.take() else { preconditionFailure("a value was taken twice") }
    return box.value
  }
}
