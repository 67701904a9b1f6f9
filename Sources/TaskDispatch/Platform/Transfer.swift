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

/// `body` for a queue, which hands it from the thread that made it to the one that runs it, once: nobody else
/// has what it captures.
@inlinable @inline(__always)
package func handedOver(_ body: consuming sending @escaping () -> Void) -> @Sendable () -> Void {
  // In structs: a bare closure would be wrapped in another one, and that in a third.
  unsafe unsafeBitCast(Handed(body: body), to: Taken.self).body
}

@usableFromInline struct Handed {
  @usableFromInline let body: () -> Void
  @inlinable init(body: consuming @escaping () -> Void) { self.body = body }
}

@usableFromInline struct Taken {
  @usableFromInline let body: @Sendable () -> Void
}
