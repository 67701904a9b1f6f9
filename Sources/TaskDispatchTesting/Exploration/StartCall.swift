/// A moment at which somebody can tell what has taken its slot.
enum StartCall: String, Sendable {
  case cancel
  case suspend
  case shutdown
  /// The time of a shutdown's drain is over.
  case cutOff = "end of the drain"
  /// The time to live of a task is over.
  case expiry
  case submission
}

/// What a fact calls such a moment.
enum NamedCall {
  case name(TaskPath)
  /// Each task's own expiry.
  case ownExpiry
  /// Nobody will ask.
  case unnamed
}
