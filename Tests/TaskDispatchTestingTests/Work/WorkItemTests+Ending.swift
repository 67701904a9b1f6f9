import Glibc
import TaskDispatchTesting
import Testing

@testable import TaskDispatch

extension WorkItemTests {
  // MARK: What its body leaves behind

  @Test("gives its value to every caller that asks, and lets go of it at the end")
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

  @Test("is not cancelled by a dispatcher while other code runs it")
  func begunByOthers() {
    let item = WorkItem.make(
      kind: .task, queue: dispatcher.background, label: nil, site: .here()
    ) {}
    #expect(item.begin())

    #expect(dispatcher.cancel(item) == .tooLate)

    #expect(!item.isCancellationRequested)
    item.finish(.completed)
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
        // A dispatcher may give the outcome without running the body.
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
        // The outcome is kept, however often the test asks for it.
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

  // MARK: Watching it

  @Test("tells its observers once each, in the order in which they came")
  func tells() {
    let (one, other) = (
      WorkItem.make(kind: .task, queue: dispatcher.background, label: nil, site: .here()) {},
      WorkItem.make(kind: .task, queue: dispatcher.background, label: nil, site: .here()) {}
    )
    let calls = Log()
    for number in 0..<3 {
      one.whenFinished { calls.note("one \(number) \($0)") }
      other.whenFinished { calls.note("other \(number) \($0)") }
    }
    one.finish(.cancelled)
    #expect(calls.all == (0..<3).map { "one \($0) \(Outcome.cancelled)" })

    one.whenFinished { calls.note("late \($0)") }
    other.finish(.expired)

    #expect(calls.all.count == 7)
    #expect(calls.all[3] == "late \(Outcome.cancelled)")
    #expect(calls.all.last == "other 2 \(Outcome.expired)")
  }

  @Test("that ends without an outcome leaves none of its observers to the next at its place")
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
      // If the next item gets that address, it gets that lock too.
      let next = WorkItem.make(
        kind: .task, queue: dispatcher.background, label: nil, site: .here()
      ) {}
      #expect(ItemLock.withLock(of: next) { $0[ObjectIdentifier(next)] } == nil)
    }
  }

  @Test("lets its observers observe, end and drop others, which may have its lock")
  func watchesOthers() {
    func anItem() -> WorkItem {
      WorkItem.make(kind: .task, queue: dispatcher.background, label: nil, site: .here()) {}
    }
    let item = anItem()
    let ended = (0..<200).map { _ in anItem() }
    let dropped = Slot<[WorkItem]>()
    dropped.value = (0..<200).map { _ in anItem() }
    let calls = Log()
    item.whenFinished { _ in
      for other in ended { other.whenFinished { calls.note("\($0)") } }
      for other in ended { other.finish(.expired) }
      for other in dropped.value ?? [] { other.whenFinished { _ in calls.note("dropped") } }
      dropped.value = nil
    }

    item.finish(.cancelled)

    #expect(calls.all == Array(repeating: "\(Outcome.expired)", count: 200))
    for other in ended {
      #expect(ItemLock.withLock(of: other) { $0[ObjectIdentifier(other)] } == nil)
    }
  }

  // In a process of its own: elsewhere, other tests watch items at the same time.
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

  private func value<Value>(of handle: TaskHandle<Value>) throws -> Value {
    guard handle.outcomeIfFinished == .completed else { throw TestFailed("it has not completed") }
    return handle.item.value
  }
}

private struct TestFailed: Error {
  init(_ reason: String) { Issue.record("\(reason)") }
}
