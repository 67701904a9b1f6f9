/// A schedule as text, to be pasted into a test or into the environment.
///
/// Of facts (`facts1:…`), which hold also after the scenario has changed elsewhere, or of the exact
/// choices (`choices1:0.2.1`), which mean something only in the very same scenario. Nothing in it has
/// a meaning to a shell between single quotes or in a Swift string.
enum ScheduleToken: Hashable, Sendable {
  case facts([OrderingFact])
  case choices([Int32])

  private static let facts = "facts1:"
  private static let choices = "choices1:"

  var text: String {
    switch self {
    case .facts(let facts): Self.facts + facts.map(\.text).joined(separator: ";")
    case .choices(let choices):
      Self.choices + choices.map(String.init).joined(separator: ".")
    }
  }

  init(_ text: String) throws(ExplorationError) {
    let text = text.trimmingSpaces
    func refused(_ reason: String) -> ExplorationError { .badToken(text, reason) }
    if text.hasPrefix(Self.facts) {
      var facts: [OrderingFact] = []
      for part in text.dropFirst(Self.facts.count).split(separator: ";") {
        guard let fact = OrderingFact(text: part) else {
          throw refused("\"\(part)\" is no fact: task~task, task@call or call=number")
        }
        facts.append(fact)
      }
      self = .facts(facts)
    } else if text.hasPrefix(Self.choices) {
      var choices: [Int32] = []
      for part in text.dropFirst(Self.choices.count).split(separator: ".") {
        guard let choice = Int32(part), choice >= 0 else {
          throw refused("\"\(part)\" is no number of a choice")
        }
        choices.append(choice)
      }
      self = .choices(choices)
    } else {
      throw refused("it begins with neither \"\(Self.facts)\" nor \"\(Self.choices)\"")
    }
  }

  var plan: Decisions.Plan {
    switch self {
    case .facts(let facts): .facts(FactIndex(facts))
    case .choices(let choices): .exact(choices)
    }
  }

  /// The choices of a run, without those at the end that are the preferred ones anyway.
  static func exact(_ taken: [Decision]) -> ScheduleToken {
    var choices = taken.map(\.chosen)
    while choices.last == 0 { choices.removeLast() }
    return .choices(choices)
  }
}

extension String {
  fileprivate var trimmingSpaces: String {
    var rest = self[...]
    while rest.first?.isWhitespace == true { rest.removeFirst() }
    while rest.last?.isWhitespace == true { rest.removeLast() }
    return String(rest)
  }
}
