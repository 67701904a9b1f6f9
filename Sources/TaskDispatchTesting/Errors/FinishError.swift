public import TaskDispatch

/// What a finished test has left over or overlooked.
public struct FinishError: Error, Sendable {
  /// Tasks that never ran, in the order of their submission.
  public var leftovers: [PendingTask] = []
  /// Errors that bodies threw and no code was waiting for.
  public var thrown: [Thrown] = []
  /// Jobs of Swift Tasks that something outside this dispatcher's control resumed.
  public var escapes: [TaskRecord] = []
  /// The call sites of uses of a dispatcher that is `.unimplemented`.
  public var unexpectedUses: [CallSite] = []
  /// Errors of steps that an automatic policy made.
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
    Self.list(leftovers, "task was left over", "tasks were left over", in: &lines) { leftover in
      let ancestors = leftover.ancestors.prefix(5).map { "    submitted by \($0)" }
      let more = leftover.ancestors.count - ancestors.count
      return ["  \(leftover)"] + ancestors
        + (more > 0 ? ["    submitted by \(more) more before that"] : [])
    }
    if !leftovers.isEmpty {
      lines.append("Step them, cancel them, or allow them with allowLeftovers(labeled:).")
    }
    Self.list(thrown, "body threw", "bodies threw", in: &lines) { ["  \($0.task): \($0.error)"] }
    if !thrown.isEmpty {
      lines.append(
        "No code has looked at what was thrown: await the handle, look at its outcome, or make the "
          + "dispatcher with thrownErrors: .ignore.")
    }
    Self.list(
      escapes, "job of a Swift Task came back from something that this dispatcher does not control",
      "jobs of Swift Tasks came back from something that this dispatcher does not control",
      in: &lines
    ) { ["  \($0)"] }
    if !escapes.isEmpty {
      lines.append(
        "Run what their Tasks await on this dispatcher, or make it with escapesFail: false.")
    }
    Self.list(
      unexpectedUses, "use was not expected", "uses were not expected", in: &lines
    ) { ["  \($0)"] }
    if !unexpectedUses.isEmpty {
      lines.append("Find out why this code runs, or hand it a dispatcher with another policy.")
    }
    lines += automaticErrors.map { "running by itself: \($0)" }
    return lines.joined(separator: "\n")
  }

  /// Heads `items` with their number, and shows the first dozen.
  private static func list<Item>(
    _ items: [Item], _ one: String, _ many: String, in lines: inout [String],
    _ describe: (Item) -> [String]
  ) {
    guard !items.isEmpty else { return }
    let shown = 12
    lines.append("\(items.count) \(items.count == 1 ? one : many):")
    for item in items.prefix(shown) { lines += describe(item) }
    if items.count > shown { lines.append("  and \(items.count - shown) more") }
  }
}
