/// A work item whose body makes a value.
///
/// What knows the type of the value is made in the caller's module, where the compiler knows it too:
/// to look types up at run time would cost more than the rest of a submission. So nothing here is laid
/// out by that type.
@usableFromInline final class ValueItem<Value>: WorkItem, @unchecked Sendable {
  // The body as in any item. The value is written by the body, and read after the outcome is known;
  // the item's state orders the two.
  @safe @exclusivity(unchecked) @usableFromInline var makeValue: (() throws -> Value)?
  /// Means nothing before the outcome is `.completed`: no optional, which is slower to write.
  @safe @exclusivity(unchecked) @usableFromInline var anyValue: Any = ()
  /// Calls `makeValue`, and keeps what it makes.
  @usableFromInline let make: (ValueItem<Value>) throws -> Void

  @inlinable init(
    kind: Kind, queue: borrowing TaskQueue, label: String?, site: CallSite,
    timeToLive: Duration? = nil, atShutdown: ShutdownBehavior = .drain, group: WorkGroup? = nil,
    body: consuming sending @escaping () throws -> Value
  ) {
    makeValue = body
    make = { item in
      let makeValue = item.makeValue.take()
      guard let makeValue else { item.refuseToRunTwice() }
      item.anyValue = try makeValue()
    }
    super.init(
      kind: kind, queue: queue, label: label, site: site, timeToLive: timeToLive,
      atShutdown: atShutdown, group: group)
  }

  override func callBody() throws { try make(self) }

  override func dropBody() { makeValue = nil }

  /// The value. Only if the outcome is `.completed`.
  var value: Value { anyValue as! Value }

  /// Moves the value out, for the only one who waits for it, and once. Only if the outcome is
  /// `.completed`.
  func takeValue() -> Value {
    defer { anyValue = () }
    return anyValue as! Value
  }
}
