import TaskDispatchTesting
import TestSupport
import Testing

@testable import TaskDispatch
@testable import UVDispatch

extension OnePool {
  @Suite("The flight recorder")
  struct RecorderTests {
    private static func dispatcher(_ configuration: UVDispatcher.Configuration = .init()) throws
      -> UVDispatcher
    {
      var configuration = configuration
      configuration.recorder = RecorderOptions()
      return try UVDispatcher(configuration)
    }

    @Test("tells what was submitted by which body, where it ran and how it ended")
    func whole() throws {
      let dispatcher = try Self.dispatcher(.init(label: "spoold"))
      let disk = dispatcher.makeQueue(label: "disk", width: 1)
      let line = #line + 1
      dispatcher.foreground.async {
        disk.async(label: "a label that is longer than four and twenty bytes") {}
        disk.async {}
      }
      dispatcher.foreground.submit(label: "fails") { throw NoRoom() }
      let rang = Latch()
      dispatcher.foreground.after(.milliseconds(1), label: "alarm") { rang.open() }
      let held = dispatcher.makeQueue(label: "held", width: 1)
      held.suspend()
      held.submit(label: "never") {}.cancel()
      try dispatcher.start()
      rang.hold(patience)
      dispatcher.beginShutdown()
      _ = try dispatcher.waitForReport(timeout: patience)

      let recording = dispatcher.recording()
      let file = "UVDispatchTests/RecorderTests.swift"
      #expect(recording.isComplete && recording.label == "spoold")
      let names = Dictionary(
        recording.tasks.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
      let first = try #require(names["\(file):\(line)"])
      let labelled = try #require(names["a label that is longer than four and twenty bytes"])
      #expect(labelled.parent == first.id && first.parent == nil)
      #expect(recording.queues[labelled.queue] == .init(label: "disk", lane: .background))
      #expect(recording.kinds(of: first) == [.enqueued, .started, .completed])
      #expect(recording.kinds(of: labelled) == [.enqueued, .started, .completed])
      #expect(recording.kinds(of: try #require(names["fails"])) == [.enqueued, .started, .failed])
      #expect(
        recording.kinds(of: try #require(names["alarm"])) == [
          .scheduled, .due, .started, .completed,
        ])
      #expect(recording.kinds(of: try #require(names["never"])) == [.enqueued, .cancelled])
      let plain = try #require(names["\(file):\(line + 2)"])
      #expect(plain.parent == first.id && plain.label == nil)
      #expect(recording.tasks.count == 6)
      #expect(recording.problems == [])
      #expect(try Recording(trace: recording.trace) == recording)
    }

    @Test("finds the submission of each start, also of tasks that got an object while they waited")
    func promoted() async throws {
      // On a thread of its own an expectation would belong to no test.
      let (recording, lines) = try await onOtherThread {
        let dispatcher = try Self.dispatcher()
        let view = dispatcher.makeQueue(label: "view", width: 1)
        let lines = Box([Int]())
        view.suspend()
        @Sendable func note(_ line: Int = #line) { lines.change { $0.append(line) } }
        view.async { note() }
        view.async { note() }
        view.submit {}.cancel()
        let flushed = Latch()
        let flush = Task { [view] in
          await view.flush()
          flushed.open()
        }
        dispatcher.waitUntil { $0.running.hasFlushes }
        view.async { note() }
        view.async { note() }
        view.resume()
        flushed.hold(patienceWithTasks)
        _ = flush
        dispatcher.runUntilIdle()

        return (dispatcher.recording(), lines.value)
      }
      #expect(recording.problems == [])
      let started = recording.events.filter { $0.kind == .started }.map {
        recording.tasks[$0.task]
      }
      let view1 = started.filter { recording.queues[$0.queue].label == "view" && $0.label == nil }
      let ranInView = lines.filter { view1.map(\.line).contains($0) }
      #expect(view1.map(\.line) == ranInView && ranInView.count == 4)
      #expect(Set(started.map(\.line)) == Set(lines) && lines.count == 4)
    }

    @Test("parents of plain tasks are the bodies that have submitted them, also beneath a sync")
    func parents() throws {
      let dispatcher = try Self.dispatcher()
      let view = dispatcher.makeQueue(label: "view", width: 1)
      let lines = (outer: #line + 1, inner: #line + 3, innermost: #line + 2)
      dispatcher.background.async {
        _ = try? view.sync { dispatcher.foreground.async {} }
        dispatcher.foreground.async {}
      }
      dispatcher.runUntilIdle()
      let recording = dispatcher.recording()
      #expect(recording.problems == [])
      func task(_ line: Int, on queue: String) -> Recording.Task? {
        recording.tasks.first { $0.line == line && recording.queues[$0.queue].label == queue }
      }
      let outer = try #require(task(lines.outer, on: "background"))
      let sync = try #require(task(lines.innermost, on: "view"))
      #expect(sync.parent == outer.id && outer.parent == nil)
      #expect(try #require(task(lines.innermost, on: "foreground")).parent == sync.id)
      #expect(try #require(task(lines.inner, on: "foreground")).parent == outer.id)
    }

    @Test(
      "tells the queues of one dispatcher from each other, and from those of another, also once they are gone"
    )
    func queuesThatAreGone() throws {
      let (dispatcher, other) = (try Self.dispatcher(), try Self.dispatcher())
      let line = #line + 3
      for number in 0..<4500 {
        let view = dispatcher.makeQueue(label: "view \(number)", width: 1)
        view.async {}
        if number % 100 == 0 { dispatcher.runUntilIdle() }
      }
      dispatcher.runUntilIdle()
      let queue = other.makeQueue(label: "other", width: 1)

      let recording = dispatcher.recording()
      #expect(recording.problems == [] && !recording.isComplete)
      #expect(recording.tasks.allSatisfy { $0.line == line })
      #expect(Set(recording.tasks.map(\.queue)).count == recording.tasks.count)
      #expect(recording.tasks.count > 3000)
      let none = other.recording()
      #expect(none.tasks == [] && none.isComplete)
      _ = queue
    }

    @Test("is not complete once events were overwritten, and what is left still fits")
    func overwritten() throws {
      let dispatcher = try Self.dispatcher()
      try dispatcher.start()
      let (count, ended) = (60_000, Latch())
      for number in 1...count {
        dispatcher.foreground.async { if number == count { ended.open() } }
      }
      ended.hold(patience)
      let recording = dispatcher.recording()
      #expect(!recording.isComplete)
      #expect(recording.tasks.count < count && recording.tasks.count > 1000)
      // All have started: a submission whose start was overwritten is no task that waits.
      #expect(
        Set(recording.events.filter { $0.kind == .started }.map(\.task)).count
          == recording.tasks.count)
      // Of some tasks the start is left and the submission is not.
      #expect(recording.problems.allSatisfy { $0.contains("was not accepted before its start") })
      #expect(try Recording(trace: recording.trace) == recording)
      dispatcher.end()
    }

    private struct NoRoom: Error {}

    @Test("misses nothing of many threads, and counts as the ledger does", arguments: 0..<10)
    func many(seed: Int) throws {
      let dispatcher = try Self.dispatcher(.init(backgroundWidth: 2))
      let views = [1, 2].map { dispatcher.makeQueue(label: "view \($0)", width: $0) }
      let queues = [dispatcher.foreground, dispatcher.background] + views
      try dispatcher.start()
      let count = ThisProcess.isSanitized ? 60 : 250
      let threads = (0..<3).map { number in
        { @Sendable in
          var dice = Dice(seed: seed * 3 + number)
          var handles: [TaskHandle<Void>] = []
          for _ in 0..<count {
            let queue = queues[dice.roll(4)]
            switch dice.roll(8) {
            case 0...3: queue.async {}
            case 4: queue.async(label: "labelled") { queues[0].async {} }
            case 5: handles.append(queue.submit {})
            case 6: if dice.roll(2) == 0 { handles.popLast()?.cancel() }
            default:
              if queue.lane == .background {
                try? queue.sync {}
              } else {
                queue.after(.microseconds(dice.roll(50))) {}
              }
            }
          }
        }
      }
      #expect(race(threads))
      dispatcher.beginShutdown()
      let report = try dispatcher.waitForReport(timeout: patience)
      let recording = dispatcher.recording()
      #expect(recording.isComplete)
      #expect(recording.problems == [])
      let counts = Dictionary(grouping: recording.events, by: \.kind).mapValues(\.count)
      let ledger = report.ledger
      #expect(recording.tasks.count == ledger.accepted)
      #expect(counts[.completed] == ledger.completed)
      #expect(counts[.cancelled, default: 0] == ledger.cancelled)
      #expect(counts[.enqueued, default: 0] + counts[.scheduled, default: 0] == ledger.accepted)
      #expect(Set(recording.tasks.map(\.id)).count == recording.tasks.count)
    }
  }
}

extension Recording {
  func kinds(of task: Task) -> [Kind] {
    let index = tasks.firstIndex(of: task)!
    return events.filter { $0.task == index }.map(\.kind)
  }

  /// What cannot be, by the rules of dispatchers alone.
  var problems: [String] {
    var problems: [String] = []
    var stacks: [Int: [Int]] = [:]
    var accepted: [Int: Int] = [:]
    var started: [Int: Int] = [:]
    var ended: [Int: Int] = [:]
    var last = DispatcherInstant(nanoseconds: .min)
    for (place, event) in events.enumerated() {
      let task = tasks[event.task]
      if event.time < last { problems.append("time goes back at \(place)") }
      last = event.time
      func check(_ isRight: Bool, _ text: String) {
        if !isRight { problems.append("\(task.id) \(task.name) \(text), event \(place)") }
      }
      switch event.kind {
      case .enqueued, .scheduled:
        check(accepted.updateValue(place, forKey: event.task) == nil, "was accepted twice")
        check(started[event.task] == nil && ended[event.task] == nil, "was accepted late")
      case .started:
        check(accepted[event.task] != nil, "was not accepted before its start")
        check(started.updateValue(place, forKey: event.task) == nil, "started twice")
        stacks[event.thread, default: []].append(event.task)
      case .completed, .failed:
        check(ended.updateValue(place, forKey: event.task) == nil, "ended twice")
        if started[event.task] != nil {
          check(stacks[event.thread]?.popLast() == event.task, "ended under another body")
        }
      case .cancelled, .expired:
        check(started[event.task] == nil, "ended unstarted after its start")
        check(ended.updateValue(place, forKey: event.task) == nil, "ended twice")
      default: break
      }
    }
    return problems
  }
}
