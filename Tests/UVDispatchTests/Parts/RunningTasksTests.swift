import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

@Suite("The tasks that run, as a value")
struct RunningTasksTests {
  private let work = LooseWork()

  private func numbers(_ running: borrowing RunningTasks) -> Set<UInt64> {
    Set(running.all.map(\.id))
  }

  @Test("tasks end in any order, and each takes out itself alone")
  func anyOrder() {
    for order in permutations(of: [0, 1, 2, 3]) {
      var running = RunningTasks()
      let tasks = (0..<4).map { work.task(UInt64($0)) }
      for task in tasks { running.add(task) }
      var left: Set<UInt64> = [0, 1, 2, 3]
      for index in order {
        running.remove(tasks[index])
        left.remove(UInt64(index))

        let (found, count, isEmpty) = (numbers(running), running.count, running.isEmpty)
        #expect(found == left, "\(order)")
        #expect(count == left.count && isEmpty == left.isEmpty, "\(order)")
        let contained = tasks.filter { running.contains($0) }.map(\.id)
        #expect(Set(contained) == left, "\(order)")
      }
    }
  }

  @Test("a task that was never added does not run, wherever others stand")
  func neverAdded() {
    var running = RunningTasks()
    let (task, other) = (work.task(1), work.task(2))

    let inNothing = running.contains(task)
    running.add(task)
    let (itself, another) = (running.contains(task), running.contains(other))

    #expect([inNothing, itself, another] == [false, true, false])
  }

  @Test("threads that make callbacks end that in any order, and each takes out itself alone")
  func telling() {
    for order in permutations(of: [0, 1, 2, 3]) {
      var running = RunningTasks()
      let numbers = (0..<4).map { index in
        running.beginTelling(on: index == 0 ? .foreground : .background, by: ThreadID())
      }
      var left = Set(numbers)
      for index in order {
        let ended = running.endTelling(numbers[index])
        left.remove(numbers[index])
        #expect(ended.number == numbers[index])
        #expect(ended.lane == (index == 0 ? .foreground : .background))
        let found = Set(running.telling.map(\.number))
        #expect(found == left, "\(order)")
      }
    }
  }

  @Test("tasks are found by what they are")
  func found() {
    var running = RunningTasks()
    for number in 1...4 {
      running.add(work.task(UInt64(number), on: number == 2 ? .foreground : .background))
    }

    let found = running.filter { $0.lane == .background }.map(\.id)
    let hasForeground = running.contains { $0.lane == .foreground }
    let hasFifth = running.contains { $0.id == 5 }

    #expect(Set(found) == [1, 3, 4])
    #expect(hasForeground && !hasFifth)
  }

  @Test("in a random program, those run that were added and not removed", arguments: 1...10)
  func random(seed: Int) {
    var dice = Dice(seed: seed)
    var running = RunningTasks()
    var expected: [QueuedTask] = []
    for step in 0..<400 {
      if expected.isEmpty || dice.roll(5) < 3 {
        let task = work.task(UInt64(step))
        running.add(task)
        expected.append(task)
      } else {
        running.remove(expected.remove(at: dice.roll(expected.count)))
      }
      let found = numbers(running)
      let areContained = expected.allSatisfy { running.contains($0) }
      #expect(found == Set(expected.map(\.id)), "seed \(seed), step \(step)")
      #expect(areContained, "seed \(seed), step \(step)")
    }
  }

  // MARK: Flushes

  /// Calls of `flush`, the tasks that each waits for, and the tasks that end one after the other.
  struct Flushes: Sendable, CustomTestStringConvertible {
    let waits: [Set<UInt64>]
    let ends: [UInt64]
    /// The calls that go on when each of the tasks ends, by their place in `waits`.
    let goOn: [[Int]]

    init(_ waits: [Set<UInt64>], ends: [UInt64], goOn: [[Int]]) {
      (self.waits, self.ends, self.goOn) = (waits, ends, goOn)
    }

    var testDescription: String { "calls for \(waits.map { $0.sorted() }), \(ends) end" }
  }

  @Test(
    "a call of flush goes on when the last of its tasks ends, and not before",
    arguments: [
      Flushes([[1]], ends: [1], goOn: [[0]]),
      Flushes([[1]], ends: [2, 1, 1], goOn: [[], [0], []]),
      Flushes([[1, 2]], ends: [2, 2, 1], goOn: [[], [], [0]]),
      Flushes([[1, 2], [2]], ends: [2, 1], goOn: [[1], [0]]),
      Flushes([[1], [1], [1, 3]], ends: [1, 3], goOn: [[0, 1], [2]]),
      Flushes([[], [1]], ends: [4, 1], goOn: [[0], [1]]),
    ])
  func flushes(_ flushes: Flushes) {
    var running = RunningTasks()
    let resumed = Box<[Int]>([])
    for (index, numbers) in flushes.waits.enumerated() {
      running.add(
        RunningTasks.Flush(remaining: numbers) { resumed.change { $0.append(index) } })
    }
    var left = flushes.waits.count
    for (number, expected) in zip(flushes.ends, flushes.goOn) {
      let ended = running.endedFlushes(by: number)
      #expect(resumed.value == [], "the caller resumes them, when the lock is free")
      for flush in ended { flush.resume() }

      #expect(resumed.value == expected, "\(number) ended")
      resumed.value = []
      left -= expected.count
      let (count, hasFlushes) = (running.flushes.count, running.hasFlushes)
      #expect(count == left)
      #expect(hasFlushes == (left > 0))
    }
  }

  @Test("a call of flush for which nothing runs goes on although no task has ended")
  func flushOfNothing() {
    var running = RunningTasks()
    running.add(RunningTasks.Flush(remaining: []) {})
    running.add(RunningTasks.Flush(remaining: [1]) {})

    let ended = running.endedFlushes().count

    let left = running.flushes.map(\.remaining)
    #expect(ended == 1)
    #expect(left == [[1]])
  }

  // MARK: Free lists

  @Test("objects of ended tasks are used again, the last to end first, each once")
  func lastFirst() {
    var running = RunningTasks()
    for number in 1...3 { running.keep(work.task(UInt64(number))) }

    let (count, ofCallers) = (running.freeTasks.count, running.freeCallers.count)
    let taken = (0..<4).map { _ in running.takeFreeTask()?.id }

    let left = running.freeTasks.count
    #expect(taken == [3, 2, 1, nil])
    #expect([count, ofCallers, left] == [3, 0, 0])
  }

  @Test("an object of a task refers to nothing while it is free")
  func refersToNothing() throws {
    var running = RunningTasks()
    let view = work.view()
    let task = work.task(1, on: .background, view, work: .item(work.item(label: "used")))
    _ = task.release()
    task.beginWait(for: work.task(2))
    running.keep(consume task)

    let taken = running.takeFreeTask()
    let free = try #require(taken)

    #expect(free.view == nil && free.item == nil && free.waitsFor == nil && free.nextFree == nil)
  }

  @Test("the context of a caller is used for callers alone, and keeps no view")
  func callers() throws {
    var running = RunningTasks()
    weak var view: UVView?
    do {
      let made = work.view()
      view = made
      running.keep(caller: work.task(7, on: .background, made, work: .caller(nil)))
    }

    let (asTask, asCaller) = (running.takeFreeTask(), running.takeFreeCaller())
    let second = running.takeFreeCaller()

    #expect(view == nil)
    #expect(asTask == nil && asCaller?.id == 7 && second == nil)
  }

  @Test("an object that other code refers to stays what it was", arguments: [false, true])
  func stillReferredTo(isCaller: Bool) {
    var running = RunningTasks()
    let view = work.view()
    let task = work.task(1, on: .background, view, work: isCaller ? .caller(nil) : .plain {})
    let looksAtIt = task

    if isCaller { running.keep(caller: task) } else { running.keep(task) }

    let counts = [running.freeTasks.count, running.freeCallers.count]
    #expect(counts == [0, 0])
    #expect(looksAtIt.view === view)
  }

  @Test("a thousand objects are kept, and no more", arguments: [false, true])
  func most(isCaller: Bool) {
    var running = RunningTasks()
    for number in 0..<1_030 {
      if isCaller {
        running.keep(caller: work.task(UInt64(number), work: .caller(nil)))
      } else {
        running.keep(work.task(UInt64(number)))
      }
    }

    let (tasks, callers) = (running.freeTasks.count, running.freeCallers.count)
    let last = isCaller ? running.takeFreeCaller() : running.takeFreeTask()

    #expect([tasks, callers] == (isCaller ? [0, 1_024] : [1_024, 0]))
    #expect(last?.id == 1_023)
  }

  /// A release that went from each object to the next would need more stack than any thread has.
  @Test("a list that goes away releases its objects one by one, however many they are")
  func longList() {
    weak var last: QueuedTask?
    do {
      var list = FreeList()
      let first = work.task()
      last = first
      list.add(first)
      for _ in 0..<100_000 { list.add(work.task()) }
    }

    #expect(last == nil)
  }

  private func permutations(of values: [Int]) -> [[Int]] {
    if values.isEmpty { return [[]] }
    return values.flatMap { first in
      permutations(of: values.filter { $0 != first }).map { [first] + $0 }
    }
  }
}
