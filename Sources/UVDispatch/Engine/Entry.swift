internal import TaskDispatch

/// What waits in a queue: 32 bytes, whatever it is.
enum Entry: PoolEntry {
  /// A body and where it was submitted: nothing was allocated for it.
  case plain(PlainTask)
  /// A submission that asked for more than to run. Its object knows where it stands.
  case item(WorkItem)
  /// A job, somebody in `sync`, or a plain body that somebody must be able to find.
  case task(QueuedTask)

  var runsOnCaller: Bool {
    if case .task(let task) = self { task.runsOnCaller } else { false }
  }

  /// Does not change it: given so that nothing is copied.
  @inline(__always) static func isPlain(_ entry: inout Entry) -> Bool {
    switch entry {
    case .plain: true
    case .item, .task: false
    }
  }

  /// Whether it is an item that whoever runs it needs no object for, but the frame of their thread. Only
  /// of a core that is simple. As ``isPlain(_:)``.
  @inline(__always) static func isSimpleItem(_ entry: inout Entry) -> Bool {
    // Taken out and put back: a look at it would count the item.
    switch consume entry {
    case .item(let item):
      let isSimple = item.isSimple && !item.isQueuedAsTask
      entry = .item(item)
      return isSimple
    case .plain(let plain): entry = .plain(plain)
    case .task(let task): entry = .task(task)
    }
    return false
  }

  var isItem: Bool { if case .item = self { true } else { false } }

  /// The submission, if it asked for more than to run.
  var item: WorkItem? {
    switch self {
    case .plain: nil
    case .item(let item): item
    case .task(let task): task.item
    }
  }

  func isItem(_ item: WorkItem) -> Bool {
    if case .item(let mine) = self { mine === item } else { false }
  }

  /// It has another position in its queue now.
  func move(to position: Int) {
    switch self {
    case .plain: break
    case .item(let item): item.place.position = position
    case .task(let task): task.position = position
    }
  }
}

/// In a struct, since a bare closure would be wrapped in another one by every generic container.
struct PlainTask {
  let body: @Sendable () -> Void
  let site: CallSite
}
