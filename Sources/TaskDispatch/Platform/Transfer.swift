/// A value on its way from the thread that made it to the one that takes it.
///
/// The compiler cannot follow a value through a queue. This can be trusted with one that is not
/// `Sendable` because it comes out once, and the queue between the two orders them.
@usableFromInline package struct Transfer<Value>: @unchecked Sendable {
  @usableFromInline let value: Value

  /// - Parameter value: Nobody else has it, or anybody may.
  @inlinable package init(_ value: consuming Value) { self.value = value }

  /// The value. Once.
  @inlinable package consuming func take() -> sending Value { value }
}
