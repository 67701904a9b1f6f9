import TaskDispatch

/// An actor on a queue of width 1. It keeps the lines that its calls note.
actor Resident {
  private let queue: TaskQueue
  private(set) var notes: [String] = []

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.unownedExecutor }

  init(on queue: TaskQueue) {
    self.queue = queue
  }

  func note(_ line: String) { notes.append(line) }

  /// Whether the code of this actor runs in a task of its queue.
  var isAtHome: Bool { queue.isCurrent }
}
