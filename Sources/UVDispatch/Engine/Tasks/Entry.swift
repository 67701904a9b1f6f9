internal import TaskDispatch

/// What waits in a queue: 32 bytes, whatever it is.
enum Entry: PoolEntry {
  /// A plain task: a body and where it was submitted. Nothing was allocated for it.
  case plain(PlainTask)
  /// An item: a submission that asked for more than to run. Its object knows where it stands.
  case item(WorkItem)
  /// A job of a Swift Task, a caller of `sync`, or a plain task that needs an object.
  case task(QueuedTask)

  var runsOnCaller: Bool {
    if case .task(let task) = self { task.runsOnCaller } else { false }
  }

  /// Whether `entry` is a plain task. It is `inout` so that nothing is copied, and does not change.
  @inline(__always) static func isPlain(_ entry: inout Entry) -> Bool {
    switch entry {
    case .plain: true
    case .item, .task: false
    }
  }

  /// Whether `entry` is an item that needs no task object, only the running-task context of the thread that runs it.
  /// Means something only in a core that is simple. `entry` is `inout` so that nothing is copied, and does not change.
  @inline(__always) static func isSimpleItem(_ entry: inout Entry) -> Bool {
    // Taken out and put back: only to look at it would retain and release the item.
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

  /// The entry has another position in its queue now.
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
  /// Whether the limit of its queue counts it. A reply does not count.
  var counts = true
}
