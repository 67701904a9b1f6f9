extension Recording {
  /// A file that Perfetto's viewer opens (https://ui.perfetto.dev), and that ``init(trace:)`` reads.
  ///
  /// A row for each thread, with a slice for each body, its label and its line; an instant for each submission, with an
  /// arrow to the start of the body; and a counter for each queue, of the tasks that wait in it. O(events), some
  /// microseconds for each.
  ///
  /// In a recording of a fake, many events share an instant. Each of these is drawn a microsecond after the one before.
  public var trace: [UInt8] {
    var file = ProtocolBufferWriter()
    Trace(self).write(to: &file)
    file.message(1) { packet in
      packet.message(Self.field) { write(to: &$0) }
    }
    return file.bytes
  }

  /// The packet in which the recording itself stands. Viewers leave out fields that they do not know.
  static let field: UInt64 = 57_005
}

/// How Perfetto's viewer shows a recording.
private struct Trace {
  private let recording: Recording
  /// When each event is drawn, in nanoseconds.
  private let times: [UInt64]
  private let sequence: UInt64 = 1
  private let process: UInt64 = 1

  init(_ recording: Recording) {
    self.recording = recording
    var last: UInt64 = 0
    let start = UInt64(max(0, recording.origin ?? 0))
    times = recording.events.map { event in
      let time = start + UInt64(max(0, event.time.nanoseconds)) + 1
      last = recording.origin == nil ? max(time, last + 1000) : max(time, last)
      return last
    }
  }

  func write(to file: inout ProtocolBufferWriter) {
    writeNames(to: &file)
    writeRows(to: &file)
    var waiting = [Int](repeating: 0, count: recording.queues.count)
    var waits = Set<Int>()
    var isIn = [Int: Int]()
    for (event, time) in zip(recording.events, times) {
      write(event, at: time, isIn: &isIn, to: &file)
      let queue = recording.tasks[event.task].queue
      if event.kind.beginsWaiting, waits.insert(event.task).inserted {
        waiting[queue] += 1
      } else if event.kind == .started || event.kind.endsUnstarted,
        waits.remove(event.task) != nil
      {
        waiting[queue] -= 1
      } else {
        continue
      }
      self.event(at: time, in: &file) { track in
        track.number(9, 4)
        track.number(11, counter(queue))
        track.number(30, waiting[queue])
      }
    }
    // A body that still ran has no end of its own.
    for thread in isIn.values.sorted() {
      self.event(at: times.last ?? 0, in: &file) { track in
        track.number(9, 2)
        track.number(11, row(thread))
      }
    }
  }

  /// The first packet: the clock, and the names and places that the events refer to.
  private func writeNames(to file: inout ProtocolBufferWriter) {
    file.message(1) { packet in
      packet.number(10, sequence)
      packet.number(13, 1)
      packet.number(87, 1)
      // The time of day: the viewer then shows it.
      packet.message(59) { $0.number(58, 1) }
      packet.message(12) { names in
        for (index, task) in recording.tasks.enumerated() {
          names.message(2) {
            $0.number(1, index + 1)
            $0.text(2, task.name)
          }
          names.message(4) {
            $0.number(1, index + 1)
            $0.text(2, task.file)
            $0.text(3, task.name)
            $0.number(4, task.line)
          }
        }
        for kind in Recording.Kind.allCases {
          names.message(2) {
            $0.number(1, name(of: kind))
            $0.text(2, "\(kind)")
          }
        }
        for (index, name) in ["task", "queue", "end"].enumerated() {
          names.message(3) {
            $0.number(1, index + 1)
            $0.text(2, name)
          }
        }
      }
    }
    file.message(1) { packet in
      packet.number(10, sequence)
      packet.message(6) { clocks in
        // BOOTTIME, which the viewer counts in, MONOTONIC and REALTIME.
        for clock: UInt64 in [6, 3, 1] {
          clocks.message(1) {
            $0.number(1, clock)
            $0.number(2, times.first ?? 0)
          }
        }
        clocks.number(2, 6)
      }
    }
  }

  private func writeRows(to file: inout ProtocolBufferWriter) {
    func describe(_ body: (inout ProtocolBufferWriter) -> Void) {
      file.message(1) { packet in
        packet.number(10, sequence)
        packet.message(60, body)
      }
    }
    describe { track in
      track.number(1, process)
      track.message(3) {
        $0.number(1, 1)
        $0.text(6, recording.label)
      }
    }
    for (index, thread) in recording.threads.enumerated() {
      describe { track in
        track.number(1, row(index))
        track.number(5, process)
        track.message(4) {
          $0.number(1, 1)
          $0.number(2, thread.id)
          $0.text(5, thread.name)
        }
      }
    }
    for (index, queue) in recording.queues.enumerated() {
      describe { track in
        track.number(1, counter(index))
        track.number(5, process)
        track.text(2, "waiting: \(queue.label)")
        track.message(8) { _ in }
      }
    }
  }

  /// - Parameter isIn: The rows of the bodies that run, by task.
  private func write(
    _ event: Recording.Event, at time: UInt64, isIn: inout [Int: Int],
    to file: inout ProtocolBufferWriter
  ) {
    let task = recording.tasks[event.task]
    if event.kind.endsBody || event.kind.endsUnstarted,
      let row = isIn.removeValue(forKey: event.task)
    {
      return self.event(at: time, in: &file) { track in
        track.number(9, 2)
        track.number(11, self.row(row))
        if event.kind != .completed { note(3, "\(event.kind)", in: &track) }
      }
    }
    self.event(at: time, in: &file) { track in
      if event.kind == .started {
        isIn[event.task] = event.thread
        track.number(9, 1)
        track.number(10, event.task + 1)
        track.fixed(48, UInt64(event.task) + 1)
        note(2, recording.queues[task.queue].label, in: &track)
      } else {
        track.number(9, 3)
        track.number(10, name(of: event.kind))
        if event.kind == .enqueued || event.kind == .scheduled {
          track.fixed(47, UInt64(event.task) + 1)
        }
      }
      track.number(11, row(event.thread))
      track.number(34, event.task + 1)
      note(1, "\(task.id)", in: &track)
    }
  }

  private func event(
    at time: UInt64, in file: inout ProtocolBufferWriter,
    _ body: (inout ProtocolBufferWriter) -> Void
  ) {
    file.message(1) { packet in
      packet.number(8, time)
      packet.number(10, sequence)
      packet.number(13, 2)
      packet.message(11, body)
    }
  }

  private func note(_ name: UInt64, _ text: String, in track: inout ProtocolBufferWriter) {
    track.message(4) {
      $0.number(1, name)
      $0.text(6, text)
    }
  }

  private func row(_ thread: Int) -> Int { 100 + thread }

  private func counter(_ queue: Int) -> Int { 1_000_000 + queue }

  private func name(of kind: Recording.Kind) -> Int { recording.tasks.count + Int(kind.rawValue) }
}
