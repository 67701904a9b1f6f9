/// The promises of a dispatcher that can be checked from outside while it runs. The numbers are those
/// of the library's rules.
public enum Rule: Int, Sendable, CaseIterable, Codable {
  case later = 1
  case once = 2
  case inOrder = 3
  case alone = 4
  case noStandstill = 5
  case barrier = 6
  case priority = 7
  case time = 8
  case cancel = 9
  case shutdown = 13
  case deadlock = 14
  case fork = 15
  case events = 19
  /// A suspended view starts nothing. This rule has no number in the library.
  case suspension = 100
  /// A fault ends in a typed error, or in a documented abort.
  case fault = 101
  /// User code sees the right task and the right queues as current. This rule has no number in the
  /// library.
  case standing = 103
  /// Snapshots agree with themselves and with earlier ones, and each stall is told of in order. This rule has no number
  /// in the library.
  case inspection = 105
  /// All objects that were made are released in the end.
  case leak = 104
  /// A program's own check when all of it has ended. It is no promise of the dispatcher.
  case program = 102

  public var title: String {
    switch self {
    case .later: "1 later"
    case .once: "2 once"
    case .inOrder: "3 in order"
    case .alone: "4 alone"
    case .noStandstill: "5 no standstill"
    case .barrier: "6 barrier"
    case .priority: "7 priority, aging"
    case .time: "8 time"
    case .cancel: "9 cancel"
    case .shutdown: "13 shutdown, ledger"
    case .deadlock: "14 deadlock"
    case .fork: "15 fork"
    case .events: "19 events"
    case .suspension: "suspension"
    case .fault: "faults"
    case .standing: "where am I"
    case .inspection: "looking inside"
    case .leak: "nothing is left"
    case .program: "a program's own check"
    }
  }
}
