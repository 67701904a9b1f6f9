/// A work item whose body makes a value.
///
/// The parts that know the type of the value are made in the caller's module, where the compiler knows the
/// type too. Looking types up at run time would cost more than the rest of a submission. So the layout of
/// this class does not depend on that type.
@usableFromInline final class ValueItem<Value>: WorkItem, @unchecked Sendable {
  /// Whether `makeValue` returns the value that the body has made.
  @safe @exclusivity(unchecked) @usableFromInline var hasMade = false
  // Guarded as ``WorkItem`` says. At first the body. Once the body has made the value, a closure that returns
  // the value; once the body has thrown, a closure that throws the same error.
  @safe @exclusivity(unchecked) @usableFromInline var makeValue: (() throws -> Value)?
  /// Calls `makeValue`, and keeps the value that it makes.
  @usableFromInline let make: (ValueItem<Value>) throws -> Void

  @inlinable init(
    kind: Kind, queue: borrowing TaskQueue, label: String?, site: CallSite,
    band: PriorityBand = .medium, timeToLive: Duration? = nil,
    atShutdown: ShutdownBehavior = .drain, group: WorkGroup? = nil,
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
        kind: kind, queue: queue, site: site, band: band, atShutdown: atShutdown,
        hasTimeToLive: timeToLive != nil),
      More(view: queue.view, group: group, label: label, timeToLive: timeToLive),
      makesObject: !_isPOD(Value.self))
    group?.enter(for: queue.implementation)
  }

  override func callBody() throws { try make(self) }

  override func keep(_ failure: any Error) { makeValue = { throw failure } }

  override var hasCalledBody: Bool { hasMade || makeValue == nil }

  override var holdsUnrunBody: Bool { !hasMade }

  override package func releaseUnrun() { makeValue = nil }

  override var failure: (any Error)? {
    do {
      _ = try makeValue?()
      return nil
    } catch {
      return error
    }
  }

  /// The value. Traps unless the outcome is `.completed`.
  var value: Value {
    guard hasOutcome, let value = try? makeValue?() else { refuse("\(name) has made no value") }
    return value
  }

  /// Moves the value out. Once, and only for the code that alone waits for it. Traps unless the outcome is
  /// `.completed`.
  func takeValue() -> Value {
    defer { makeValue = nil }
    return value
  }
}
