import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

/// A dispatcher takes an item that is submitted to it, and alone begins and ends it from then on.
@Suite("An item that a dispatcher has taken")
struct TakenItemTests {
  enum Other: String, CaseIterable {
    case task, timer, sleep, repeating, notification

    var kind: WorkItem.Kind {
      switch self {
      case .task: .task
      case .timer: .timer
      case .sleep: .sleep
      case .repeating: .repeating
      case .notification: .notification
      }
    }
  }

  private static func item(_ other: Other = .task, on queue: TaskQueue) -> WorkItem {
    let waits = other == .timer || other == .sleep || other == .repeating
    return WorkItem.make(
      kind: other.kind, queue: queue, label: "mine", site: CallSite(fileID: #fileID, line: #line),
      due: waits ? queue.dispatcher.now.advanced(by: .seconds(3_600)) : nil,
      repetition: other == .repeating ? Repetition(every: .seconds(3_600), catchUp: .once) : nil
    ) {}
  }

  private static func dispatcher(isFake: Bool) throws -> any DispatcherImplementation {
    isFake ? RecordingDispatcher() : try UVDispatcher()
  }

  private static let finished = "\"mine\" was finished by code other than the dispatcher"

  @Test("is not finished by other code while it waits", arguments: Other.allCases, [false, true])
  func finished(other: Other, isFake: Bool) async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [name = other.rawValue as String, isFake] in
      let dispatcher = try Self.dispatcher(isFake: isFake)
      let item = Self.item(Other(rawValue: name)!, on: dispatcher.foreground)
      _ = dispatcher.submit(item)
      item.finish(.cancelled)
    }
    #expect(result?.said(Self.finished) == true)
  }

  @Test("is not finished by its own body", arguments: [false, true], [false, true])
  func byItsBody(repeats: Bool, isFake: Bool) async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [repeats, isFake] in
      let fake = RecordingDispatcher()
      let dispatcher: any DispatcherImplementation = isFake ? fake : try UVDispatcher()
      let finish: @Sendable () -> Void = { TaskContext.current?.item?.finish(.completed) }
      if repeats {
        _ = dispatcher.foreground.every(.milliseconds(1), label: "mine", finish)
      } else {
        _ = dispatcher.foreground.submit(label: "mine", finish)
      }
      if isFake {
        try fake.advanceTime(by: .milliseconds(1))
      } else {
        blocking { _ = (dispatcher as? UVDispatcher)?.run() }
      }
    }
    #expect(result?.said(Self.finished) == true)
  }

  @Test("is not finished by the handler of an event that it calls")
  func byAHandler() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let dispatcher = try UVDispatcher()
      let pipe = Pipe()
      pipe.write()
      try dispatcher.onReady(pipe.readEnd, for: .readable, label: "mine") { _ in
        TaskContext.current?.item?.finish(.completed)
      }
      blocking { _ = dispatcher.run() }
    }
    #expect(result?.said(Self.finished) == true)
  }

  @Test("is not cancelled by another dispatcher while it runs", arguments: [false, true])
  func whileItRuns(isFake: Bool) async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [isFake] in
      let other = try Self.dispatcher(isFake: isFake)
      let dispatcher = try UVDispatcher()
      _ = dispatcher.foreground.submit(label: "mine") {
        if let item = TaskContext.current?.item { _ = other.cancel(item) }
      }
      blocking { dispatcher.runUntilIdle() }
    }
    #expect(result?.said("\"mine\" was submitted to another dispatcher") == true)
  }

  @Test("has nothing to say to other code once it has ended", arguments: [false, true])
  func ended(isFake: Bool) throws {
    let dispatcher = try Self.dispatcher(isFake: isFake)
    let item = Self.item(on: dispatcher.foreground)
    _ = dispatcher.submit(item)
    #expect(dispatcher.cancel(item) == .beforeStart)

    #expect(!item.finish(.expired))

    #expect(dispatcher.ledger.cancelled == 1)
  }

  @Test(
    "is not what an item becomes that has ended before: nothing of it is counted",
    arguments: [Outcome.cancelled, .expired, .refused(.limitReached)])
  func endedBefore(outcome: Outcome) throws {
    let closed = try UVDispatcher()
    closed.beginShutdown(.init(drain: .zero, cancel: .zero))
    let dispatchers: [any DispatcherImplementation] = [
      try UVDispatcher(), try UVDispatcher(.init(overflow: .reject(limit: 1))), closed,
      RecordingDispatcher(), RecordingDispatcher(.init(policy: .inline)),
    ]
    for dispatcher in dispatchers {
      let item = Self.item(on: dispatcher.foreground)
      #expect(item.finish(outcome))
      let isRefused = if case .refused = outcome { true } else { false }

      for _ in 0..<2 {
        #expect(dispatcher.submit(item) == (isRefused ? .refused(.limitReached) : .accepted))
        dispatcher.submitWhenRoom(item)
      }

      #expect(dispatcher.ledger == Ledger())
    }
  }

  @Test("does not begin for other code, which is told so", arguments: [false, true])
  func begun(isFake: Bool) throws {
    let dispatcher = try Self.dispatcher(isFake: isFake)
    let item = Self.item(on: dispatcher.foreground)
    _ = dispatcher.submit(item)

    #expect(!item.begin())

    #expect(dispatcher.cancel(item) == .beforeStart)
    #expect(item.outcome.map { "\($0)" } == "\(Outcome.cancelled)")
  }

  @Test("is not what another dispatcher's item becomes that has begun, which goes on there")
  func begunElsewhere() throws {
    let dispatcher = try UVDispatcher()
    let item = Self.item(on: dispatcher.foreground)
    #expect(item.begin())

    #expect(dispatcher.submit(item).isAccepted)

    #expect(item.finish(item.run()))
    #expect(dispatcher.ledger == Ledger())
  }

  @Test("asks nothing of another dispatcher once it has ended")
  func endedElsewhere() throws {
    let fake = RecordingDispatcher()
    let dispatchers: [any DispatcherImplementation] = [try UVDispatcher(), RecordingDispatcher()]
    let item = Self.item(on: fake.foreground)
    _ = fake.submit(item)
    try fake.runUntilIdle()
    for dispatcher in dispatchers {
      #expect(dispatcher.cancel(item) == .tooLate)
      try dispatcher.wait(for: .item(item), timeout: nil)
    }
  }

  @Test("is the one that two threads submit at once: it runs once, and counts once")
  func twoThreads() throws {
    let dispatcher = try UVDispatcher()
    let runs = Box(0)
    for _ in 0..<200 {
      for kind in [WorkItem.Kind.task, .timer] {
        let item = WorkItem.make(
          kind: kind, queue: dispatcher.background, label: nil,
          site: CallSite(fileID: #fileID, line: #line),
          due: kind == .timer ? dispatcher.now : nil
        ) { runs.increment() }
        let (ready, other) = (Latch(2), Box<Admission?>(nil))
        let thread = OtherThread {
          ready.open()
          _ = ready.wait(patience)
          other.value = dispatcher.submit(item)
        }
        ready.open()
        _ = ready.wait(patience)
        #expect(dispatcher.submit(item).isAccepted)
        #expect(thread.join())
        #expect(other.value?.isAccepted == true)
      }
    }
    dispatcher.runUntilIdle()

    #expect(runs.value == 400)
    #expect(dispatcher.ledger.completed == 400)
    #expect(dispatcher.ledger.balances)
  }

  @Test("is taken by one of two threads that go through the same items")
  func takenOnce() {
    let queue = RecordingDispatcher().foreground
    let (taken, ready) = (Box(0), Box(0))
    for round in 1...50 {
      let items = (0..<1_000).map { _ in Self.item(on: queue) }
      let takeAll: @Sendable () -> Void = {
        ready.increment()
        while ready.value < 2 * round {}
        let mine = items.count { $0.take() != nil }
        taken.change { $0 += mine }
      }
      let other = OtherThread(takeAll)
      takeAll()
      #expect(other.join())
    }

    #expect(taken.value == 50_000)
  }

  @Test("is not touched by another thread that submits it again while the fake steps")
  func againWhileStepping() throws {
    let fake = RecordingDispatcher()
    let runs = Box(0)
    for _ in 0..<20 {
      let item = WorkItem.make(
        kind: .timer, queue: fake.foreground, label: nil,
        site: CallSite(fileID: #fileID, line: #line),
        due: fake.now.advanced(by: .milliseconds(1))
      ) { runs.increment() }
      _ = fake.submit(item)
      let begun = Latch()
      let thread = OtherThread {
        begun.open()
        for _ in 0..<100 { _ = fake.submit(item) }
      }
      #expect(begun.wait(patience))
      try fake.advanceTime(by: .milliseconds(1))
      #expect(thread.join())
    }

    #expect(runs.value == 20)
    #expect(fake.ledger.submitted == 20)
  }

  // MARK: Another dispatcher

  enum Call: String, CaseIterable { case submit, post, sync, flush, suspend, cancel, wait }

  @Test(
    "or a queue of its dispatcher, is not taken for one of another dispatcher",
    arguments: Call.allCases, [false, true])
  func elsewhere(call: Call, isFake: Bool) async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [name = call.rawValue as String, isFake] in
      let mine = try Self.dispatcher(isFake: isFake)
      let other = try Self.dispatcher(isFake: isFake)
      let view = mine.makeQueue(label: "view", width: 1)
      view.suspend()
      let item = Self.item(on: view)
      let call = Call(rawValue: name)!
      if call == .cancel || call == .wait { _ = mine.submit(item) }
      // Else the cancellation would find nothing at the place of the item.
      let behind = other.makeQueue(label: "other", width: 1)
      behind.suspend()
      _ = other.submit(Self.item(on: behind))
      switch call {
      case .submit: _ = other.submit(item)
      case .post: _ = other.post({}, on: view, at: CallSite(fileID: #fileID, line: #line))
      case .sync: try other.sync(on: view, at: CallSite(fileID: #fileID, line: #line)) {}
      case .flush: await other.flush(view)
      case .suspend: other.suspend(view)
      case .cancel: _ = other.cancel(item)
      case .wait: try other.wait(for: .item(item), timeout: nil)
      }
    }
    let belongs = "belongs to another dispatcher"
    let said = call == .cancel || call == .wait ? "was submitted to another dispatcher" : belongs
    #expect(result?.said(said) == true)
  }
}
