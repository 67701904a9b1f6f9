internal import TaskDispatch

/// Callbacks that are deferred until the lock is free, in this order. All of them run user code, or release
/// what may run it, so a thread that has any holds no task that it has yet to run.
struct Outbox {
  enum Note {
    /// An item has its outcome. Its observers are called, and its body is released.
    case end(WorkItem, Outcome, WorkItem.Telling, QueuedTask.Work?)
    /// A body that no thread will run is released.
    case letGo(QueuedTask.Work)
    case call(() -> Void)

    /// Wakes the threads that wait for a group that has emptied. Before the first callback: none of those is
    /// to hold them back.
    func wake() { if case .end(_, _, let telling, _) = self { telling.wake() } }

    func deliver() {
      switch self {
      case .end(let item, let outcome, let telling, _): item.tell(outcome, telling)
      case .letGo: break
      case .call(let call): call()
      }
    }
  }

  enum Contents {
    case one(Note)
    case several([Note])
  }

  private var notes: [Note] = []

  var isEmpty: Bool { notes.isEmpty }

  mutating func append(_ note: consuming Note) { notes.append(note) }

  mutating func append(_ call: @escaping () -> Void) { notes.append(.call(call)) }

  /// Takes everything out, which must be something. Most often that is one, and then what it lay in
  /// stays here for the next.
  mutating func take() -> Contents {
    if notes.count == 1 { return .one(notes.removeLast()) }
    defer { notes = [] }
    return .several(notes)
  }
}
