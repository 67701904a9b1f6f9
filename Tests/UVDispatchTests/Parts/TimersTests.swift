import TaskDispatch
import TestSupport
import Testing

@testable import UVDispatch

@Suite("Items that wait for a time, as a value")
struct TimersTests {
  private let work = LooseWork()

  private func timer(_ name: String, due: Int64, tolerance: Int64 = 0) -> WorkItem {
    work.item(.timer, label: name, due: due, tolerance: tolerance)
  }

  private func add(_ item: WorkItem, to timers: inout Timers) {
    timers.add(item, due: item.due!)
  }

  /// Timers, and when the loop has to act for them. All times are in nanoseconds.
  struct Waiting: Sendable, CustomTestStringConvertible {
    /// A name, the time at which the timer is due, and its tolerance.
    let timers: [(String, due: Int64, tolerance: Int64)]
    let deadline: Int64?
    let wakeUp: Int64?
    /// In the order in which they come due.
    let order: String

    init(
      _ timers: [(String, due: Int64, tolerance: Int64)], deadline: Int64?, wakeUp: Int64?,
      order: String
    ) {
      (self.timers, self.deadline, self.wakeUp) = (timers, deadline, wakeUp)
      self.order = order
    }

    var testDescription: String {
      timers.map { "\($0.0) at \($0.due)+\($0.tolerance)" }.joined(separator: ", ")
    }

    static let table = [
      Waiting([], deadline: nil, wakeUp: nil, order: ""),
      Waiting([("a", 5, 0)], deadline: 5, wakeUp: 5, order: "a"),
      Waiting([("a", 5, 3)], deadline: 5, wakeUp: 8, order: "a"),
      Waiting([("a", 9, 0), ("b", 5, 0)], deadline: 5, wakeUp: 5, order: "ba"),
      Waiting([("a", 5, 0), ("b", 5, 0), ("c", 5, 0)], deadline: 5, wakeUp: 5, order: "abc"),
      Waiting([("a", 5, 9), ("b", 8, 0)], deadline: 5, wakeUp: 8, order: "ab"),
      Waiting([("a", 5, 9), ("b", 6, 1)], deadline: 5, wakeUp: 7, order: "ab"),
      Waiting([("a", 5, 9), ("b", 5, 0)], deadline: 5, wakeUp: 5, order: "ab"),
      Waiting([("a", -5, 0), ("b", 0, 0)], deadline: -5, wakeUp: -5, order: "ab"),
    ]
  }

  @Test(
    "the first timer is due at its time, and the loop wakes as late as all their tolerances allow",
    arguments: Waiting.table)
  func deadlines(_ waiting: Waiting) {
    var timers = Timers()
    for (name, due, tolerance) in waiting.timers {
      add(timer(name, due: due, tolerance: tolerance), to: &timers)
    }

    let (deadline, wakeUp) = (timers.nextDeadline, timers.nextWakeUp)
    #expect(deadline == waiting.deadline)
    #expect(wakeUp == waiting.wakeUp)
  }

  @Test(
    "timers are taken in the order of their times, and those of one time as they came",
    arguments: Waiting.table)
  func order(_ waiting: Waiting) {
    var timers = Timers()
    for (name, due, tolerance) in waiting.timers {
      add(timer(name, due: due, tolerance: tolerance), to: &timers)
    }

    var (order, dues) = ("", [Int64]())
    while let next = timers.takeNext(dueBy: .max) {
      order += next.item.label!
      dues.append(next.due)
    }

    #expect(order == waiting.order)
    #expect(dues == waiting.timers.map(\.due).sorted())
  }

  @Test("all timers are taken out at once in that order", arguments: Waiting.table)
  func all(_ waiting: Waiting) {
    var timers = Timers()
    for (name, due, tolerance) in waiting.timers {
      add(timer(name, due: due, tolerance: tolerance), to: &timers)
    }

    let taken = timers.removeAll().map { $0.label! }.joined()

    let deadline = timers.nextDeadline
    #expect(taken == waiting.order)
    #expect(deadline == nil)
  }

  @Test("a timer is taken at its time and not an instant before, and waits nowhere from then on")
  func atItsTime() {
    var timers = Timers()
    let item = timer("a", due: 100, tolerance: 50)
    add(item, to: &timers)
    #expect(item.stage == .timers)

    let before = timers.takeNext(dueBy: 99)?.item
    let stage = item.stage
    let then = timers.takeNext(dueBy: 100)

    #expect(before == nil && stage == .timers)
    #expect(then?.item === item && then?.due == 100)
    #expect(item.stage == .nowhere)
  }

  @Test("a timer may wait for another time than its own: the next tick of one that repeats")
  func anotherTime() {
    var timers = Timers()
    timers.add(work.repeating(due: 100), due: DispatcherInstant(nanoseconds: 300))

    let deadline = timers.nextDeadline
    #expect(deadline == 300)
  }

  @Test("a timer that is cancelled leaves once, takes no other with it, and the next is then first")
  func removed() {
    var timers = Timers()
    let items = [timer("a", due: 1), timer("b", due: 2), timer("c", due: 3, tolerance: 9)]
    for item in items { add(item, to: &timers) }

    let first = timers.remove(items[0])
    let again = timers.remove(items[0])
    let deadline = timers.nextDeadline
    let third = timers.remove(items[2])
    let left = timers.removeAll().map { $0.label! }

    #expect([first, again, third] == [true, false, true])
    #expect(deadline == 2)
    #expect(left == ["b"])
  }

  @Test(
    "a timer that was taken at its time cannot be cancelled any more, also if others came since")
  func removedLate() {
    var timers = Timers()
    let item = timer("a", due: 1)
    add(item, to: &timers)
    _ = timers.takeNext(dueBy: 1)
    add(timer("b", due: 2), to: &timers)

    let isOut = timers.remove(item)

    let deadline = timers.nextDeadline
    #expect(!isOut)
    #expect(deadline == 2)
  }

  // MARK: Repeating timers with a run

  @Test(
    "a repeating timer is known from the start of its run to the end, and others are left alone")
  func runs() {
    var timers = Timers()
    let (a, b) = (work.repeating("a"), work.repeating("b"))
    var known: [Bool] = [timers.hasRuns]
    for timer in [a, b] { timers.addRun(of: timer) }
    timers.endRun(of: a)
    known.append(timers.hasRuns)
    let left = timers.withRun.values.map { $0.label! }
    timers.endRun(of: b)
    known.append(timers.hasRuns)

    #expect(known == [false, true, false])
    #expect(left == ["b"])
  }

  @Test("all repeating timers with a run are taken out at once")
  func allRuns() {
    var timers = Timers()
    add(timer("waits", due: 1), to: &timers)
    for name in ["a", "b"] { timers.addRun(of: work.repeating(name)) }

    let taken = timers.takeTimersWithRun().map { $0.label! }

    let (hasRuns, deadline) = (timers.hasRuns, timers.nextDeadline)
    #expect(Set(taken) == ["a", "b"])
    #expect(!hasRuns && deadline == 1)
  }

  @Test("a shutdown stops the ticks of the timers that have a run")
  func stopped() {
    var timers = Timers()
    let (running, waiting) = (work.repeating("a"), work.repeating("b"))
    timers.addRun(of: running)
    add(waiting, to: &timers)

    timers.stopTicks(at: DispatcherInstant(nanoseconds: 150))

    #expect(running.ticks.isStopped)
    #expect(!waiting.ticks.isStopped)
  }

  @Test("every timer is shown: one that waits, with a tolerance or not, and one that has a run")
  func shown() {
    var timers = Timers()
    add(timer("exact", due: 1), to: &timers)
    add(timer("tolerant", due: 2, tolerance: 5), to: &timers)
    timers.addRun(of: work.repeating("run"))

    var names: [String] = []
    func show(_ timer: WorkItem) { names.append(timer.label!) }
    timers.forEach(show)

    #expect(names.sorted() == ["exact", "run", "tolerant"])
  }

  @Test("in a random program, timers leave as from a sorted list", arguments: 1...10)
  func random(seed: Int) {
    var dice = Dice(seed: seed)
    var timers = Timers()
    // In the order in which they come due.
    var expected: [WorkItem] = []
    for step in 0..<400 {
      switch dice.roll(5) {
      case 0..<3:
        let item = timer("\(step)", due: Int64(dice.roll(50)), tolerance: Int64(dice.roll(3)))
        let place = expected.firstIndex { $0.due! > item.due! } ?? expected.count
        expected.insert(item, at: place)
        add(item, to: &timers)
      case 3 where !expected.isEmpty:
        let item = expected.remove(at: dice.roll(expected.count))
        let isOut = timers.remove(item)
        #expect(isOut, "seed \(seed), step \(step)")
      default:
        let time = Int64(dice.roll(50))
        let taken = timers.takeNext(dueBy: time)?.item
        let due = expected.first.flatMap { $0.due!.nanoseconds <= time ? $0 : nil }
        if due != nil { expected.removeFirst() }
        #expect(taken === due, "seed \(seed), step \(step)")
      }
      let deadline = timers.nextDeadline
      #expect(deadline == expected.first?.due?.nanoseconds, "seed \(seed), step \(step)")
    }
  }
}
