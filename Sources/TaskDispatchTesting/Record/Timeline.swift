internal import TaskDispatch

extension RecordingDispatcher {
  /// The history as text, a column for each queue, the newest event last.
  ///
  /// ```
  /// time    foreground        background
  /// 0 s     + #1 "type"
  /// 0 s     ▶ #1 "type"
  /// 0 s                       + #2 "fetch"
  /// 0 s     ✓ #1 "type"
  /// ```
  ///
  /// - Parameter limit: At most this many of the newest events; all if nil.
  public func timeline(limit: Int? = nil) -> String {
    let events = history
    let shown = limit.map { Array(events.suffix(max(0, $0))) } ?? events
    var lines = Timeline(shown).lines
    if shown.count < events.count {
      lines.insert("(\(events.count - shown.count) earlier events are not shown)", at: 0)
    }
    return lines.joined(separator: "\n")
  }
}

extension Timeline {
  /// Selects from `events` the newest ones and some of those about `tasks`, and shows them with a line for each gap.
  ///
  /// - Parameters:
  ///   - limit: The most events that are shown.
  ///   - tasks: The tasks that matter: their starts and ends take up to half of the room.
  ///   - named: The name of each task, shown behind its number.
  static func text(
    of events: some Collection<TaskEvent>, limit: Int, about tasks: Set<TaskID>,
    named: @escaping (TaskRecord) -> String
  ) -> String {
    let concerned = events.enumerated().filter { tasks.contains($0.element.task.id) }
    let told = concerned.filter { _, event in
      switch event.kind {
      case .started, .due, .finished: true
      default: false
      }
    }
    // At most half of the room. The rest shows how it ended.
    var shown = Set(told.suffix(limit / 2).map(\.offset))
    for index in (0..<events.count).reversed() {
      if shown.count == limit { break }
      shown.insert(index)
    }
    let kept = events.enumerated().filter { shown.contains($0.offset) }
    var lines = Timeline(kept.map(\.element), named: named).lines
    let header = lines.removeFirst()
    var text = [header]
    var next = 0
    for (line, place) in zip(lines, kept.map(\.offset)) {
      if place > next { text.append("(\(place - next) events are not shown)") }
      text.append(line)
      next = place + 1
    }
    return text.joined(separator: "\n")
  }
}

/// A history laid out in columns.
struct Timeline {
  private let events: [TaskEvent]
  private let queues: [String]
  private let named: (TaskRecord) -> String

  init(_ events: [TaskEvent], named: @escaping (TaskRecord) -> String = Self.name) {
    self.events = events
    self.named = named
    var queues = ["foreground", "background"]
    for event in events where !queues.contains(event.task.queue) { queues.append(event.task.queue) }
    self.queues = queues
  }

  var lines: [String] {
    let cells = events.map { event in
      "\(Self.mark(event.kind)) \(event.task.id) \(named(event.task))" + Self.reason(event.kind)
    }
    let times = events.map { Self.text($0.time) }
    let timeWidth = max(4, times.map(\.count).max() ?? 0)
    let widths = queues.map { queue in
      max(
        queue.count,
        zip(events, cells).filter { $0.0.task.queue == queue }.map(\.1.count).max() ?? 0)
    }
    func row(_ time: String, _ columns: [String]) -> String {
      let padded = zip(columns, widths).map { Self.pad($0, to: $1) }
      let line = ([Self.pad(time, to: timeWidth)] + padded).joined(separator: "  ")
      return String(line.reversed().drop { $0 == " " }.reversed())
    }
    return [row("time", queues)]
      + zip(zip(times, events), cells).map { pair, cell in
        row(pair.0, queues.map { $0 == pair.1.task.queue ? cell : "" })
      }
  }

  private static func name(_ task: TaskRecord) -> String {
    task.label.map { "\"\($0)\"" } ?? lastPart(of: "\(task.site)")
  }

  static func lastPart(of site: String) -> String {
    String(site.split(separator: "/").last ?? "")
  }

  /// The error of a failed task: its first line, shortened if it is long.
  private static func reason(_ kind: TaskEvent.Kind) -> String {
    guard case .finished(.failed(let error)) = kind else { return "" }
    let line = "\(error)".split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
    return ": " + (line.count > 60 ? line.prefix(59) + "…" : line)
  }

  private static func mark(_ kind: TaskEvent.Kind) -> String {
    switch kind {
    case .enqueued: "+"
    case .refused: "refused"
    case .started: "▶"
    case .finished(.completed): "✓"
    case .finished(.failed): "✗"
    case .finished(.cancelled): "cancelled"
    case .finished(.expired): "expired"
    case .finished(.abandoned): "abandoned"
    case .finished(.refused): "refused"
    case .cancellationRequested: "asked to stop"
    case .stalled(let duration): "stalled for \(duration.shortText)"
    case .due: "due"
    case .registered: "registered"
    case .unregistered: "removed"
    case .escaped: "escaped"
    }
  }

  /// A time as text, such as `1.25 s`, with as many decimals as it needs.
  static func text(_ time: DispatcherInstant) -> String {
    let whole = time.nanoseconds / 1_000_000_000
    var part = String(time.nanoseconds % 1_000_000_000)
    part = String(repeating: "0", count: 9 - part.count) + part
    while part.hasSuffix("0") { part.removeLast() }
    return part.isEmpty ? "\(whole) s" : "\(whole).\(part) s"
  }

  private static func pad(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}
