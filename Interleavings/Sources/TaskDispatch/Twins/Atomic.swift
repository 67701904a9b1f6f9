internal import Scheduling
public import Synchronization

/// In place of the standard library's, which it hides in this module. Each access is a point.
@safe @usableFromInline package struct Atomic<Value: Equatable>: ~Copyable, @unchecked Sendable {
  private let word: SimulatedWord<Held>

  private struct Held: @unchecked Sendable, CustomStringConvertible {
    let value: Value

    // Addresses differ from run to run, and two traces are to be compared.
    var description: String {
      if let number = value as? UInt, number > 1 << 32 { "an address" } else { "\(value)" }
    }
  }

  @usableFromInline
  package init(_ value: Value, file: StaticString = #fileID, line: UInt = #line) {
    word = SimulatedWord(Held(value: value), file, line)
  }

  @usableFromInline package borrowing func load(
    ordering: AtomicLoadOrdering, file: StaticString = #fileID, line: UInt = #line
  ) -> Value { word.load("\(file):\(line)").value }

  @usableFromInline package borrowing func store(
    _ value: Value, ordering: AtomicStoreOrdering, file: StaticString = #fileID,
    line: UInt = #line
  ) { word.store(Held(value: value), "\(file):\(line)") }

  @usableFromInline package borrowing func exchange(
    _ value: Value, ordering: AtomicUpdateOrdering, file: StaticString = #fileID,
    line: UInt = #line
  ) -> Value { update(file, line) { _ in value }.oldValue }

  @usableFromInline package borrowing func compareExchange(
    expected: Value, desired: Value, ordering: AtomicUpdateOrdering,
    file: StaticString = #fileID, line: UInt = #line
  ) -> (exchanged: Bool, original: Value) {
    let old = update(file, line) { $0 == expected ? desired : $0 }.oldValue
    return (old == expected, old)
  }

  @usableFromInline package borrowing func compareExchange(
    expected: Value, desired: Value, successOrdering: AtomicUpdateOrdering,
    failureOrdering: AtomicLoadOrdering, file: StaticString = #fileID, line: UInt = #line
  ) -> (exchanged: Bool, original: Value) {
    compareExchange(
      expected: expected, desired: desired, ordering: successOrdering, file: file, line: line)
  }

  private borrowing func update(
    _ file: StaticString, _ line: UInt, _ change: (Value) -> Value
  ) -> (oldValue: Value, newValue: Value) {
    let old = word.update("\(file):\(line)") { Held(value: change($0.value)) }.value
    return (old, change(old))
  }
}

extension Atomic where Value: FixedWidthInteger {
  @discardableResult @usableFromInline package borrowing func add(
    _ operand: Value, ordering: AtomicUpdateOrdering, file: StaticString = #fileID,
    line: UInt = #line
  ) -> (oldValue: Value, newValue: Value) { update(file, line) { $0 + operand } }

  @discardableResult @usableFromInline package borrowing func wrappingAdd(
    _ operand: Value, ordering: AtomicUpdateOrdering, file: StaticString = #fileID,
    line: UInt = #line
  ) -> (oldValue: Value, newValue: Value) { update(file, line) { $0 &+ operand } }

  @discardableResult @usableFromInline package borrowing func subtract(
    _ operand: Value, ordering: AtomicUpdateOrdering, file: StaticString = #fileID,
    line: UInt = #line
  ) -> (oldValue: Value, newValue: Value) { update(file, line) { $0 - operand } }

  @discardableResult @usableFromInline package borrowing func bitwiseOr(
    _ operand: Value, ordering: AtomicUpdateOrdering, file: StaticString = #fileID,
    line: UInt = #line
  ) -> (oldValue: Value, newValue: Value) { update(file, line) { $0 | operand } }

  @discardableResult @usableFromInline package borrowing func bitwiseAnd(
    _ operand: Value, ordering: AtomicUpdateOrdering, file: StaticString = #fileID,
    line: UInt = #line
  ) -> (oldValue: Value, newValue: Value) { update(file, line) { $0 & operand } }
}
