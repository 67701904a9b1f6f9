/// A schedule as text, to be pasted into a test or into the environment.
///
/// Facts (`facts1:…`) and orders (`order1:…`) still hold after the scenario has changed elsewhere. Exact choices
/// (`choices1:0.2.1`) and what choices are made from (`random1:…`, `priorities1:…`) hold only for the very same
/// scenario. No character of a token is special to a shell between single quotes, or in a Swift string.
enum ScheduleToken: Hashable, Sendable {
  case facts([OrderingFact])
  case choices([Int32])
  case random(seed: UInt64)
  case priorities(seed: UInt64, changes: [Int])
  case order([TaskPath])

  private static let facts = "facts1:"
  private static let choices = "choices1:"
  private static let random = "random1:"
  private static let priorities = "priorities1:"
  private static let order = "order1:"

  var text: String {
    switch self {
    case .facts(let facts): Self.facts + facts.map(\.text).joined(separator: ";")
    case .choices(let choices):
      Self.choices + choices.map(String.init).joined(separator: ".")
    case .random(let seed): Self.random + "\(seed)"
    case .priorities(let seed, let changes):
      Self.priorities + ([seed] + changes.map(UInt64.init)).map(String.init).joined(separator: ".")
    case .order(let paths): Self.order + paths.map(\.text).joined(separator: ";")
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
    } else if text.hasPrefix(Self.random) {
      guard let seed = UInt64(text.dropFirst(Self.random.count)) else {
        throw refused("what follows \"\(Self.random)\" is no seed")
      }
      self = .random(seed: seed)
    } else if text.hasPrefix(Self.priorities) {
      let numbers = text.dropFirst(Self.priorities.count).split(separator: ".")
      let changes = numbers.dropFirst().compactMap { Int($0) }
      guard let seed = numbers.first.flatMap({ UInt64($0) }), changes.count + 1 == numbers.count,
        changes.allSatisfy({ $0 >= 0 }), changes == changes.sorted()
      else { throw refused("what follows \"\(Self.priorities)\" is no seed and ascending steps") }
      self = .priorities(seed: seed, changes: changes)
    } else if text.hasPrefix(Self.order) {
      let paths = text.dropFirst(Self.order.count).split(separator: ";")
      if let path = paths.first(where: { !TaskPath.isValid($0) }) {
        throw refused("\"\(path)\" is no name of a task")
      }
      self = .order(paths.map { TaskPath(text: String($0)) })
    } else {
      throw refused("it begins with none of facts1:, choices1:, random1:, priorities1: and order1:")
    }
  }

  var plan: Decisions.Plan {
    switch self {
    case .facts(let facts): .facts(FactIndex(facts))
    case .choices(let choices): .exact(choices)
    case .random(let seed): .random(seed: seed)
    case .priorities(let seed, let changes):
      .prioritized(Priorities(seed: seed, changes: changes))
    case .order(let paths): .following(RecordedOrder(paths))
    }
  }

  /// The choices of a run as a token, without the preferred ones at the end.
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
