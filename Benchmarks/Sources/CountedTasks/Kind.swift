internal import UVDispatch

/// One way to submit an empty task.
enum Kind: String, CaseIterable {
  case floor, foreground, background
  case foregroundHandle = "foreground-handle"
  case backgroundHandle = "background-handle"
  case foregroundLabel = "foreground-label"
  case backgroundLabel = "background-label"
  /// A `sync` of a view, which enters at once.
  case sync

  var isOnForeground: Bool { rawValue.hasPrefix("foreground") }

  /// Submits one, which calls `ended` with its number: two things captured, so that the closure has a
  /// context of its own. The queue is held by the caller, as a program holds it.
  @inline(__always)
  func submit(to queue: TaskQueue, _ number: Int, _ ended: @escaping @Sendable (Int) -> Void) {
    switch self {
    case .floor: Floor.callLater { ended(number) }
    case .foreground, .background: queue { ended(number) }
    case .foregroundHandle, .backgroundHandle: queue.submit { ended(number) }
    case .sync: try? queue.sync { ended(number) }
    case .foregroundLabel, .backgroundLabel: queue(label: "task") { ended(number) }
    }
  }
}

/// The same closures without a dispatcher: allocated, called and freed.
enum Floor {
  // One thread only; what checks accesses would be counted to the floor.
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
