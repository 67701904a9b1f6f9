public import TaskDispatch

/// What a test that says it is finished has left, or overlooked.
public struct FinishError: Error, Sendable {
  /// Tasks that never ran, in the order of their submission.
  public var leftovers: [PendingTask] = []
  /// Errors that bodies threw and nobody was waiting for.
  public var thrown: [Thrown] = []
  /// Jobs of Swift Tasks that came from somewhere this dispatcher does not control.
  public var escapes: [TaskRecord] = []
  /// Uses of a dispatcher that is `.unimplemented`, by their call site.
  public var unexpectedUses: [CallSite] = []
  /// Errors of steps that ran by themselves, under an automatic policy.
  public var automaticErrors: [StepError] = []

  public struct Thrown: Sendable {
    public let task: TaskRecord
    public let error: any Error
  }

  var isEmpty: Bool {
    leftovers.isEmpty && thrown.isEmpty && escapes.isEmpty && unexpectedUses.isEmpty
      && automaticErrors.isEmpty
  }
}

extension FinishError: CustomStringConvertible {
  public var description: String {
    var lines: [String] = []
    if !leftovers.isEmpty {
      lines.append(Self.count(leftovers.count, "task was", "tasks were") + " left over:")
      for leftover in leftovers {
        lines.append("  \(leftover)")
        for ancestor in leftover.ancestors { lines.append("    submitted by \(ancestor)") }
      }
      lines.append("Step them, cancel them, or allow them with allowLeftovers.")
    }
    if !thrown.isEmpty {
      lines.append(Self.count(thrown.count, "body", "bodies") + " threw, and nobody was waiting:")
      lines += thrown.map { "  \($0.task): \($0.error)" }
    }
    if !escapes.isEmpty {
      lines.append(
        Self.count(escapes.count, "job", "jobs")
          + " came back from something that this dispatcher does not control:")
      lines += escapes.map { "  \($0)" }
    }
    if !unexpectedUses.isEmpty {
      lines.append("this dispatcher was not expected to be used, and was:")
      lines += unexpectedUses.map { "  \($0)" }
    }
    lines += automaticErrors.map { "running by itself: \($0)" }
    return lines.joined(separator: "\n")
  }

  private static func count(_ count: Int, _ one: String, _ many: String) -> String {
    "\(count) \(count == 1 ? one : many)"
  }
}
