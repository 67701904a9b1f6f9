internal import UVDispatch

/// One way to submit an empty task.
enum Kind: String, CaseIterable {
  case floor, foreground, background
  /// A queue of width 1.
  case view
  /// With a limit that is never reached.
  case foregroundLimited = "foreground-limited"
  case backgroundLimited = "background-limited"
  case viewLimited = "view-limited"
  /// With that, and the flight recorder.
  case foregroundInspected = "foreground-inspected"
  case backgroundInspected = "background-inspected"
  case viewInspected = "view-inspected"
  case foregroundHandle = "foreground-handle"
  case backgroundHandle = "background-handle"
  case foregroundLabel = "foreground-label"
  case backgroundLabel = "background-label"
  /// A `sync` of a view, which enters at once.
  case sync

  var isOnForeground: Bool { rawValue.hasPrefix("foreground") }
  var isLimited: Bool { rawValue.hasSuffix("limited") || isInspected }
  var isInspected: Bool { rawValue.hasSuffix("inspected") }

  /// Submits one task, which calls `ended` with its number. The closure captures two things, so that it
  /// has a context of its own. The caller holds the queue, as a program holds it.
  @inline(__always)
  func submit(to queue: TaskQueue, _ number: Int, _ ended: @escaping @Sendable (Int) -> Void) {
    switch self {
    case .floor: Floor.callLater { ended(number) }
    case .foreground, .background, .view, .foregroundLimited, .backgroundLimited, .viewLimited,
      .foregroundInspected, .backgroundInspected, .viewInspected:
      queue { ended(number) }
    case .foregroundHandle, .backgroundHandle: queue.submit { ended(number) }
    case .sync: try? queue.sync { ended(number) }
    case .foregroundLabel, .backgroundLabel: queue.async(label: "task") { ended(number) }
    }
  }
}

/// Closures of the same form without a dispatcher: allocated, called and freed.
enum Floor {
  // Only one thread uses it. Access checks would be counted as part of the floor.
  @exclusivity(unchecked) nonisolated(unsafe) private static var waiting: (@Sendable () -> Void)?

  @inline(never) static func callLater(_ body: @escaping @Sendable () -> Void) {
    waiting = body
    call()
  }

  @inline(never) private static func call() {
    let body = waiting
    waiting = nil
    body?()
  }
}
