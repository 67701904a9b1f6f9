internal import TaskDispatch

/// Accepted items that stand in no queue yet: notifications whose group is not empty, and items whose queue is full. A
/// value under the dispatcher's lock.
struct Standby {
  /// Notifications whose group is not empty.
  private(set) var held = HeldItems()
  /// Items that wait for room, by their queues. Only queues for which some wait have a line.
  private var lines: [Queue: RoomLine] = [:]

  private struct Queue: Hashable {
    let lane: Lane
    let view: ObjectIdentifier?

    init(_ lane: Lane, _ view: QueueView?) {
      self.lane = lane
      self.view = view.map { ObjectIdentifier($0) }
    }

    init(of item: WorkItem) { self.init(item.lane, item.view) }
  }

  /// Everything here: the notifications, then the items without room. O(n log n).
  var all: [WorkItem] { held.all + withoutRoom }

  // MARK: Notifications

  mutating func hold(_ item: WorkItem) {
    item.stage = .held
    held.insert(item)
  }

  /// Takes out a notification. False if it is not here.
  mutating func takeHeld(_ item: WorkItem) -> Bool { held.remove(item) }

  /// Takes out an item of either kind. Amortised O(1).
  ///
  /// - Returns: Whether it waited for room.
  mutating func take(_ item: WorkItem) -> Bool {
    if held.remove(item) { return false }
    let queue = Queue(of: item)
    guard let line = lines[queue], line.remove(item) else { return false }
    if line.isEmpty { lines[queue] = nil }
    return true
  }

  // MARK: Room

  /// All items that wait for room, in the order of submission. O(n log n).
  var withoutRoom: [WorkItem] {
    lines.values.flatMap(\.all).sorted { $0.place.id.number < $1.place.id.number }
  }

  mutating func addWithoutRoom(_ item: WorkItem) {
    item.stage = .held
    let queue = Queue(of: item)
    let line = lines[queue] ?? RoomLine()
    line.append(item)
    lines[queue] = line
  }

  /// Takes out all items that wait for room.
  mutating func takeWithoutRoom() -> [WorkItem] {
    defer { lines = [:] }
    return withoutRoom
  }

  /// The number of the first item that waits for room in a queue; nil if none does.
  func firstWithoutRoom(in lane: Lane, _ view: QueueView?) -> UInt64? {
    lines[Queue(lane, view)]?.firstNumber
  }

  /// Takes out the first item that waits for room in a queue; nil if none does. Amortised O(1).
  mutating func takeFirst(in lane: Lane, _ view: QueueView?) -> WorkItem? {
    let queue = Queue(lane, view)
    guard let line = lines[queue] else { return nil }
    let item = line.takeFirst()
    if line.isEmpty { lines[queue] = nil }
    return item
  }
}

/// The items that wait for room in one queue, in order. Never empty while it is in use. Touched under the dispatcher's
/// lock.
private final class RoomLine {
  // An item's `place.position` belongs to this ring until it leaves.
  @safe @exclusivity(unchecked) private var items = Ring<WorkItem>()
  private var count = 0

  var isEmpty: Bool { count == 0 }

  var all: [WorkItem] {
    (items.head..<items.tail).compactMap { position in
      items.isAlive(at: position) ? items.withElement(at: position) { copy $0 } : nil
    }
  }

  var firstNumber: UInt64 { items.withElement(at: items.head) { $0.place.id.number } }

  func append(_ item: WorkItem) {
    item.place.position = items.append(item)
    count += 1
  }

  func takeFirst() -> WorkItem? {
    let first = items.takeFirst()
    count -= 1
    items.dropDeadHead()
    return first
  }

  func remove(_ item: WorkItem) -> Bool {
    let position = item.place.position
    guard items.isAlive(at: position), items.withElement(at: position, { $0 === item }) else {
      return false
    }
    _ = items.remove(at: position)
    count -= 1
    items.dropDeadHead()
    // Else one that waits for ever would keep the slots of all that came after it and went.
    if items.slotCount > 2 * count + 64 {
      items.compact { moved, position in moved.place.position = position }
    }
    return true
  }
}
