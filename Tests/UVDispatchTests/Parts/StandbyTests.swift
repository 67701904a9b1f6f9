import TaskDispatch
import TestSupport
import Testing

@testable import UVDispatch

@Suite("Accepted items that stand in no queue yet, as a value")
struct StandbyTests {
  private let work = LooseWork()
  private let view: UVView

  init() { view = work.view() }

  private enum Queue: Character, CaseIterable {
    case foreground = "F"
    case background = "B"
    case view = "V"
  }

  private func item(in queue: Queue, _ kind: WorkItem.Kind = .task) -> WorkItem {
    work.item(
      kind, on: queue == .foreground ? .foreground : .background, queue == .view ? view : nil)
  }

  // MARK: Room

  /// Items that wait for room, by their queues, and the queue that a task leaves.
  struct Room: Sendable, CustomTestStringConvertible {
    let waiting: String
    let left: Character
    /// The index of the item that gets room. Nil if none does.
    let next: Int?

    init(_ waiting: String, left: Character, next: Int?) {
      (self.waiting, self.left, self.next) = (waiting, left, next)
    }

    var testDescription: String { "\(waiting) wait, \(left) has room" }
  }

  @Test(
    "room goes to the first item that waits for it in that queue, and the others keep their order",
    arguments: [
      Room("", left: "B", next: nil), Room("B", left: "B", next: 0),
      Room("B", left: "F", next: nil), Room("BB", left: "B", next: 0),
      Room("BF", left: "F", next: 1), Room("BBFF", left: "F", next: 2),
      Room("FVB", left: "V", next: 1), Room("FVB", left: "B", next: 2),
      Room("FBB", left: "V", next: nil), Room("VBV", left: "B", next: 1),
    ])
  func room(_ room: Room) {
    var standby = Standby()
    let items = room.waiting.map { item(in: Queue(rawValue: $0)!) }
    for (number, item) in items.enumerated() {
      item.place.id = TaskID(UInt64(number))
      standby.addWithoutRoom(item)
    }

    let next = standby.takeFirst(
      in: room.left == "F" ? .foreground : .background, room.left == "V" ? view : nil)

    let nextIndex = items.firstIndex { $0 === next }
    #expect(nextIndex == room.next)
    let left = items.indices.filter { $0 != room.next }.map { ObjectIdentifier(items[$0]) }
    #expect(standby.withoutRoom.map(ObjectIdentifier.init) == left)
  }

  @Test("a shutdown takes out all items that wait for room, in their order, and no notification")
  func allWithoutRoom() {
    var standby = Standby()
    let items = "BFVB".map { item(in: Queue(rawValue: $0)!) }
    let notification = work.item(.notification)
    standby.hold(notification)
    for (number, item) in items.enumerated() {
      item.place.id = TaskID(UInt64(number))
      standby.addWithoutRoom(item)
    }

    let taken = standby.takeWithoutRoom()

    #expect(taken.map(ObjectIdentifier.init) == items.map(ObjectIdentifier.init))
    #expect(standby.withoutRoom.isEmpty)
    #expect(standby.all.map(ObjectIdentifier.init) == [ObjectIdentifier(notification)])
  }

  // MARK: Both kinds

  @Test("what is put here says that it is held, and all of it is shown, notifications first")
  func shown() {
    var standby = Standby()
    let (first, second) = (work.item(), work.item())
    let (notification, other) = (work.item(.notification), work.item(.notification))
    standby.addWithoutRoom(first)
    standby.hold(notification)
    standby.addWithoutRoom(second)
    standby.hold(other)

    let expected = [notification, other, first, second]
    #expect(standby.all.map(ObjectIdentifier.init) == expected.map(ObjectIdentifier.init))
    #expect(expected.allSatisfy { $0.stage == .held })
  }

  @Test(
    "an item of either kind that is cancelled leaves, and takes no other with it", arguments: 0..<4)
  func taken(index: Int) {
    var standby = Standby()
    let items = [work.item(.notification), work.item(.notification), work.item(), work.item()]
    for item in items[..<2] { standby.hold(item) }
    for item in items[2...] { standby.addWithoutRoom(item) }

    _ = standby.take(items[index])

    let left = items.filter { $0 !== items[index] }
    #expect(Set(standby.all.map(ObjectIdentifier.init)) == Set(left.map(ObjectIdentifier.init)))
  }

  @Test("a notification whose group is empty is let in once, and an item without room never is")
  func letIn() {
    var standby = Standby()
    let (notification, item) = (work.item(.notification), work.item())
    standby.addWithoutRoom(item)
    let before = standby.takeHeld(notification)
    standby.hold(notification)

    let (first, second) = (standby.takeHeld(notification), standby.takeHeld(notification))
    let ofItem = standby.takeHeld(item)

    #expect([before, first, second, ofItem] == [false, true, false, false])
    #expect(standby.all.map(ObjectIdentifier.init) == [ObjectIdentifier(item)])
  }

  @Test("in a random program, all is here that came and did not leave", arguments: 1...10)
  func random(seed: Int) {
    var dice = Dice(seed: seed)
    var standby = Standby()
    var held: [WorkItem] = []
    var withoutRoom: [WorkItem] = []
    for step in 0..<400 {
      switch dice.roll(7) {
      case 0, 1:
        held.append(work.item(.notification))
        standby.hold(held.last!)
      case 2, 3:
        withoutRoom.append(work.item())
        standby.addWithoutRoom(withoutRoom.last!)
      case 4 where !held.isEmpty:
        _ = standby.take(held.remove(at: dice.roll(held.count)))
      case 5 where !withoutRoom.isEmpty:
        _ = standby.take(withoutRoom.remove(at: dice.roll(withoutRoom.count)))
      case 6 where !withoutRoom.isEmpty:
        let taken = standby.takeFirst(in: .background, nil)
        #expect(taken === withoutRoom.removeFirst(), "seed \(seed), step \(step)")
      default: break
      }
      let setting: Comment = "seed \(seed), step \(step)"
      #expect(
        standby.withoutRoom.map(ObjectIdentifier.init) == withoutRoom.map(ObjectIdentifier.init),
        setting)
      #expect(
        Set(standby.held.all.map(ObjectIdentifier.init)) == Set(held.map(ObjectIdentifier.init)),
        setting)
      #expect(standby.all.count == held.count + withoutRoom.count, setting)
    }
  }
}
