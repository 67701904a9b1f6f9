/// How many tasks wait in each queue, and whether a queue is full. Both dispatchers use this, each under its lock.
///
/// Each view counts its own tasks: ``QueueView/limited``.
package struct QueueLimit {
  /// How many tasks may wait in one queue; nil without a limit.
  package let limit: Int?
  private var foreground = 0
  private var background = 0

  package init(_ limit: Int?) { self.limit = limit }

  /// Whether there is a limit.
  @inline(__always) package var isSet: Bool { limit != nil }

  /// Whether a queue is full. O(1).
  ///
  /// - Parameter view: The view, or nil for the lane itself.
  package func isFull(_ lane: Lane, _ view: QueueView?) -> Bool {
    guard let limit else { return false }
    if let view { return view.limited >= limit }
    return (lane == .foreground ? foreground : background) >= limit
  }

  /// Counts a task that has come into a queue (1) or has left it (-1). The task counts against limits.
  package mutating func count(_ change: Int, in lane: Lane, _ view: QueueView?) {
    if let view {
      view.limited += change
    } else if lane == .foreground {
      foreground += change
    } else {
      background += change
    }
  }
}
