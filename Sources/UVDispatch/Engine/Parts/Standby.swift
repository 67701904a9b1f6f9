internal import TaskDispatch

/// Accepted items that stand in no queue yet: notifications whose group is not empty, and items whose queue is full.
/// And how much waits in each queue, counted against the limit. A value under the dispatcher's lock.
struct Standby {
  private(set) var room: QueueLimit
  /// Notifications whose group is not empty.
  private(set) var held = HeldItems()
  /// Items that wait for room in their queue, in order.
  private(set) var withoutRoom: [WorkItem] = []

  init(limit: Int?) { room = QueueLimit(limit) }

  @inline(__always) var hasLimit: Bool { room.isSet }

  /// Everything here: the notifications, then the items without room.
  var all: [WorkItem] { held.all + withoutRoom }

  // MARK: Notifications

  mutating func hold(_ item: WorkItem) {
    item.stage = .held
    held.insert(item)
  }

  /// Takes out a notification. False if it is not here.
  mutating func takeHeld(_ item: WorkItem) -> Bool { held.remove(item) }

  /// Takes out an item of either kind.
  mutating func take(_ item: WorkItem) {
    if !held.remove(item) { withoutRoom.removeAll { $0 === item } }
  }

  // MARK: Room

  mutating func addWithoutRoom(_ item: WorkItem) {
    item.stage = .held
    withoutRoom.append(item)
  }

  /// Takes out all items that wait for room.
  mutating func takeWithoutRoom() -> [WorkItem] {
    defer { withoutRoom = [] }
    return withoutRoom
  }

  /// Takes out the first item whose queue has room now; nil if there is none.
  mutating func takeFirstWithRoom() -> WorkItem? {
    guard let index = withoutRoom.firstIndex(where: { !isFull(of: $0) }) else { return nil }
    return withoutRoom.remove(at: index)
  }

  /// Whether the queue that `item` belongs to is full, and `item` counts against the limit.
  func isFull(of item: WorkItem) -> Bool {
    item.countsAgainstLimits && room.isFull(item.lane, item.view)
  }

  /// Whether the queue that `task` belongs to is full, and `task` counts against the limit.
  func isFull(of task: QueuedTask) -> Bool {
    task.countsAgainstLimits && room.isFull(task.lane, task.view)
  }

  /// Counts a change in the queue of `item` by one.
  mutating func count(_ change: Int, of item: WorkItem) {
    if item.countsAgainstLimits { room.count(change, in: item.lane, item.view) }
  }

  mutating func count(_ change: Int, of task: QueuedTask) {
    if task.countsAgainstLimits { room.count(change, in: task.lane, task.view) }
  }
}
