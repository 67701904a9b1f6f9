/// What a dispatcher did wrong in a program.
struct Finding: Sendable {
  enum Kind: String, Sendable, CaseIterable {
    /// Refused, though there was a way for the wait to end.
    case falseRefusal = "false refusal"
    /// There was no way, but it was refused while something still ran, and it was no `sync`.
    case earlyRefusal = "early refusal"
    case outsideRefused = "an outside thread was refused"
    case otherRefusal = "a refusal for another reason"
    /// It should have been refused, and was not.
    case missedRefusal = "missed refusal"
    case missedHelp = "missed help"
    /// It should have gone on, and did not.
    case hang = "hang"
    case earlyReturn = "a wait ended early"
    case wrongHelper = "wrong helper"
    case needlessHelp = "needless help"
    case badEnd = "bad end"
  }

  var kind: Kind
  /// What happened, and what the checker says about it.
  var text: String
  var state: WaitState
  /// What was recorded before, in order.
  var story: [String]
}

extension Finding: CustomStringConvertible {
  var description: String {
    """
    \(kind.rawValue): \(text)
    state:
    \(state)
    before that:
    \(story.suffix(24).map { "  " + $0 }.joined(separator: "\n"))
    """
  }
}
