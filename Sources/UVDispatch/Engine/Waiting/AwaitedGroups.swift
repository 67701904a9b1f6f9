internal import TaskDispatch

/// The groups that blocked threads wait for, with the members that a search for deadlocks asks for.
struct AwaitedGroups {
  enum Member {
    /// The task runs.
    case running(RunningTask)
    /// The item waits in a queue, for its time or for room.
    case waiting(WorkItem)
    /// A thread is blocked in the submission of the item, until its queue has room.
    case withoutRoom(WorkItem)
  }

  /// The members of one group.
  struct Members {
    fileprivate var all: [Member] = []
    private var next = 0

    /// The first member that was not dropped.
    var first: Member? { next < all.count ? all[next] : nil }

    mutating func dropFirst() { next += 1 }
  }

  private var groups: [ObjectIdentifier: Members] = [:]

  /// - Parameter onlyRunning: Whether to leave out members that have not begun. Then O(what runs), else O(what waits in
  ///   all queues).
  init(of core: Core, onlyRunning: Bool) {
    var awaited: [WorkGroup] = []
    for thread in core.blocked.threads {
      guard case .group(let group) = thread.target else { continue }
      if groups.updateValue(Members(), forKey: ObjectIdentifier(group)) == nil {
        awaited.append(group)
      }
    }
    if awaited.isEmpty { return }
    for task in core.running.all where !task.isAbandoned { add(.running(task), of: task.item) }
    if onlyRunning { return }
    let running = groups.mapValues(\.all)
    core.forEachWaitingItem { add(.waiting($0), of: $0) }
    for thread in core.blocked.threads where !thread.mayTimeOut {
      if case .room(let task) = thread.target, let item = task.item {
        add(.withoutRoom(item), of: item)
      }
    }
    for group in awaited {
      let name = ObjectIdentifier(group)
      // The group has members that are not here. They were entered by hand, or belong to another dispatcher, and may
      // go on. So only its running members are kept.
      if group.count > groups[name]!.all.count { groups[name]!.all = running[name]! }
    }
  }

  private mutating func add(_ member: Member, of item: WorkItem?) {
    guard let group = item?.group else { return }
    groups[ObjectIdentifier(group)]?.all.append(member)
  }

  subscript(group: ObjectIdentifier) -> Members {
    get { groups[group] ?? Members() }
    set { groups[group] = newValue }
  }
}
