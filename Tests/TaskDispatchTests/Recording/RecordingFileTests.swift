import TestSupport
import Testing

@testable import TaskDispatch

@Suite("A recording as a file")
struct RecordingFileTests {
  /// A recording of anything, whether it makes sense or not.
  static func random(_ seed: Int) -> Recording {
    var dice = Dice(seed: seed)
    func text() -> String { ["", "a", "Ω \"quoted\"\n", "Module/File.swift"][dice.roll(4)] }
    let queues = (0...dice.roll(4)).map { _ in
      Recording.Queue(label: text(), lane: Lane.allCases[dice.roll(2)])
    }
    let threads = (0...dice.roll(3)).map { _ in
      ThreadRecord(id: dice.roll(1 << 22), name: text())
    }
    let tasks = (0..<1 + dice.roll(20)).map { _ in
      Recording.Task(
        id: TaskID(UInt64(dice.roll(1 << 60))), label: dice.roll(2) == 0 ? nil : text(),
        queue: dice.roll(queues.count), file: text(), line: dice.roll(1 << 31),
        band: PriorityBand.allCases[dice.roll(4)],
        parent: dice.roll(2) == 0 ? nil : TaskID(UInt64(dice.roll(9))))
    }
    let events = (0..<dice.roll(60)).map { _ in
      Recording.Event(
        Recording.Kind.allCases[dice.roll(Recording.Kind.allCases.count)],
        task: dice.roll(tasks.count),
        at: DispatcherInstant(nanoseconds: Int64(dice.roll(1 << 62)) >> dice.roll(62)),
        on: dice.roll(threads.count))
    }
    return Recording(
      label: text(), origin: dice.roll(2) == 0 ? nil : Int64(dice.roll(1 << 60)),
      isComplete: dice.roll(2) == 0, queues: queues, threads: threads, tasks: tasks,
      events: events)
  }

  @Test("is the same when it is read again", arguments: 0..<20)
  func roundTrip(block: Int) throws {
    for seed in block * 20..<block * 20 + 20 {
      let recording = Self.random(seed)
      #expect(try Recording(trace: recording.trace) == recording, "seed \(seed)")
    }
  }

  @Test("is refused, or makes sense, if it was damaged", arguments: 0..<20)
  func damaged(seed: Int) {
    let trace = Self.random(seed).trace
    var dice = Dice(seed: seed)
    var refused = 0
    for _ in 0..<300 {
      var bytes = trace
      for _ in 0...dice.roll(3) { bytes[dice.roll(bytes.count)] = UInt8(dice.roll(256)) }
      if dice.roll(3) == 0 { bytes.removeLast(dice.roll(bytes.count)) }
      do throws(RecordingError) {
        let recording = try Recording(trace: bytes)
        // Reading it has checked it: a recording that makes no sense traps here.
        #expect(recording.tasks.allSatisfy { recording.queues.indices.contains($0.queue) })
        _ = recording.trace
      } catch { refused += 1 }
    }
    #expect(refused > 50)
  }

  @Test("says what is wrong with other bytes")
  func others() {
    #expect(throws: RecordingError.notFromADispatcher) { try Recording(trace: []) }
    #expect(throws: RecordingError.malformed) { try Recording(trace: Array("{\"a\": 1}".utf8)) }
    var other = ProtocolBufferWriter()
    other.message(1) { $0.number(10, UInt64(1)) }
    #expect(throws: RecordingError.notFromADispatcher) { try Recording(trace: other.bytes) }
    for error in [RecordingError.malformed, .notFromADispatcher, .inconsistent] {
      #expect("\(error)".hasPrefix("th"))
    }
  }

  @Test("is refused if a task, a queue or a thread is not there", arguments: 0..<4)
  func inconsistent(what: Int) {
    let recording = Self.random(3)
    var file = ProtocolBufferWriter()
    file.message(1) { packet in
      packet.message(Recording.field) { inner in
        recording.write(to: &inner)
        switch what {
        case 0: inner.message(6) { $0.number(2, recording.queues.count) }
        case 1:
          inner.message(7) {
            $0.number(1, UInt64(1))
            $0.number(2, recording.tasks.count)
          }
        case 2: inner.message(6) { $0.number(3, UInt64.max) }
        default: inner.message(7) { $0.number(1, UInt64(99)) }
        }
      }
    }
    #expect(throws: RecordingError.inconsistent) { try Recording(trace: file.bytes) }
  }
}
