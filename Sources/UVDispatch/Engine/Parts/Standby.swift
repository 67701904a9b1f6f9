internal import TaskDispatch

/// Accepted items that stand in no queue yet: notifications whose group is not empty, and items whose queue is full. A
/// value under the dispatcher's lock.
struct Standby {
  /// Notifications whose group is not empty.
  private(set) var held = HeldItems()
  /// Items that wait for room in their queue, in order.
  private(set) var withoutRoom: [WorkItem] = []

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

  /// Takes out the first item that waits for room in a queue; nil if none does.
  mutating func takeFirst(in lane: Lane, _ view: QueueView?) -> WorkItem? {
    guard let index = withoutRoom.firstIndex(where: { $0.lane == lane && $0.view === view }) else {
      return nil
    }
    return withoutRoom.remove(at: index)
  }
}
