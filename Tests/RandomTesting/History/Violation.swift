package import TaskDispatch

/// Something that a checker found and that a rule of `TaskDispatcher` does not allow.
package struct Violation: Sendable, Equatable {
  /// The rule's number.
  package let rule: Int
  package let what: String
  /// The events that show it. Empty if the checker knows no events.
  package var events: [TaskEvent] = []
}

extension Violation: CustomStringConvertible {
  package var description: String {
    "rule \(rule): \(what)" + events.map { "\n    \($0)" }.joined()
  }
}
