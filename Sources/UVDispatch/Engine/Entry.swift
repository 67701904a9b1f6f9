internal import TaskDispatch

/// What waits in a queue: 32 bytes, whatever it is.
enum Entry: PoolEntry {
  /// A body and where it was submitted: nothing was allocated for it.
  case plain(PlainTask)
  /// The object of a task that asked for more than to run, or that somebody must be able to find.
  case task(QueuedTask)

  var runsOnCaller: Bool {
    if case .task(let task) = self { task.runsOnCaller } else { false }
  }

  /// Does not change it: given so that nothing is copied.
  @inline(__always) static func isPlain(_ entry: inout Entry) -> Bool {
    switch entry {
    case .plain: true
    case .task: false
    }
  }

  var task: QueuedTask? { if case .task(let task) = self { task } else { nil } }
}

/// In a struct, since a bare closure would be wrapped in another one by every generic container.
struct PlainTask {
  let body: @Sendable () -> Void
  let site: CallSite
}
