internal import TaskDispatch

/// How a run failed, and what makes two failures the same.
struct FailedRun: Sendable {
  let description: String
  /// Equal for the same error at the same place, whatever numbers its tasks had.
  let signature: String

  init(deadlock refusal: WaitRefusal) {
    switch refusal {
    case .wouldDeadlock(let chain):
      description = "deadlock: \(refusal)"
      signature = "deadlock " + chain.map { "\($0.waiter) \($0.waitsFor)" }.joined(separator: ", ")
    case .cannotBeOrdered, .nothingCanEndIt, .timedOut, .refused:
      description = "\(refusal)"
      signature = "\(refusal)"
    }
  }

  init(_ error: any Error) {
    switch error {
    case let error as FinishError: signature = Self.signature(error)
    case let error as StepError: signature = Self.signature(error)
    default: signature = "\(type(of: error)): \(error)"
    }
    description = "\(error)"
  }

  private static func signature(_ error: FinishError) -> String {
    let left = Set(error.leftovers.map { "left over \(place($0.task))" })
    let thrown = Set(error.thrown.map { "thrown \(place($0.task)) \($0.error)" })
    let others = Set(
      error.escapes.map { "escaped \(place($0))" }
        + error.unexpectedUses.map { "used \($0)" }
        + error.automaticErrors.map { signature($0) })
    return left.union(thrown).union(others).sorted().joined(separator: "; ")
  }

  private static func signature(_ error: StepError) -> String {
    switch error {
    case .taskThrew(let task, let error): "threw \(place(task)) \(error)"
    case .stepLimitReached(_, let recurring):
      // Sites that ran only a few times may have run before the livelock began, so they are left out.
      "livelock "
        + Set(recurring.filter { $0.count * 4 > recurring[0].count }.map { "\($0.site)" })
        .sorted().joined(separator: ", ")
    case .notEnded(let operation, let pending, _):
      "not ended \(operation) \(Set(pending.map { place($0.task) }).sorted())"
    default: String("\(error)".prefix { $0 != "\n" && $0 != "#" })
    }
  }

  private static func place(_ task: TaskRecord) -> String {
    "\(task.label ?? "") \(task.site)"
  }
}
