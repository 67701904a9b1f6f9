internal import TaskDispatch

/// Deferred callbacks: what a section of the lock leaves to be done once the lock is free. The thread that frees the
/// lock does it: first all wakes, then all resumptions of Tasks, and then the callbacks, each in the order of the
/// notes.
///
/// Resumptions and callbacks run user code (executors of Tasks, observers), or release what may run it, and may take
/// their time. So a thread that has any holds no task that it has yet to run, and nothing else waits for them.
struct DeferredCallbacks {
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

    /// What is done before the first resumption of a Task.
    func wake() {
      switch self {
      case .end(let item, _, let telling, _): item.wakeThreads(telling)
      case .wake(let wake): wake()
      case .letGo, .call, .resume: break
      }
    }

    /// What is done before the first callback.
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

    /// Makes the callbacks. Under no lock.
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

  /// Defers a resumption, to before all those that are deferred by now.
  ///
  /// - Parameter call: Resumes Tasks, or hands a job of one to an executor.
  mutating func prependResume(_ call: @escaping () -> Void) { notes.insert(.resume(call), at: 0) }

  /// Takes out all notes. There must be at least one. Most often there is only one, and then the array's memory stays
  /// here for the next.
  mutating func take() -> Contents {
    if notes.count == 1 { return .one(notes.removeLast()) }
    defer { notes = [] }
    return .several(notes)
  }
}
