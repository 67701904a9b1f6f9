/// The choices of one program out of many that a test tries.
///
/// ``forEveryProgram(_:)`` calls its body again and again. Each time `choose` answers differently, until every
/// sequence of answers has been given once.
struct Choices {
  /// The answers so far, and how many there were to choose from.
  private var path: [(answer: Int, of: Int)] = []
  private var cursor = 0
  /// The index of the first answer that differs from the program before. The steps before it were checked then.
  private var firstNew = 0

  /// Whether the last answer, or one before it, was not given by the program before.
  var isNew: Bool { cursor > firstNew }

  /// A number from 0 up to `count`, which must be positive.
  mutating func choose(_ count: Int) -> Int {
    precondition(count > 0, "there is nothing to choose from")
    if cursor == path.count { path.append((0, count)) }
    precondition(path[cursor].of == count, "a program must make the same choices when replayed")
    cursor += 1
    return path[cursor - 1].answer
  }

  /// One of `answers`, which must not be empty.
  mutating func choose<Answer>(from answers: [Answer]) -> Answer {
    answers[choose(answers.count)]
  }

  /// Goes on to the next program. Returns false if this was the last.
  fileprivate mutating func advance() -> Bool {
    path.removeSubrange(cursor...)
    while let last = path.last, last.answer + 1 == last.of { path.removeLast() }
    guard !path.isEmpty else { return false }
    path[path.count - 1].answer += 1
    firstNew = path.count - 1
    cursor = 0
    return true
  }
}

/// Runs `body` once for every sequence of choices that it can make. Returns how many there were.
@discardableResult
func forEveryProgram(_ body: (inout Choices) throws -> Void) rethrows -> Int {
  var choices = Choices()
  var programs = 0
  repeat {
    try body(&choices)
    programs += 1
  } while choices.advance()
  return programs
}

/// What a policy did and what its naive model says, and the program that led there.
struct Mismatch: Error, CustomStringConvertible {
  let description: String

  init<Step>(_ what: String, after steps: [Step], of setting: String = "") {
    description = "\(what)\nafter [\(setting)] \(steps.map { "\($0)" }.joined(separator: ", "))"
  }
}
