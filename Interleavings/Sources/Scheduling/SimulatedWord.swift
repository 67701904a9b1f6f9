/// A value of which each access is a point: an atomic, with sequential consistency.
package final class SimulatedWord<Value: Sendable>: SharedObject, @unchecked Sendable {
  private var value: Value

  package init(_ value: Value, _ file: StaticString = #fileID, _ line: UInt = #line) {
    self.value = value
    super.init(file, line)
  }

  package func load(_ place: @autoclosure () -> String = "") -> Value {
    Simulation.shared.point(.load, self, place())
    return value
  }

  package func store(_ new: Value, _ place: @autoclosure () -> String = "") {
    Simulation.shared.point(.store, self, place())
    value = new
  }

  /// - Returns: The value before.
  @discardableResult
  package func update(
    _ place: @autoclosure () -> String = "", _ change: (Value) -> Value
  ) -> Value {
    Simulation.shared.point(.update, self, place())
    let old = value
    value = change(old)
    return old
  }

  package override var description: String { "\(super.description) = \(value)" }
}
