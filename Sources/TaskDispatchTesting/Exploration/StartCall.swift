/// A moment at which a task can observe which tasks have taken their slot.
enum StartCall: String, Sendable {
  case cancel
  case suspend
  case shutdown
  /// The drain deadline of a shutdown.
  case cutOff = "end of the drain"
  /// The end of a task's time to live.
  case expiry
  case submission
}

/// The name of such a moment in facts.
enum NamedCall {
  case name(TaskPath)
  /// The expiry of each task itself.
  case ownExpiry
  /// Nothing will ask for the name.
  case unnamed
}
