import Synchronization
import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("watchStalls, without an observer")
  struct WatchStallsTests {
    /// Collects reports, and opens a gate for the bodies when as many have come as are wanted.
    private final class Reports: Sendable {
      let all = Box([Stall]())
      let enough: Latch

      init(_ count: Int) { enough = Latch(count) }

      func note(_ stall: Stall) {
        all.change { $0.append(stall) }
        enough.open()
      }

      func hold() { enough.hold(patience) }
    }

    private static func dispatcher(_ milliseconds: Int, label: String = "uv") throws -> UVDispatcher
    {
      try UVDispatcher(.init(label: label, stallThresholds: .init(.milliseconds(milliseconds))))
    }

    @Test(
      "tells of a body of every kind of queue, again at each doubling, and at its end with the total",
      arguments: ["loop", "workers", "queue", "item", "sync", "sync on the loop", "barrier"])
    func everyKind(kind: String) throws {
      let dispatcher = try Self.dispatcher(10)
      let reports = Reports(3)
      try dispatcher.watchStalls { reports.note($0) }
      let queue = dispatcher.makeQueue(label: "serial", width: 1)
      let thread = Box(0)
      let stuck = { @Sendable in
        thread.value = Int(TaskContext.callingThread.number)
        reports.hold()
      }
      try dispatcher.start()
      let line = #line + 3
      switch kind {
      case "loop":
        dispatcher.foreground.async(label: "stuck", stuck)
      case "workers": dispatcher.background.async(label: "stuck", stuck)
      case "queue": queue.async(label: "stuck", stuck)
      case "item": queue.submit(label: "stuck", stuck)
      case "barrier": queue.barrier.async(label: "stuck", stuck)
      case "sync": try queue.sync { stuck() }
      default: try dispatcher.foreground.sync { stuck() }
      }
      #expect(reports.enough.wait(patience))
      dispatcher.waitForReports()
      dispatcher.end()

      let stalls = reports.all.value
      #expect(stalls.count >= 4)
      #expect(stalls.map(\.isOver) == Array(repeating: false, count: stalls.count - 1) + [true])
      for (number, stall) in stalls.enumerated() {
        let task = try #require(stall.task)
        #expect(task.label == (kind.hasPrefix("sync") ? nil : "stuck"))
        #expect(stall.lane == (kind.contains("loop") ? .foreground : .background))
        #expect(stall.thread.id == thread.value)
        if !stall.isOver { #expect(stall.duration >= .milliseconds(10 << number)) }
        if kind == "loop" { #expect(task.site.line == line) }
      }
      #expect(zip(stalls, stalls.dropFirst()).allSatisfy { $0.duration <= $1.duration })
      #expect(Set(stalls.map { $0.task!.id }).count == 1)
    }

    @Test("names the thread, and says in one line what keeps it, for how long and from where")
    func text() throws {
      let dispatcher = try Self.dispatcher(10, label: "spoold")
      let reports = Reports(1)
      try dispatcher.watchStalls { reports.note($0) }
      let line = #line + 1
      dispatcher.background.async(label: "thumbnail") { reports.hold() }
      #expect(reports.enough.wait(patience))
      dispatcher.runUntilIdle()
      dispatcher.waitForReports()

      let first = try #require(reports.all.value.first)
      #expect(first.thread.name == "spoold worker")
      let site = "UVDispatchTests/WatchStallsTests.swift:\(line)"
      #expect(
        first.description == """
          "thumbnail" has kept a worker for \(first.duration.shortText): thread \(first.thread.id) \
          "spoold worker"; #1 "thumbnail" on background, from \(site)
          """)
      let last = try #require(reports.all.value.last)
      #expect(last.description.hasPrefix("\"thumbnail\" let a worker go after "))
    }

    @Test("tells of callbacks that keep a thread after the end of a task", arguments: Lane.allCases)
    func callbacks(lane: Lane) throws {
      let dispatcher = try Self.dispatcher(10)
      let reports = Reports(2)
      try dispatcher.watchStalls { reports.note($0) }
      try dispatcher.start()
      let group = WorkGroup()
      let queue = lane == .foreground ? dispatcher.foreground : dispatcher.background
      let gate = Latch()
      queue.async(group: group) { gate.hold(patience) }
      group.whenEmpty { reports.hold() }
      gate.open()
      #expect(reports.enough.wait(patience))
      dispatcher.waitForReports()
      dispatcher.end()

      let stalls = reports.all.value
      #expect(stalls.allSatisfy { $0.task == nil && $0.lane == lane })
      #expect(stalls.count { $0.isOver } == 1 && stalls.last!.isOver)
      let place = lane == .foreground ? "the loop" : "a worker"
      #expect(stalls[0].description.hasPrefix("callbacks have kept \(place) for "))
    }

    @Test("looks at callbacks after a body that it has known for long")
    func callbacksAfterKnownBody() throws {
      let dispatcher = try UVDispatcher(.init(stallThresholds: .init(.seconds(3600))))
      try dispatcher.watchStalls { _ in }
      let (group, bodyGate, callbackGate) = (WorkGroup(), Latch(), Latch())
      dispatcher.waitUntil { $0.stalls.isParked }
      dispatcher.background.async(group: group) { bodyGate.hold(patience) }
      group.whenEmpty { callbackGate.hold(patience) }
      dispatcher.waitUntil { core in
        core.running.all.first.map { core.stalls.since(.task($0.id)) != nil } ?? false
      }
      // As if half an hour had passed: the watchdog knows the body, and parks.
      dispatcher.watchdog.wake()
      dispatcher.waitUntil { $0.stalls.isParked }

      bodyGate.open()
      dispatcher.waitUntil { !$0.stalls.isParked && !$0.running.telling.isEmpty }
      callbackGate.open()
      dispatcher.runUntilIdle()
    }

    @Test("tells of the end also if bodies start all the time, so that the watchdog never parks")
    func neverParked() throws {
      let dispatcher = try Self.dispatcher(10)
      let reports = Reports(1)
      try dispatcher.watchStalls { reports.note($0) }
      try dispatcher.start()
      let isOver = Box(false)
      @Sendable func again() { if !isOver.value { dispatcher.foreground { again() } } }
      again()
      dispatcher.background.async(label: "stuck") { reports.hold() }
      #expect(reports.enough.wait(patience))
      dispatcher.waitUntil { $0.stalls.toldCount == 0 && $0.stalls.ended.isEmpty }
      isOver.value = true
      dispatcher.waitForReports()
      dispatcher.end()
      #expect(reports.all.value.last?.isOver == true)
    }

    @Test("looks at a body behind one that it has known for long")
    func bodyBehindKnownBody() throws {
      let dispatcher = try UVDispatcher(
        .init(backgroundWidth: 1, stallThresholds: .init(.seconds(3600))))
      try dispatcher.watchStalls { _ in }
      let gates = [Latch(), Latch()]
      dispatcher.waitUntil { $0.stalls.isParked }
      for gate in gates { dispatcher.background { gate.hold(patience) } }
      dispatcher.waitUntil { core in
        core.running.all.first.map { core.stalls.since(.task($0.id)) != nil } ?? false
      }
      dispatcher.watchdog.wake()
      dispatcher.waitUntil { $0.stalls.isParked }

      gates[0].open()
      dispatcher.waitUntil { !$0.stalls.isParked && $0.accounts.ledger.completed == 1 }
      gates[1].open()
      dispatcher.runUntilIdle()
    }

    @Test("serves every receiver, and an observer besides")
    func receivers() throws {
      let (first, second) = (Reports(1), Reports(1))
      let observer = Counting()
      let dispatcher = try UVDispatcher(
        .init(stallThresholds: .init(.milliseconds(10)), observer: observer))
      try dispatcher.watchStalls { first.note($0) }
      try dispatcher.watchStalls { second.note($0) }
      dispatcher.background {
        first.hold()
        second.hold()
      }
      #expect(first.enough.wait(patience) && second.enough.wait(patience))
      dispatcher.runUntilIdle()
      dispatcher.waitForReports()
      #expect(observer.stalls.value >= 1)
      #expect(first.all.value.map(\.isOver) == second.all.value.map(\.isOver))
    }

    @Test("releases its receivers with the dispatcher")
    func released() throws {
      weak var weakReports: Reports?
      do {
        let reports = Reports(1)
        weakReports = reports
        let dispatcher = try Self.dispatcher(1000)
        try dispatcher.watchStalls { reports.note($0) }
        dispatcher.background {}
        dispatcher.runUntilIdle()
      }
      let end = ContinuousClock.now + patience
      // The watching thread may hold the dispatcher for a moment.
      while weakReports != nil, ContinuousClock.now < end { giveWay() }
      #expect(weakReports == nil)
    }

    @Test("a receiver may submit, sync, and drop the dispatcher")
    func misbehaving() throws {
      let done = Latch()
      let held = Box<UVDispatcher?>(try Self.dispatcher(10))
      let dispatcher = held.value!
      let queue = dispatcher.makeQueue(label: "other", width: 1)
      let gate = Latch()
      try dispatcher.watchStalls { [weak dispatcher] stall in
        guard !stall.isOver, let dispatcher else { return }
        try? queue.sync {}
        dispatcher.background {}
        held.value = nil
        gate.open()
        done.open()
      }
      dispatcher.background.async(label: "stuck") { gate.hold(patience) }
      #expect(done.wait(patience))
      dispatcher.runUntilIdle()
      #expect(dispatcher.ledger.balances)
    }

    @Test("bodies that do not stall are not told of, however many there are")
    func short() throws {
      let dispatcher = try UVDispatcher(.init(stallThresholds: .init(.seconds(600))))
      try dispatcher.watchStalls { Issue.record("told of \($0)") }
      for number in 0..<2000 {
        (number % 2 == 0 ? dispatcher.background : dispatcher.foreground) {}
      }
      dispatcher.runUntilIdle()
      #expect(dispatcher.ledger.completed == 2000)
    }

    @Test("a batch goes on after a stall in it, and its counts are right")
    func batch() throws {
      let dispatcher = try Self.dispatcher(10)
      let reports = Reports(1)
      try dispatcher.watchStalls { reports.note($0) }
      let ran = Atomic(0)
      for number in 0..<100 {
        dispatcher.foreground {
          if number == 50 { reports.hold() }
          ran.add(1, ordering: .relaxed)
        }
      }
      dispatcher.runUntilIdle()
      dispatcher.waitForReports()
      #expect(ran.load(ordering: .relaxed) == 100)
      #expect(dispatcher.ledger.completed == 100 && dispatcher.ledger.balances)
      #expect(reports.all.value.last?.isOver == true)
      #expect(!dispatcher.engine.loopContext.isWatched)
      #expect(Set(reports.all.value.map { $0.task!.id }).count == 1)
    }

    private final class Counting: TaskObserver {
      let stalls = Box(0)

      func observe(_ event: TaskEvent) {
        if case .stalled = event.kind { stalls.change { $0 += 1 } }
      }
    }
  }
}

extension UVDispatcher {
  /// Waits until nothing runs, and each stall that was told of was told to be over.
  func waitForReports() {
    waitUntil {
      $0.running.isEmpty && $0.running.telling.isEmpty && $0.stalls.toldCount == 0
        && $0.stalls.ended.isEmpty && !$0.isDelivering
    }
  }
}
