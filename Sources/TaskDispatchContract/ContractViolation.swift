public import TaskDispatch

/// A rule that a dispatcher broke: which rule, what was expected, what happened, and where in the suite.
public struct ContractViolation: Error, Sendable {
  /// The number of the broken rule.
  ///
  /// A check with an observer also verifies that each submission was accounted for. So this may be 2 for a check of
  /// another rule.
  public let rule: Int
  /// The check that found it, as ``DispatcherContract/Rule`` describes itself.
  public let check: String
  /// What the contract says.
  public let expected: String
  /// What was seen instead.
  public let found: String
  /// What the bodies of the check noted, in order.
  public let notes: [String]
  /// What the dispatcher told its observer up to then. Empty if the check gave it none.
  public let events: [TaskEvent]
  /// The place in the suite that expected it.
  public let site: CallSite
}

extension ContractViolation: CustomStringConvertible {
  public var description: String {
    var lines = [
      "rule \(rule) is broken, seen by \"\(check)\"",
      "  expected: \(expected)",
      "  found:    \(found)",
    ]
    if !notes.isEmpty {
      lines.append("  notes:    \(Self.last(notes, 40).joined(separator: ", "))")
    }
    if !events.isEmpty {
      lines.append("  events:")
      lines += Self.last(events.map(\.description), 40).map { "    \($0)" }
    }
    lines.append("  at \(site)")
    return lines.joined(separator: "\n")
  }

  private static func last(_ items: [String], _ count: Int) -> [String] {
    items.count > count ? ["… \(items.count - count) before"] + items.suffix(count) : items
  }
}
