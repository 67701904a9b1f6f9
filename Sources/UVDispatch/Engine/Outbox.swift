internal import TaskDispatch

/// What is done once the lock is free, in this order: who is told may call anything.
struct Outbox {
  enum Note {
    /// An item has its outcome, and its body may go.
    case end(WorkItem, Outcome, QueuedTask.Work?)
    /// A body that nobody will run may go.
    case letGo(QueuedTask.Work)
    case call(() -> Void)

    func deliver() {
      switch self {
      case .end(let item, let outcome, _): item.finish(outcome)
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
