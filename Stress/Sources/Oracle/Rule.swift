/// What a dispatcher promises, as far as the outside can see it on-line. The numbers are those of the
/// library's rules.
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
  /// A suspended view starts nothing. It has no number of its own.
  case suspension = 100
  /// Faults end in a typed error, or in an abort that is written down.
  case fault = 101
  /// Where user code is told that it stands. It has no number of its own.
  case standing = 103
  /// What was made is let go of in the end.
  case leak = 104
  /// What a program says of itself when all of it has ended: no promise of the dispatcher's.
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
    case .leak: "nothing is left"
    case .program: "a program's own check"
    }
  }
}
