/// Why bytes are no recording.
public enum RecordingError: Error, Sendable, Hashable {
  /// They are no trace of Perfetto, or were cut off.
  case malformed
  /// They are a trace that no dispatcher has written.
  case notFromADispatcher
  /// They refer to a queue, a task or a thread that is not there, or have a number out of its bounds.
  case inconsistent
}

extension RecordingError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .malformed: "these bytes are no trace, or were cut off"
    case .notFromADispatcher: "this trace holds no recording of a dispatcher"
    case .inconsistent: "this recording refers to something that it does not hold"
    }
  }
}

extension Recording {
  /// Reads a file that ``trace`` has written.
  ///
  /// - Throws: ``RecordingError`` for any other bytes.
  public init(trace: some Sequence<UInt8>) throws(RecordingError) {
    let bytes: ArraySlice<UInt8>?
    do throws(ProtocolBufferReader.Malformed) {
      bytes = try Self.find(in: Array(trace)[...])
    } catch { throw .malformed }
    guard let bytes else { throw .notFromADispatcher }
    let parts: Parts
    do throws(ProtocolBufferReader.Malformed) { parts = try Parts(bytes) } catch {
      throw .malformed
    }
    guard let recording = parts.recording else { throw .inconsistent }
    self = recording
  }

  private static func find(
    in trace: ArraySlice<UInt8>
  ) throws(ProtocolBufferReader.Malformed) -> ArraySlice<UInt8>? {
    var file = ProtocolBufferReader(trace)
    var found: ArraySlice<UInt8>?
    while let (field, value) = try file.next() {
      guard field == 1, case .bytes(let bytes) = value else { continue }
      var packet = ProtocolBufferReader(bytes)
      while let (field, value) = try packet.next() {
        if field == Self.field, case .bytes(let bytes) = value { found = bytes }
      }
    }
    return found
  }

  /// Writes all that the recording holds. Each message has its numbers first and its texts after them.
  func write(to file: inout ProtocolBufferWriter) {
    file.text(1, label)
    file.number(2, isComplete ? 1 : 0)
    if let origin { file.number(3, UInt64(bitPattern: origin)) }
    for queue in queues {
      file.message(4) {
        $0.number(1, UInt64(queue.lane.rawValue))
        $0.text(2, queue.label)
      }
    }
    for thread in threads {
      file.message(5) {
        $0.number(1, UInt64(bitPattern: Int64(thread.id)))
        $0.text(2, thread.name)
      }
    }
    for task in tasks {
      file.message(6) {
        $0.number(1, task.id.number)
        $0.number(2, task.queue)
        $0.number(3, UInt64(bitPattern: Int64(task.line)))
        $0.number(4, UInt64(task.band.rawValue))
        if let parent = task.parent { $0.number(5, parent.number) }
        $0.text(6, task.file)
        if let label = task.label { $0.text(7, label) }
      }
    }
    var last: Int64 = 0
    for event in events {
      let time = event.time.nanoseconds
      file.message(7) {
        $0.number(1, UInt64(event.kind.rawValue))
        $0.number(2, event.task)
        $0.number(3, event.thread)
        // Since the last event: most often one or two bytes.
        $0.number(4, UInt64(bitPattern: time &- last))
      }
      last = time
    }
  }
}

/// What was read of a recording so far.
private struct Parts {
  private var label = ""
  private var origin: Int64?
  private var isComplete = false
  private var queues: [Recording.Queue?] = []
  private var threads: [ThreadRecord] = []
  private var tasks: [Recording.Task?] = []
  private var events: [Recording.Event?] = []

  init(_ bytes: ArraySlice<UInt8>) throws(ProtocolBufferReader.Malformed) {
    var reader = ProtocolBufferReader(bytes)
    var time: Int64 = 0
    while let (field, value) = try reader.next() {
      switch (field, value) {
      case (1, .bytes(let text)): label = String(decoding: text, as: UTF8.self)
      case (2, .number(let number)): isComplete = number == 1
      case (3, .number(let number)): origin = Int64(bitPattern: number)
      case (4, .bytes(let message)): queues.append(Self.queue(try Fields(message)))
      case (5, .bytes(let message)):
        let fields = try Fields(message)
        threads.append(
          ThreadRecord(
            id: Int(truncatingIfNeeded: fields.numbers[1]), name: fields.text(2) ?? ""))
      case (6, .bytes(let message)): tasks.append(Self.task(try Fields(message)))
      case (7, .bytes(let message)): events.append(Self.event(try Fields(message), &time))
      default: break
      }
    }
  }

  private static func queue(_ fields: Fields) -> Recording.Queue? {
    Lane(rawValue: UInt8(clamping: fields.numbers[1])).map {
      Recording.Queue(label: fields.text(2) ?? "", lane: $0)
    }
  }

  private static func task(_ fields: Fields) -> Recording.Task? {
    guard let band = PriorityBand(rawValue: UInt8(clamping: fields.numbers[4])),
      let queue = Int(exactly: fields.numbers[2]), let line = Int(exactly: fields.numbers[3])
    else { return nil }
    return Recording.Task(
      id: TaskID(fields.numbers[1]), label: fields.text(7), queue: queue,
      file: fields.text(6) ?? "", line: line, band: band,
      parent: fields.has(5) ? TaskID(fields.numbers[5]) : nil)
  }

  private static func event(_ fields: Fields, _ time: inout Int64) -> Recording.Event? {
    time &+= Int64(bitPattern: fields.numbers[4])
    guard let kind = Recording.Kind(rawValue: UInt8(clamping: fields.numbers[1])),
      let task = Int(exactly: fields.numbers[2]), let thread = Int(exactly: fields.numbers[3])
    else { return nil }
    return Recording.Event(
      kind, task: task, at: DispatcherInstant(nanoseconds: time), on: thread)
  }

  /// Nil if something is not there.
  var recording: Recording? {
    let (queues, tasks, events) = (
      queues.compactMap(\.self), tasks.compactMap(\.self), events.compactMap(\.self)
    )
    guard queues.count == self.queues.count, tasks.count == self.tasks.count,
      events.count == self.events.count, tasks.allSatisfy({ queues.indices.contains($0.queue) }),
      events.allSatisfy({
        tasks.indices.contains($0.task) && threads.indices.contains($0.thread)
      })
    else { return nil }
    return Recording(
      label: label, origin: origin, isComplete: isComplete, queues: queues, threads: threads,
      tasks: tasks, events: events)
  }

  /// The fields of a small message: 1 to 7.
  private struct Fields {
    var numbers = [UInt64](repeating: 0, count: 8)
    private var present = [Bool](repeating: false, count: 8)
    private var texts = [ArraySlice<UInt8>?](repeating: nil, count: 8)

    init(_ bytes: ArraySlice<UInt8>) throws(ProtocolBufferReader.Malformed) {
      var reader = ProtocolBufferReader(bytes)
      while let (field, value) = try reader.next() {
        guard field < 8 else { continue }
        present[Int(field)] = true
        switch value {
        case .number(let number): numbers[Int(field)] = number
        case .bytes(let bytes): texts[Int(field)] = bytes
        }
      }
    }

    func has(_ field: Int) -> Bool { present[field] }

    func text(_ field: Int) -> String? {
      texts[field].map { String(decoding: $0, as: UTF8.self) }
    }
  }
}
