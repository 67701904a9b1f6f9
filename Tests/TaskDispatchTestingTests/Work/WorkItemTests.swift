import Glibc
import TaskDispatchTesting
import Testing

@testable import TaskDispatch

@Suite("A work item")
struct WorkItemTests {
  let dispatcher = RecordingDispatcher()

  /// The options that an item may have, each of them given or not.
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
    /// A repeating item always has a first time.
    static let all = (0..<256).map { Given(bits: $0) }.filter {
      $0.repetition == nil || $0.due != nil
    }
  }

  private func queue(_ given: Given) -> TaskQueue {
    let queue =
      given.hasView ? dispatcher.makeQueue(label: "view", width: 1) : dispatcher.background
    return given.isBarrier ? queue.barrier : queue
  }

  @Test("says what it was made with, whatever that is", arguments: Given.all)
  func keeps(given: Given) {
    let (queue, group) = (queue(given), given.group)
    let site = CallSite(fileID: #fileID, line: 7)
    let item = WorkItem.make(
      kind: .timer, queue: queue, label: given.label, site: site, band: .high, due: given.due,
      tolerance: given.tolerance, repetition: given.repetition, timeToLive: given.timeToLive,
      atShutdown: .skip, group: group
    ) {}

    #expect(item.kind == .timer)
    #expect(item.lane == .background)
    #expect(item.view === queue.view)
    #expect(item.isBarrier == given.isBarrier)
    #expect(item.label == given.label)
    #expect(item.site == site)
    #expect(item.band == .high)
    #expect(item.due == given.due)
    #expect(item.tolerance == given.tolerance)
    #expect(item.repetition == given.repetition)
    #expect(item.timeToLive == given.timeToLive)
    #expect(item.atShutdown == .skip)
    #expect(item.group === group)
    #expect((group?.count ?? 1) == 1)
    // A repeating timer is one object for all its runs, and may be larger.
    if given.repetition == nil { #expect(bytes(of: item) <= Self.mostBytes) }

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
  func runs(given: Given) throws {
    let queue = queue(given)
    let ran = Log()
    let timer = WorkItem.make(
      kind: .repeating, queue: queue, label: given.label, site: .here(),
      due: given.due ?? .start, repetition: Repetition(every: .seconds(1), catchUp: .all)
    ) { ran.note("ran") }

    for _ in 0..<2 {
      let repeating = try #require(timer as? RepeatingItem)
      let run = repeating.makeRun()
      #expect(timer.next === run && run.handled === timer)
      #expect(run.kind == .timer)
      #expect(run.view === queue.view)
      #expect(run.label == given.label)
      #expect(run.site == timer.site)
      #expect(run.isBarrier == given.isBarrier)
      #expect(run.due == nil && run.repetition == nil && run.timeToLive == nil && run.group == nil)
      #expect(run.beginIfItWaits())
      #expect(bytes(of: run) <= Self.mostBytes)
      #expect(run.finishTaken(run.run()))
      repeating.letGoOfRun()
    }
    #expect(timer.next === timer)
    #expect(ran.all == ["ran", "ran"])
    timer.finish(.cancelled)
  }

  @Test("that repeats has one run at a time, and none once it has ended")
  func oneRun() async {
    await #expect(processExitsWith: .failure) { secondRun(afterTheEnd: false) }
    await #expect(processExitsWith: .failure) { secondRun(afterTheEnd: true) }
  }

  // MARK: How large it is

  /// The largest size that `malloc` hands out without a lock. The comment at the fields of an item says more.
  private static var mostBytes: Int { 120 }

  private func bytes(of object: AnyObject) -> Int {
    // Looked up at run time, since Glibc's module does not declare it.
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

}

extension CallSite {
  static func here(
    _ fileID: StaticString = #fileID, _ line: UInt = #line
  ) -> CallSite { CallSite(fileID: fileID, line: line) }
}

private func secondRun(afterTheEnd: Bool) {
  let timer = WorkItem.make(
    kind: .repeating, queue: RecordingDispatcher().foreground, label: nil, site: .here(),
    due: .start, repetition: Repetition(every: .seconds(1), catchUp: .all)
  ) {}
  if afterTheEnd {
    timer.finish(.cancelled)
  } else {
    _ = (timer as? RepeatingItem)?.makeRun()
  }
  _ = (timer as? RepeatingItem)?.makeRun()
}
