/// A value on its way from the thread that made it to the thread that takes it.
///
/// The compiler cannot follow a value through a queue. This may carry a value that is not `Sendable`, because
/// the value is taken out once, and the queue in between orders the two threads.
@usableFromInline package struct Transfer<Value>: @unchecked Sendable {
  @usableFromInline let value: Value

  /// - Parameter value: No other code refers to it, or it is `Sendable`.
  @inlinable package init(_ value: consuming Value) { self.value = value }

  /// Takes the value out. Once.
  @inlinable package consuming func take() -> sending Value { value }
}

/// Makes `body` `@Sendable` for a queue. The queue passes it once from the thread that made it to the thread
/// that runs it, and no other code refers to its captures.
@inlinable @inline(__always)
package func handedOver(_ body: consuming sending @escaping () -> Void) -> @Sendable () -> Void {
  // In structs, because a bare closure would be wrapped in another one, and that one in a third.
  unsafe unsafeBitCast(Handed(body: body), to: Taken.self).body
}

@usableFromInline struct Handed {
  @usableFromInline let body: () -> Void
  @inlinable init(body: consuming @escaping () -> Void) { self.body = body }
}

@usableFromInline struct Taken {
  @usableFromInline let body: @Sendable () -> Void
}
