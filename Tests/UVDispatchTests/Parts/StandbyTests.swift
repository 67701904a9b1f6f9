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

  private func task(in queue: Queue, _ work: consuming QueuedTask.Work = .plain {}) -> QueuedTask {
    self.work.task(
      on: queue == .foreground ? .foreground : .background, queue == .view ? view : nil, work: work)
  }

  // MARK: Room

  @Test(
    "only tasks need room in a queue, and take it: no code could react to a refusal of the others",
    arguments: [
      (.task, true), (.timer, false), (.repeating, false), (.reply, false), (.job, false),
      (.sleep, false), (.notification, false), (.event, false),
    ] as [(WorkItem.Kind, Bool)])
  func kinds(kind: WorkItem.Kind, counts: Bool) {
    var standby = Standby(limit: 1)
    let item = kind == .repeating ? work.repeating() : work.item(kind)

    standby.count(1, of: item)
    #expect(standby.isFull(of: work.item(.task)) == counts)
    #expect(standby.isFull(of: item) == counts)
    #expect(standby.isFull(of: work.task(work: .item(item))) == counts)

    standby.count(-1, of: item)
    #expect(!standby.isFull(of: work.item(.task)))

    standby.count(1, of: work.item(.task))
    #expect(standby.isFull(of: item) == counts)
    #expect(standby.isFull(of: work.task(work: .item(item))) == counts)
  }

  @Test("a task object counts as what it stands for: a caller of sync needs no room")
  func objects() {
    let cases: [(QueuedTask.Work, Bool)] = [
      (.plain {}, true), (.caller(nil), false), (.caller(SyncCaller {}), false),
      (.item(work.item(.task)), true), (.item(work.item(.reply)), false),
    ]
    for (work, counts) in cases {
      var standby = Standby(limit: 1)
      let task = self.work.task(work: work)
      standby.count(1, of: task)
      #expect(standby.isFull(of: self.work.item(.task)) == counts)
      #expect(standby.isFull(of: task) == counts)
      standby.count(-1, of: task)
      #expect(!standby.isFull(of: self.work.item(.task)))
      standby.count(1, of: self.work.item(.task))
      #expect(standby.isFull(of: task) == counts)
    }
  }

  @Test(
    "a queue is full when as many tasks wait in it as the limit says, and no other queue is",
    arguments: 1...3)
  func limit(_ limit: Int) {
    for full in Queue.allCases {
      var standby = Standby(limit: limit)
      for number in 1...limit {
        #expect(!standby.isFull(of: item(in: full)))
        if number % 2 == 0 {
          standby.count(1, of: item(in: full))
        } else {
          standby.count(1, of: task(in: full))
        }
      }
      for queue in Queue.allCases {
        #expect(standby.isFull(of: item(in: queue)) == (queue == full))
        #expect(standby.isFull(of: task(in: queue)) == (queue == full))
      }
      for _ in 0..<limit { standby.count(-1, of: item(in: full)) }
    }
  }

  @Test("no queue is full without a limit")
  func noLimit() {
    var standby = Standby(limit: nil)
    for _ in 0..<100 { standby.count(1, of: item(in: .background)) }

    #expect(!standby.isFull(of: item(in: .background)))
    #expect(!standby.hasLimit && Standby(limit: 0).hasLimit)
  }

  /// Items that wait for room, by their queues, and which queues are full.
  struct Room: Sendable, CustomTestStringConvertible {
    let waiting: String
    let full: String
    /// The index of the item that gets room. Nil if none does.
    let next: Int?

    init(_ waiting: String, full: String, next: Int?) {
      (self.waiting, self.full, self.next) = (waiting, full, next)
    }

    var testDescription: String { "\(waiting) wait, \(full.isEmpty ? "none" : full) full" }
  }

  @Test(
    "room goes to the first item whose queue has some, and the others keep their order",
    arguments: [
      Room("", full: "", next: nil), Room("B", full: "", next: 0), Room("B", full: "B", next: nil),
      Room("BB", full: "", next: 0), Room("BF", full: "B", next: 1),
      Room("BBFF", full: "B", next: 2), Room("FVB", full: "FB", next: 1),
      Room("FVB", full: "FV", next: 2), Room("FVB", full: "FVB", next: nil),
    ])
  func room(_ room: Room) {
    var standby = Standby(limit: 1)
    let items = room.waiting.map { item(in: Queue(rawValue: $0)!) }
    for queue in room.full { standby.count(1, of: item(in: Queue(rawValue: queue)!)) }
    for item in items { standby.addWithoutRoom(item) }

    let next = standby.takeFirstWithRoom()

    let nextIndex = items.firstIndex { $0 === next }
    #expect(nextIndex == room.next)
    let left = items.indices.filter { $0 != room.next }.map { ObjectIdentifier(items[$0]) }
    #expect(standby.withoutRoom.map(ObjectIdentifier.init) == left)
  }

  @Test("a shutdown takes out all items that wait for room, in their order, and no notification")
  func allWithoutRoom() {
    var standby = Standby(limit: 1)
    let items = "BFVB".map { item(in: Queue(rawValue: $0)!) }
    let notification = work.item(.notification)
    standby.hold(notification)
    for item in items { standby.addWithoutRoom(item) }

    let taken = standby.takeWithoutRoom()

    #expect(taken.map(ObjectIdentifier.init) == items.map(ObjectIdentifier.init))
    #expect(standby.withoutRoom.isEmpty)
    #expect(standby.all.map(ObjectIdentifier.init) == [ObjectIdentifier(notification)])
  }

  // MARK: Both kinds

  @Test("what is put here says that it is held, and all of it is shown, notifications first")
  func shown() {
    var standby = Standby(limit: 1)
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
    var standby = Standby(limit: 1)
    let items = [work.item(.notification), work.item(.notification), work.item(), work.item()]
    for item in items[..<2] { standby.hold(item) }
    for item in items[2...] { standby.addWithoutRoom(item) }

    standby.take(items[index])

    let left = items.filter { $0 !== items[index] }
    #expect(Set(standby.all.map(ObjectIdentifier.init)) == Set(left.map(ObjectIdentifier.init)))
  }

  @Test("a notification whose group is empty is let in once, and an item without room never is")
  func letIn() {
    var standby = Standby(limit: 1)
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
    var standby = Standby(limit: 3)
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
        standby.take(held.remove(at: dice.roll(held.count)))
      case 5 where !withoutRoom.isEmpty:
        standby.take(withoutRoom.remove(at: dice.roll(withoutRoom.count)))
      case 6 where !withoutRoom.isEmpty:
        let taken = standby.takeFirstWithRoom()
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
