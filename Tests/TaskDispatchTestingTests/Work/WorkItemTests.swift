import Glibc
import Testing

@testable import TaskDispatch
@testable import TaskDispatchTesting

@Suite("A work item")
struct WorkItemTests {
  private let dispatcher = RecordingDispatcher()

  /// What may be given to an item, each of them or not.
  struct Given: CustomTestStringConvertible {
    let bits: Int

    var hasView: Bool { bits & 1 != 0 }
    var group: WorkGroup? { bits & 2 != 0 ? WorkGroup() : nil }
    var label: String? { bits & 4 != 0 ? "a label that is no small string" : nil }
    var due: DispatcherInstant? { bits & 8 != 0 ? .start.advanced(by: .seconds(1)) : nil }
    var timeToLive: Duration? { bits & 16 != 0 ? .seconds(2) : nil }
    var tolerance: Duration { bits & 32 != 0 ? .seconds(3) : .zero }
    var repetition: Repetition? {
      bits & 64 != 0 ? Repetition(every: .seconds(4), catchUp: .all) : nil
    }
    var isBarrier: Bool { bits & 128 != 0 }

    var testDescription: String { "\(bits)" }
    static let all = (0..<256).map { Given(bits: $0) }
  }

  private func queue(_ given: Given) -> TaskQueue {
    let queue =
      given.hasView ? dispatcher.makeQueue(label: "view", width: 1) : dispatcher.background
    return given.isBarrier ? queue.barrier : queue
  }

  @Test("says what it was made with, whatever that is", arguments: Given.all)
  func keeps(given: Given) {
    let (queue, group) = (queue(given), given.group)
    let site = CallSite(fileID: #fileID, line: 7, band: .high)
    let item = WorkItem.make(
      kind: .timer, queue: queue, label: given.label, site: site, due: given.due,
      tolerance: given.tolerance, repetition: given.repetition, timeToLive: given.timeToLive,
      atShutdown: .skip, group: group
    ) {}

    #expect(item.kind == .timer)
    #expect(item.lane == .background)
    #expect(item.view === queue.view)
    #expect(item.isBarrier == given.isBarrier)
    #expect(item.label == given.label)
    #expect(item.site == site)
    #expect(item.due == given.due)
    #expect(item.tolerance == given.tolerance)
    #expect(item.repetition == given.repetition)
    #expect(item.timeToLive == given.timeToLive)
    #expect(item.atShutdown == .skip)
    #expect(item.group === group)
    #expect((group?.count ?? 1) == 1)
    #expect(bytes(of: item) <= Self.mostBytes)

    item.finish(.cancelled)

    #expect((group?.count ?? 0) == 0)
  }

  @Test("that makes a value says the same", arguments: Given.all.prefix(32))
  func keepsOfValues(given: Given) {
    let (queue, group) = (queue(given), given.group)
    let item = ValueItem(
      kind: .task, queue: queue, label: given.label, site: .here(), timeToLive: given.timeToLive,
      group: group
    ) { 7 }

    #expect(item.view === queue.view)
    #expect(item.label == given.label)
    #expect(item.timeToLive == given.timeToLive)
    #expect(item.group === group)
    #expect(item.due == nil && item.repetition == nil && item.tolerance == .zero)
    #expect((group?.count ?? 1) == 1)
    #expect(bytes(of: item) <= Self.mostBytes)

    #expect(item.begin())
    item.finish(item.run())

    #expect(item.value == 7)
    #expect((group?.count ?? 0) == 0)
  }

  @Test("says of a negative time to live, and of a negative tolerance, that it is zero")
  func clamps() {
    let item = WorkItem.make(
      kind: .task, queue: dispatcher.background, label: nil, site: .here(),
      tolerance: .seconds(-1), timeToLive: .seconds(-1)
    ) {}

    #expect(item.timeToLive == .zero)
    #expect(item.tolerance == .zero)
    item.finish(.cancelled)
  }

  @Test("that is a run of a timer has of it what concerns a run", arguments: Given.all)
  func runs(given: Given) {
    let queue = queue(given)
    let ran = Log()
    let timer = WorkItem.make(
      kind: .repeating, queue: queue, label: given.label, site: .here(), due: given.due,
      repetition: Repetition(every: .seconds(1), catchUp: .all)
    ) { ran.note("ran") }

    let runs = [WorkItem.run(of: timer), WorkItem.run(of: timer)]

    for run in runs {
      #expect(run.kind == .timer)
      #expect(run.view === queue.view)
      #expect(run.label == given.label)
      #expect(run.site == timer.site)
      #expect(run.isBarrier == given.isBarrier)
      #expect(run.due == nil && run.repetition == nil && run.timeToLive == nil && run.group == nil)
      #expect(run.begin())
      #expect(run.finish(run.run()))
    }
    #expect(ran.all == ["ran", "ran"])
    timer.finish(.cancelled)
  }

  @Test("that does not repeat has no runs")
  func runsOfNothing() async {
    await #expect(processExitsWith: .failure) {
      let queue = RecordingDispatcher().foreground
      _ = WorkItem.run(of: WorkItem.make(kind: .timer, queue: queue, label: nil, site: .here()) {})
    }
  }

  // MARK: What its body leaves behind

  @Test("gives its value to everybody who asks, and lets go of it at the end")
  func values() throws {
    final class Made: Sendable {}
    weak var held: Made?
    do {
      let handle = dispatcher.background.submit { Made() }
      try dispatcher.runUntilIdle()
      held = try value(of: handle)
      #expect(try value(of: handle) === held)
      #expect(held != nil)
    }
    #expect(held == nil)

    let nothing = dispatcher.background.submit { () -> Int? in nil }
    let some = dispatcher.background.submit { () -> Int? in 1 }
    try dispatcher.runUntilIdle()
    #expect(try value(of: nothing) == nil)
    #expect(try value(of: some) == 1)
  }

  @Test("gives away its value once")
  func takesValue() {
    final class Made {}
    let item = ValueItem(kind: .task, queue: dispatcher.background, label: nil, site: .here()) {
      Made()
    }
    #expect(item.begin())
    item.finish(item.run())

    var made: Made? = item.takeValue()
    weak let held = made
    #expect(held != nil)
    made = nil

    #expect(held == nil)
  }

  @Test("lets go of its body when that has run, and of one that never will", arguments: [0, 1, 2])
  func bodies(ending: Int) {
    final class Captured: Sendable {}
    for makesValue in [false, true] {
      var captured: Captured? = Captured()
      weak let held = captured
      let item =
        makesValue
        ? ValueItem(kind: .task, queue: dispatcher.background, label: nil, site: .here()) {
          [captured] in withExtendedLifetime(captured) { 1 }
        }
        : WorkItem.make(kind: .task, queue: dispatcher.background, label: nil, site: .here()) {
          [captured] in withExtendedLifetime(captured) {}
        }
      captured = nil
      #expect(held != nil)

      switch ending {
      case 0: item.finish(.cancelled)
      case 1:
        #expect(item.begin())
        item.finish(item.run())
      default:
        // By a dispatcher that has not run it.
        #expect(item.begin())
        item.finish(.completed)
      }

      #expect(held == nil)
      #expect(item.outcome == (ending == 0 ? .cancelled : .completed))
    }
  }

  @Test("whose body was not run has no value, and does not run it for one")
  func unmade() async {
    await #expect(processExitsWith: .failure) {
      let item = ValueItem(
        kind: .task, queue: RecordingDispatcher().background, label: nil, site: .here()
      ) { exit(0) }
      _ = item.begin()
      item.finish(.completed)
      _ = item.value
    }
  }

  @Test("knows every outcome that it was given")
  func outcomes() {
    struct Torn: Error {}
    let refusals = Refusal.allCases.map { Outcome.refused($0) }
    for outcome in refusals + [.completed, .failed(Torn()), .cancelled, .expired, .abandoned] {
      for makesValue in [false, true] {
        let item =
          makesValue
          ? ValueItem(kind: .task, queue: dispatcher.background, label: nil, site: .here()) { 1 }
          : WorkItem.make(kind: .task, queue: dispatcher.background, label: nil, site: .here()) {}
        #expect(item.outcome == nil)
        switch outcome {
        case .completed, .failed, .abandoned: #expect(item.begin())
        case .cancelled, .expired, .refused: break
        }
        #expect(item.finish(outcome))

        #expect(item.outcome == outcome)
        // It is kept, however often it is asked for.
        #expect(item.outcome == outcome)
      }
    }
  }

  @Test("keeps the very error that its body threw", arguments: [false, true])
  func errors(makesValue: Bool) throws {
    final class Torn: Error {}
    var torn: Torn? = Torn()
    weak let held = torn
    do {
      let item =
        makesValue
        ? ValueItem(kind: .task, queue: dispatcher.background, label: nil, site: .here()) {
          [torn] () throws -> Int in throw torn!
        }
        : WorkItem.make(kind: .task, queue: dispatcher.background, label: nil, site: .here()) {
          [torn] in throw torn!
        }
      torn = nil
      #expect(item.begin())
      item.finish(item.run())
      guard case .failed(let error) = item.outcome else { throw TestFailed("it did not fail") }
      #expect(error as? Torn === held)
      #expect(held != nil)
    }
    #expect(held == nil)
  }

  // MARK: Who watches it

  @Test("tells those who watch it once, in the order in which they came")
  func tells() {
    let (one, other) = (
      WorkItem.make(kind: .task, queue: dispatcher.background, label: nil, site: .here()) {},
      WorkItem.make(kind: .task, queue: dispatcher.background, label: nil, site: .here()) {}
    )
    let told = Log()
    for number in 0..<3 {
      one.whenFinished { told.note("one \(number) \($0)") }
      other.whenFinished { told.note("other \(number) \($0)") }
    }
    one.finish(.cancelled)
    #expect(told.all == (0..<3).map { "one \($0) \(Outcome.cancelled)" })

    one.whenFinished { told.note("late \($0)") }
    other.finish(.expired)

    #expect(told.all.count == 7)
    #expect(told.all[3] == "late \(Outcome.cancelled)")
    #expect(told.all.last == "other 2 \(Outcome.expired)")
  }

  @Test("that ends without an outcome leaves nobody who watched it to the next at its place")
  func unwatched() {
    final class Watcher: Sendable {}
    for _ in 0..<100 {
      weak var held: Watcher?
      var name: ObjectIdentifier?
      do {
        let item = WorkItem.make(
          kind: .task, queue: dispatcher.background, label: nil, site: .here()
        ) {}
        let watcher = Watcher()
        held = watcher
        item.whenFinished { _ in withExtendedLifetime(watcher) {} }
        name = ObjectIdentifier(item)
        #expect(ItemLock.withLock(of: item) { $0[name!]?.count } == 1)
      }
      #expect(held == nil)
      // It has the lock of that address, if it gets it.
      let next = WorkItem.make(
        kind: .task, queue: dispatcher.background, label: nil, site: .here()
      ) {}
      #expect(ItemLock.withLock(of: next) { $0[ObjectIdentifier(next)] } == nil)
    }
  }

  @Test("lets those who watch it watch, end and drop others, which may have its lock")
  func watchesOthers() {
    func anItem() -> WorkItem {
      WorkItem.make(kind: .task, queue: dispatcher.background, label: nil, site: .here()) {}
    }
    let item = anItem()
    let ended = (0..<200).map { _ in anItem() }
    let dropped = Slot<[WorkItem]>()
    dropped.value = (0..<200).map { _ in anItem() }
    let told = Log()
    item.whenFinished { _ in
      for other in ended { other.whenFinished { told.note("\($0)") } }
      for other in ended { other.finish(.expired) }
      for other in dropped.value ?? [] { other.whenFinished { _ in told.note("dropped") } }
      dropped.value = nil
    }

    item.finish(.cancelled)

    #expect(told.all == Array(repeating: "\(Outcome.expired)", count: 200))
    for other in ended {
      #expect(ItemLock.withLock(of: other) { $0[ObjectIdentifier(other)] } == nil)
    }
  }

  // In a process of its own: elsewhere, others are watched at the same time.
  @Test("leaves no large table behind when many were watched at a time")
  func tables() async {
    await #expect(processExitsWith: .success) {
      let queue = RecordingDispatcher().background
      let items = (0..<20_000).map { _ in
        WorkItem.make(kind: .task, queue: queue, label: nil, site: .here()) {}
      }
      for item in items { item.whenFinished { _ in } }
      #expect(ItemLock.withLock(of: items[0]) { $0.capacity } > WorkItem.fewObservers)

      for item in items { item.finish(.cancelled) }

      for item in items {
        #expect(ItemLock.withLock(of: item) { $0.capacity } <= WorkItem.fewObservers)
      }
    }
  }

  // MARK: How large it is

  /// What `malloc` hands over without a lock: see what is said of it at the fields of an item.
  private static var mostBytes: Int { 120 }

  private func bytes(of object: AnyObject) -> Int {
    // Found at run time, since Glibc's module does not declare it.
    typealias Ask = @convention(c) (UnsafeRawPointer) -> Int
    let ask = unsafe unsafeBitCast(dlsym(nil, "malloc_usable_size"), to: Ask.self)
    return unsafe ask(Unmanaged.passUnretained(object).toOpaque())
  }

  @Test("is no larger than what a thread can free without a lock, and so is what it has beside it")
  func isSmall() {
    let view = dispatcher.makeQueue(label: "view", width: 1)
    let full = WorkItem.make(
      kind: .repeating, queue: view, label: "all", site: .here(), due: .start,
      tolerance: .seconds(1), repetition: Repetition(every: .seconds(1), catchUp: .all),
      timeToLive: .seconds(1), group: WorkGroup()
    ) {}
    guard case .extras(let extras) = full.more else {
      Issue.record("it has no extras")
      return
    }
    #expect(bytes(of: extras) <= Self.mostBytes)
    full.finish(.cancelled)
  }

  private func value<Value>(of handle: TaskHandle<Value>) throws -> Value {
    guard handle.outcomeIfFinished == .completed else { throw TestFailed("it has not completed") }
    return handle.item.value
  }
}

private struct TestFailed: Error {
  init(_ reason: String) { Issue.record("\(reason)") }
}

extension CallSite {
  fileprivate static func here(
    _ fileID: StaticString = #fileID, _ line: UInt = #line
  ) -> CallSite { CallSite(fileID: fileID, line: line) }
}
