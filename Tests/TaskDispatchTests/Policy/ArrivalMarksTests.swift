import TaskDispatch
import TestSupport
import Testing

@Suite("Since when elements wait that came in lots, as a value")
struct ArrivalMarksTests {
  private static let tick: Int64 = 4_000_000

  @Test("nothing is known before the first lot")
  func empty() { #expect(ArrivalMarks().since(0) == nil) }

  @Test("the age of the head is that of its lot, for as long as the lot lasts")
  func lots() {
    var marks = ArrivalMarks()
    for lot in 0..<5 {
      marks.note(lot * 10, since: Int64(lot) * 10 * Self.tick, head: lot == 0 ? 0 : 3)
    }
    for head in 3..<60 {
      #expect(marks.since(head) == Int64(min(head / 10, 4)) * 10 * Self.tick, "\(head)")
    }
  }

  @Test("a lot that comes into an empty queue makes all earlier ones forgotten")
  func emptied() {
    var marks = ArrivalMarks()
    marks.note(0, since: 1, head: 0)
    marks.note(7, since: 2, head: 7)
    #expect(marks.since(7) == 2)
    #expect(marks.since(9) == 2)
    #expect(marks.since(6) == nil)
  }

  @Test("lots that come close together count as one, with the time of the first")
  func close() {
    var marks = ArrivalMarks()
    marks.note(0, since: 0, head: 0)
    marks.note(5, since: Self.tick - 1, head: 0)
    marks.note(9, since: Self.tick, head: 0)
    #expect(marks.since(8) == 0)
    #expect(marks.since(9) == Self.tick)
  }

  @Test("after elements have moved, the head counts as old as its lot was before, or older")
  func moved() {
    var marks = ArrivalMarks()
    for lot in 0..<4 {
      marks.note(lot * 10, since: Int64(lot) * 10 * Self.tick, head: lot == 0 ? 0 : 15)
    }
    // The first of these is that of the head.
    #expect(marks.since(15) == 10 * Self.tick)
    #expect(marks.since(38, 1) == 10 * Self.tick)
    marks.note(40, since: 90 * Self.tick, head: 38, 1)
    #expect(marks.since(38, 1) == 10 * Self.tick)
    #expect(marks.since(40, 1) == 90 * Self.tick)
    marks.note(50, since: 99 * Self.tick, head: 50, 2)
    #expect(marks.since(50, 2) == 99 * Self.tick)
  }

  /// Against a list of all lots.
  @Test("it keeps few marks, and never makes an element younger than it is", arguments: 0..<20)
  func bounded(seed: Int) {
    var dice = Dice(seed: seed)
    var marks = ArrivalMarks()
    var lots: [(position: Int, since: Int64)] = []
    var (head, tail, time) = (0, 0, Int64(0))
    for _ in 0..<2000 {
      time += Int64(dice.roll(20)) * Self.tick / 3
      let wasEmpty = head == tail
      lots.append((tail, time))
      let position = tail
      tail += 1 + dice.roll(4)
      marks.note(position, since: time, head: wasEmpty ? position : head)
      head = min(tail, head + dice.roll(dice.roll(10) == 0 ? 40 : 3))
      guard head < tail else { continue }
      let exact = lots.last { $0.position <= head }!.since
      let found = marks.since(head)
      #expect(found != nil && found! <= exact, "seed \(seed)")
      #if DEBUG
        #expect(marks.count <= 128)
      #endif
    }
  }

  @Test("with few lots it is exact to the resolution", arguments: 0..<20)
  func exact(seed: Int) {
    var dice = Dice(seed: seed)
    var marks = ArrivalMarks()
    var lots: [(position: Int, since: Int64)] = []
    var (head, tail, time) = (0, 0, Int64(0))
    for _ in 0..<100 {
      time += Int64(dice.roll(20)) * Self.tick / 3
      let wasEmpty = head == tail
      lots.append((tail, time))
      marks.note(tail, since: time, head: wasEmpty ? tail : head)
      tail += 1 + dice.roll(4)
      head = min(tail, head + dice.roll(5))
      guard head < tail else { continue }
      let exact = lots.last { $0.position <= head }!.since
      #expect(exact - marks.since(head)! < Self.tick, "seed \(seed)")
    }
  }
}
