import RandomTesting
import TaskDispatchTesting
import TestSupport
import Testing

@testable import TaskDispatch

@Suite("The recording of a fake")
struct RecordingTests {
  @Test("has a row for the loop, for each worker in use and for the test, and what happened there")
  func rows() throws {
    let dispatcher = RecordingDispatcher()
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    dispatcher.foreground.async(label: "type") { disk.async(label: "save") {} }
    let line = #line + 1
    dispatcher.background.async {}
    dispatcher.foreground.after(.milliseconds(5), label: "blink") {}
    try dispatcher.advanceTime(by: .milliseconds(5))

    let recording = dispatcher.recording()
    #expect(recording.threads.map(\.name) == ["loop", "test", "worker 1"])
    #expect(recording.queues.map(\.label) == ["foreground", "background", "disk"])
    let file = "TaskDispatchTestingTests/RecordingTests.swift"
    #expect(recording.tasks.map(\.name) == ["type", "\(file):\(line)", "blink", "save"])
    #expect(recording.tasks.map(\.parent) == [nil, nil, nil, TaskID(1)])
    let text = recording.events.map { event in
      "\(event.time) \(recording.threads[event.thread].name): \(event.kind) \(recording.tasks[event.task].id)"
    }
    #expect(
      text == [
        "0 s test: enqueued #1", "0 s test: enqueued #2", "0 s test: scheduled #3",
        "0 s loop: started #1", "0 s loop: enqueued #4", "0 s loop: completed #1",
        "0 s worker 1: started #2", "0 s worker 1: completed #2", "0 s worker 1: started #4",
        "0 s worker 1: completed #4", "5 ms loop: due #3", "5 ms loop: started #3",
        "5 ms loop: completed #3",
      ])
    #expect(recording.isComplete && recording.origin == nil)
    try dispatcher.finish()
  }

  @Test("is drawn so that rows nest, arrows lead on, and depths are what waits", arguments: 0..<200)
  func drawn(seed: Int) throws {
    var failure: String?
    let history = Program.run(seed: seed) { dispatcher in
      if failure != nil { return }
      let recording = dispatcher.recording()
      do {
        let drawing = try Drawing(recording.trace)
        let waiting = dispatcher.pendingTasks.filter { task in
          if task.isStarted { return false }
          switch task.obstacle {
          case .awaitingTime, .awaitingGroup, .awaitingEvent: return false
          default: return true
          }
        }
        // Not known: which notifications have come into their queues.
        let (later, gone) = (
          recording.tasks(.scheduled), recording.tasks(.due, .started, .cancelled)
        )
        for (queue, depth) in drawing.depths {
          let count = waiting.count { $0.task.queue == queue }
          let notKnown = later.subtracting(gone).count {
            recording.queues[recording.tasks[$0].queue].label == queue
          }
          if depth > count || depth + notKnown < count {
            failure = "\(queue) has \(count) waiting, and \(depth) are drawn"
          }
        }
        if drawing.slices != recording.events.count(where: { $0.kind == .started }) {
          failure = "\(drawing.slices) slices"
        }
        if let problem = drawing.problems.first { failure = problem }
        if try Recording(trace: recording.trace) != recording { failure = "another recording" }
      } catch { failure = "\(error)" }
    }
    #expect(failure == nil, "seed \(seed)")
    #expect(history.events.count > 0)
  }

  @Test("gives the token that its history gives", arguments: 0..<50)
  func token(seed: Int) throws {
    var tokens: [(String, String)] = []
    _ = Program.run(seed: seed) { dispatcher in
      tokens.append(
        (scheduleToken(of: dispatcher.history), scheduleToken(of: dispatcher.recording())))
    }
    #expect(tokens.allSatisfy { $0 == $1 }, "seed \(seed)")
    #expect(!tokens.last!.0.isEmpty)
  }

  @Test("needs the history")
  func needsHistory() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = RecordingDispatcher(.init(recordsHistory: false)).recording()
    }
    #expect(result?.said("recording() needs the history") == true)
  }
}

extension Recording {
  /// The tasks that one of these things has happened to.
  fileprivate func tasks(_ kinds: Kind...) -> Set<Int> {
    Set(events.filter { kinds.contains($0.kind) }.map(\.task))
  }
}

/// What Perfetto's viewer makes of a trace, by its rules: slices of a row lie on a stack, an arrow needs both ends, and
/// a counter has its last value.
private struct Drawing {
  private(set) var depths: [String: Int] = [:]
  private(set) var slices = 0
  private(set) var problems: [String] = []
  private var counters: [UInt64: String] = [:]
  private var stacks: [UInt64: Int] = [:]
  private var sources: [UInt64: UInt64] = [:]
  private var last: UInt64 = 0

  init(_ trace: [UInt8]) throws {
    for packet in try Message(trace[...]).all(1) {
      let packet = try Message(packet)
      if let track = packet.first(60) { try describe(Message(track)) }
      if let event = packet.first(11) { try draw(Message(event), at: packet.number(8)) }
    }
    for (row, depth) in stacks where depth != 0 {
      problems.append("row \(row) ends in \(depth) slices")
    }
  }

  private mutating func describe(_ track: Message) throws {
    if track.first(8) != nil {
      let name = String(decoding: track.first(2) ?? [], as: UTF8.self)
      counters[track.number(1)] = String(name.dropFirst("waiting: ".count))
    }
  }

  private mutating func draw(_ event: Message, at time: UInt64) throws {
    if time < last { problems.append("time goes back to \(time)") }
    last = time
    let row = event.number(11)
    switch event.number(9) {
    case 1:
      slices += 1
      stacks[row, default: 0] += 1
      let flow = event.number(48)
      if let source = sources[flow], source > time { problems.append("arrow \(flow) leads back") }
    case 2:
      stacks[row, default: 0] -= 1
      if stacks[row]! < 0 { problems.append("row \(row) ends a slice that it does not have") }
    case 3: if event.has(47) { sources[event.number(47)] = time }
    case 4:
      depths[counters[row] ?? "?"] = Int(event.number(30))
    default: problems.append("an event of no type")
    }
  }

  private struct Message {
    private var fields: [(UInt64, ProtocolBufferReader.Value)] = []

    init(_ bytes: ArraySlice<UInt8>) throws {
      var reader = ProtocolBufferReader(bytes)
      while let field = try reader.next() { fields.append(field) }
    }

    func has(_ field: UInt64) -> Bool { fields.contains { $0.0 == field } }

    func all(_ field: UInt64) -> [ArraySlice<UInt8>] {
      fields.compactMap { found, value in
        if found == field, case .bytes(let bytes) = value { bytes } else { nil }
      }
    }

    func first(_ field: UInt64) -> ArraySlice<UInt8>? { all(field).first }

    func number(_ field: UInt64) -> UInt64 {
      for (found, value) in fields {
        if found == field, case .number(let number) = value { return number }
      }
      return 0
    }
  }
}
