public import TaskDispatch

/// A task that has not run, and what keeps it from running next.
public struct PendingTask: Sendable, Hashable {
  public let task: TaskRecord
  /// What keeps it from running. Nil if a step may run it now.
  public let obstacle: Obstacle?
  /// Its deadline, if it waits for one.
  public let due: DispatcherInstant?
  /// Whether it is a repeating timer.
  public let repeats: Bool
  /// Whether it has taken its slot already: it runs whatever the test cancels or submits now.
  public let isStarted: Bool
  /// Its ancestors, its parent first.
  public let ancestors: [TaskRecord]
}

/// What keeps a task from running.
public enum Obstacle: Sendable, Hashable {
  /// As many tasks of this queue as its width allows have started and not ended.
  case widthReached(queue: String, width: Int)
  /// A barrier was submitted before it, or runs.
  case barrier(TaskRecord?)
  /// It is a barrier itself, and waits until these tasks, and `more`, have ended.
  case runsAlone(after: [TaskID], more: Int = 0)
  /// Its queue is suspended.
  case suspended(queue: String)
  /// Its time has not come.
  case awaitingTime(until: DispatcherInstant)
  /// It waits for a group to become empty.
  case awaitingGroup
  /// It waits for a signal or a descriptor.
  case awaitingEvent(String)
  /// These tasks come first, in this order, and `more` after them.
  case behind([TaskID], more: Int = 0)
  /// Its queue is full. It is let in when one of these tasks, or of `more`, has started.
  case noRoom(queue: String, behind: [TaskID], more: Int = 0)

  /// The most tasks that an obstacle names; the rest it counts.
  static let mostNamed = 8
}

extension Obstacle {
  /// Whether running other tasks removes it.
  var isOtherTasks: Bool {
    switch self {
    case .widthReached, .barrier, .runsAlone, .behind, .noRoom: true
    case .suspended, .awaitingTime, .awaitingGroup, .awaitingEvent: false
    }
  }
}

extension Obstacle: CustomStringConvertible {
  public var description: String {
    switch self {
    case .widthReached(let queue, let width):
      "\(queue) has started as many tasks as its width allows (\(width)): run those first"
    case .barrier(let barrier):
      barrier.map { "behind the barrier \($0.id) \($0.name)" } ?? "a barrier runs"
    case .runsAlone(let others, let more): "a barrier, waits for \(Self.list(others, more))"
    case .suspended(let queue): "\(queue) is suspended: resume() it"
    case .awaitingTime(let time): "not before \(time): advanceTime(to:)"
    case .awaitingGroup: "waits until its group is empty: each enter() needs a leave()"
    case .awaitingEvent(let event): "waits for \(event)"
    case .behind(let others, let more): "behind \(Self.list(others, more))"
    case .noRoom(let queue, let others, let more):
      "\(queue) is full: behind \(Self.list(others, more))"
    }
  }

  private static func list(_ tasks: [TaskID], _ more: Int) -> String {
    let named = tasks.map(\.description).joined(separator: ", ")
    return more > 0 ? "\(named) and \(more) more" : named
  }
}

extension PendingTask: CustomStringConvertible {
  /// `#3 "hash" on background, of App/Hash.swift:12: can run`.
  public var description: String {
    let state: String
    if let obstacle {
      state = obstacle.description
    } else {
      state = isStarted ? "started, can run" : "can run"
    }
    return "\(task): \(repeats ? "repeats; " : "")\(state)"
  }
}
