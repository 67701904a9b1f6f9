/// Why an exploration could not be made, or why its result would mean nothing.
public enum ExplorationError: Error, Sendable {
  /// A text is no token: the text, and what is wrong with it.
  case badToken(String, String)
  /// The scenario is not the same each time: it depends on something outside the exploration's control. The text says
  /// what differed first.
  case hiddenNondeterminism(String)
  /// The strategy did not find the built-in bug, so its results mean nothing.
  case blindStrategy(ExplorationStrategy)
  /// The schedule to be replayed does not fit this scenario. `unknown` are the names in it that no task has, and
  /// `similar` the closest names in the scenario.
  case diverged(token: String, unknown: [String], similar: [String])
  /// Tasks that were declared to share nothing do share something: an order that should have been redundant came to
  /// another end. That end, and the token of the order.
  case undeclaredResource(String, token: String)
}

extension ExplorationError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .badToken(let token, let reason):
      "\"\(token)\" is no token of a schedule: \(reason)"
    case .hiddenNondeterminism(let difference):
      "the scenario is not the same each time, so no order of it can be explored or replayed: "
        + "\(difference). Look for time, random numbers, the order of a Set or Dictionary, state that "
        + "outlives a run, and threads that this dispatcher does not control."
    case .blindStrategy(let strategy):
      "the strategy \(strategy) did not find the built-in race, so it would find none of yours"
    case .diverged(let token, let unknown, let similar):
      "the schedule \"\(token)\" means nothing here any more: there is no "
        + unknown.joined(separator: ", no ")
        + (similar.isEmpty ? "" : ". There is \(similar.joined(separator: ", "))")
        + ". The code has changed: explore again, and take it out of the file if it stands in one."
    case .undeclaredResource(let ending, let token):
      "tasks that were declared to have nothing in common have something: an order that differs from "
        + "others in nothing else came to \(ending). Declare what they share, or return nil for a task that "
        + "may touch anything. The order is \(token)."
    }
  }
}

extension ExplorationError {
  /// This error with `origin` before its token, for a token that does not stand in the code.
  func from(_ origin: String) -> ExplorationError {
    switch self {
    case .badToken(let token, let reason): .badToken("\(origin)=\(token)", reason)
    case .diverged(let token, let unknown, let similar):
      .diverged(token: "\(origin)=\(token)", unknown: unknown, similar: similar)
    case .hiddenNondeterminism, .blindStrategy, .undeclaredResource: self
    }
  }
}
