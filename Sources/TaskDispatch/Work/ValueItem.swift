/// A work item whose body makes a value.
///
/// What knows the type of the value is made in the caller's module, where the compiler knows it too:
/// to look types up at run time would cost more than the rest of a submission. So nothing here is laid
/// out by that type.
@usableFromInline final class ValueItem<Value>: WorkItem, @unchecked Sendable {
  /// Whether `makeValue` gives what the body has made.
  @safe @exclusivity(unchecked) @usableFromInline var hasMade = false
  // As of any item. Once the body has made the value, one that gives it; once it has thrown, one that
  // throws the same.
  @safe @exclusivity(unchecked) @usableFromInline var makeValue: (() throws -> Value)?
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
      let value = try makeValue()
      item.makeValue = { value }
      item.hasMade = true
    }
    super.init(
      Origin(
        kind: kind, queue: queue, site: site, atShutdown: atShutdown,
        hasTimeToLive: timeToLive != nil),
      More(view: queue.view, group: group, label: label, timeToLive: timeToLive),
      makesObject: !_isPOD(Value.self))
    group?.enter(for: queue.dispatcher)
  }

  override func callBody() throws { try make(self) }

  override func keep(_ failure: any Error) { makeValue = { throw failure } }

  override var holdsUnrunBody: Bool { !hasMade }

  override func releaseUnrun() { makeValue = nil }

  override var failure: (any Error)? {
    do {
      _ = try makeValue?()
      return nil
    } catch {
      return error
    }
  }

  /// The value. Only if the outcome is `.completed`.
  var value: Value {
    guard hasOutcome, let value = try? makeValue?() else { refuse("\(name) has made no value") }
    return value
  }

  /// Moves the value out, for the only one who waits for it, and once. Only if the outcome is
  /// `.completed`.
  func takeValue() -> Value {
    defer { makeValue = nil }
    return value
  }
}
