internal import UVDispatch

/// One set of options of a submission. It counts the allocations that the docstrings promise.
enum Way: String, CaseIterable {
  case label, group, barrier
  case timeToLive = "time-to-live"
  case groupOfView = "group-of-view"
  case handleLabel = "handle-label"
  case handleGroup = "handle-group"
  case handleTimeToLive = "handle-time-to-live"
  case handleGroupOfView = "handle-group-of-view"
  case timer
  case timerLabel = "timer-label"
  case timerTolerance = "timer-tolerance"
  case repeating

  /// Makes `count` submissions, each of a closure that captures two things.
  func submit(
    _ count: Int, to dispatcher: UVDispatcher, _ view: TaskQueue, _ group: WorkGroup,
    _ ended: @escaping @Sendable (Int) -> Void
  ) {
    let (queue, hour) = (dispatcher.background, Duration.seconds(3_600))
    for number in 0..<count {
      switch self {
      case .label: queue.async(label: "task") { ended(number) }
      case .group: queue.async(group: group) { ended(number) }
      case .barrier: view.barrier { ended(number) }
      case .timeToLive: queue.async(timeToLive: hour) { ended(number) }
      case .groupOfView: view.async(group: group) { ended(number) }
      case .handleLabel: queue.submit(label: "task") { ended(number) }
      case .handleGroup: queue.submit(group: group) { ended(number) }
      case .handleTimeToLive: queue.submit(timeToLive: hour) { ended(number) }
      case .handleGroupOfView: view.submit(group: group) { ended(number) }
      case .timer: queue.after(hour) { ended(number) }
      case .timerLabel: queue.after(hour, label: "task") { ended(number) }
      case .timerTolerance: queue.after(hour, tolerance: hour) { ended(number) }
      case .repeating: queue.every(hour) { ended(number) }
      }
    }
  }
}
