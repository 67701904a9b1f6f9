internal import TaskDispatch

/// What is deferred until the lock is free: first the wakes, then what resumes Tasks, and then, in this order, the
/// callbacks. The last two run user code (the Tasks' executors, observers), or release what may run it, and may take
/// their time. So a thread that has any holds no task that it has yet to run, and nothing else waits for them.
struct Outbox {
  enum Note {
    /// An item has its outcome. Its observers are called, and its body is released.
    case end(WorkItem, Outcome, WorkItem.Telling, QueuedTask.Work?)
    /// A body that no thread will run is released.
    case letGo(QueuedTask.Work)
    case call(() -> Void)
    /// Lets a thread go on. It runs no user code, and returns at once.
    case wake(() -> Void)
    /// Resumes Tasks, or hands a job of one to an executor.
    case resume(() -> Void)

    /// Before the first that resumes Tasks.
    func wake() {
      switch self {
      case .end(let item, _, let telling, _): item.wakeThreads(telling)
      case .wake(let wake): wake()
      case .letGo, .call, .resume: break
      }
    }

    /// Before the first callback.
    func resume() {
      switch self {
      case .end(let item, let outcome, let telling, _): item.resume(outcome, telling)
      case .resume(let resume): resume()
      case .letGo, .call, .wake: break
      }
    }

    func deliver() {
      switch self {
      case .end(let item, let outcome, let telling, _): item.tell(outcome, telling)
      case .letGo, .wake, .resume: break
      case .call(let call): call()
      }
    }
  }

  enum Contents {
    case one(Note)
    case several([Note])

    /// Makes the callbacks, and releases each note after it. Under no lock.
    func deliver() {
      switch self {
      case .one(let note): note.deliver()
      case .several(let notes): for note in notes { note.deliver() }
      }
    }
  }

  private var notes: [Note] = []

  var isEmpty: Bool { notes.isEmpty }

  mutating func append(_ note: consuming Note) { notes.append(note) }

  mutating func append(_ call: @escaping () -> Void) { notes.append(.call(call)) }

  /// - Parameter call: Lets a thread go on. It runs no user code, and returns at once.
  mutating func appendWake(_ call: @escaping () -> Void) { notes.append(.wake(call)) }

  /// - Parameter call: Resumes Tasks, or hands a job of one to an executor.
  mutating func appendResume(_ call: @escaping () -> Void) { notes.append(.resume(call)) }

  /// As the other, before all that others resume.
  mutating func prependResume(_ call: @escaping () -> Void) { notes.insert(.resume(call), at: 0) }

  /// Takes everything out, which must be something. Most often that is one, and then what it lay in
  /// stays here for the next.
  mutating func take() -> Contents {
    if notes.count == 1 { return .one(notes.removeLast()) }
    defer { notes = [] }
    return .several(notes)
  }
}
