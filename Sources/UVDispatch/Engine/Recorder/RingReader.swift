internal import TaskDispatch

/// Makes a ``Recording`` of what the rings of the threads hold of one dispatcher.
struct RingReader {
  /// How an event names its task.
  private enum Key: Hashable {
    case id(UInt64)
    /// A plain task, by its place among the plain tasks of its queue.
    case plain(UInt32, UInt64)
    /// An item that has no number yet: its address, and when it was posted, the lowest 40 bits of the ticks. The address is
    /// used again after its end.
    case item(UInt64, UInt64)
  }

  private struct Raw {
    let kind: Recording.Kind
    var key: Key
    /// Ticks since ``now``: not more than zero.
    let ticks: Int64
    let thread: Int
    let queue: UInt32
    let site: CallSite?
    var parent: Key?
    var band = PriorityBand.medium
    var label: [UInt8]?
  }

  private let recorder: Recorder
  private let now: (ticks: UInt64, monotonic: Int64)
  private let label: String
  private let queues: [UInt32: Recording.Queue]
  private var threads: [ThreadRecord] = []
  private var raws: [Raw] = []
  /// Of what is known otherwise.
  private var numbers: [Key: UInt64] = [:]
  private var isComplete: Bool
  /// Nothing is missing since then.
  private var horizon = Int64.min

  /// - Parameter now: The clocks, read before the rings were copied.
  init(_ recorder: Recorder, now: (UInt64, Int64), label: String) {
    self.recorder = recorder
    self.now = now
    self.label = label
    (queues, isComplete) = RecordedQueues.shared.all(of: recorder.name)
  }

  /// Something is missing, and nothing is known of it.
  mutating func noteLoss() { isComplete = false }

  // MARK: One ring

  mutating func read(_ copy: ThreadRings.Copy) {
    let start = Int64(bitPattern: recorder.start.ticks &- now.ticks)
    var oldest = Int64.max
    var running: [Key] = []
    /// The submission whose label may follow.
    var submission: Int?
    let before = raws.count
    for index in stride(from: 0, to: copy.words.count, by: 4) {
      let event = RecordedEvent(copy.words[index..<index + 4])
      let kind = event.kind
      if case .label = kind {
        if let submission { raws[submission].label = (raws[submission].label ?? []) + event.label }
        continue
      }
      submission = nil
      let ticks = ticksSinceNow(event.ticks)
      oldest = min(oldest, ticks)
      // An older one may be of a queue that had the same index.
      guard let kind, ticks >= start, queues[event.queue] != nil else { continue }
      read(event, kind, at: ticks, &running, &submission)
    }
    if raws.count > before { threads.append(copy.thread) }
    if copy.lost > 0, oldest >= start { noteLoss(before: oldest) }
    if let reusedAt = copy.reusedAt {
      let reused = Int64(bitPattern: reusedAt &- now.ticks)
      if reused >= start { noteLoss(before: reused) }
    }
  }

  private mutating func noteLoss(before ticks: Int64) {
    isComplete = false
    horizon = max(horizon, ticks)
  }

  private mutating func read(
    _ event: RecordedEvent, _ kind: RecordedEvent.Kind, at ticks: Int64, _ running: inout [Key],
    _ submission: inout Int?
  ) {
    func raw(
      _ kind: Recording.Kind, _ key: Key, site: CallSite? = nil, parent: Key? = nil
    ) -> Raw {
      Raw(
        kind: kind, key: key, ticks: ticks, thread: threads.count, queue: event.queue, site: site,
        parent: parent)
    }
    switch kind {
    case .plainPosted:
      raws.append(
        raw(
          .enqueued, .plain(event.queue, event.number), site: event.site, parent: running.last))
    case .itemPosted:
      submission = raws.count
      raws.append(
        raw(
          .enqueued, .item(event.task, event.ticks & Self.lowest40), site: event.site,
          parent: event.number == 0 ? nil : .id(event.number)))
    case .itemNumbered:
      numbers[.item(event.addressOfItem, event.number)] = event.task
    case .plainNumbered: numbers[.plain(event.queue, event.number)] = event.task
    case .plainStarted, .plainFollows:
      if case .plainFollows = kind, let last = running.popLast() {
        raws.append(raw(.completed, last))
      }
      numbers[.plain(event.queue, event.number)] = event.task
      running.append(.id(event.task))
      raws.append(raw(.started, .id(event.task), site: event.site))
    case .itemStarted:
      running.append(.id(event.task))
      raws.append(raw(.started, .id(event.task), site: event.site))
    case .ended:
      guard let end = Recording.Kind(rawValue: UInt8(truncatingIfNeeded: event.number)) else {
        return
      }
      running.removeAll { $0 == .id(event.task) }
      raws.append(raw(end, .id(event.task)))
    case .told(let kind):
      if kind == .started { running.append(.id(event.task)) }
      if kind.endsBody { running.removeAll { $0 == .id(event.task) } }
      let parent = event.number & (1 << 38 - 1)
      var told = raw(
        kind, .id(event.task), site: event.site, parent: parent == 0 ? nil : .id(parent))
      told.band = PriorityBand(rawValue: UInt8(event.number >> 38)) ?? .medium
      submission = raws.count
      raws.append(told)
    case .label: break
    }
  }

  private static let lowest40: UInt64 = 1 << 40 - 1

  /// An event has the lowest 56 bits of the ticks: those of months. What has happened since ``now`` is some seconds younger.
  private func ticksSinceNow(_ ticks: UInt64) -> Int64 {
    let all: UInt64 = 1 << 56
    let before = (now.ticks &- ticks) & (all - 1)
    return before >= all - 1 << 44 ? Int64(all - before) : -Int64(before)
  }

  // MARK: All of them

  var recording: Recording {
    var raws = resolved()
    // A sort that keeps the order of equal ones: that of their ring.
    let order = raws.indices.sorted { (raws[$0].ticks, $0) < (raws[$1].ticks, $1) }
    raws = order.map { raws[$0] }
    let numbers = numbers(of: raws)
    var tasks = Tasks(queues)
    for raw in raws {
      tasks.note(
        numbers[raw.key]!, raw.queue, raw.site, raw.label, raw.band,
        parent: raw.parent.flatMap { numbers[$0] })
    }
    let nanosecondsPerTick =
      Double(now.monotonic - recorder.start.monotonic)
      / Double(max(1, now.ticks &- recorder.start.ticks))
    let events = raws.compactMap { raw -> Recording.Event? in
      guard let task = tasks.index(of: numbers[raw.key]!) else { return nil }
      let time = now.monotonic + Int64(Double(raw.ticks) * nanosecondsPerTick)
      return Recording.Event(
        raw.kind, task: task,
        at: DispatcherInstant(nanoseconds: max(0, time - recorder.origin)),
        on: raw.thread)
    }
    return Recording(
      label: label, origin: recorder.start.wall - (recorder.start.monotonic - recorder.origin),
      isComplete: isComplete, queues: tasks.queues,
      threads: threads, tasks: tasks.all, events: events)
  }

  /// The events with the numbers of their tasks, as far as those have any.
  private func resolved() -> [Raw] {
    func resolve(_ key: Key) -> Key { numbers[key].map { .id($0) } ?? key }
    return raws.compactMap { raw in
      var raw = raw
      raw.key = resolve(raw.key)
      raw.parent = raw.parent.map(resolve)
      // Its start is missing, and not to come.
      if case .id = raw.key { return raw }
      return raw.ticks < horizon ? nil : raw
    }
  }

  /// The number of each task. One that waits, and has no number yet, gets the next that is free.
  private func numbers(of raws: [Raw]) -> [Key: UInt64] {
    var numbers: [Key: UInt64] = [:]
    var last: UInt64 = 0
    for key in raws.flatMap({ [$0.key, $0.parent].compactMap(\.self) }) {
      if case .id(let id) = key { (numbers[key], last) = (id, max(last, id)) }
    }
    for raw in raws where numbers[raw.key] == nil {
      last += 1
      numbers[raw.key] = last
    }
    return numbers
  }

  /// The tasks and the queues that the events are of.
  private struct Tasks {
    private let known: [UInt32: Recording.Queue]
    private(set) var all: [Recording.Task] = []
    private(set) var queues: [Recording.Queue] = []
    private var indices: [UInt64: Int] = [:]
    private var queueIndices: [UInt32: Int] = [:]

    init(_ known: [UInt32: Recording.Queue]) { self.known = known }

    func index(of id: UInt64) -> Int? { indices[id] }

    /// The first event of a task that has a site says what the task is. Of one that has ended before, nothing is known.
    mutating func note(
      _ id: UInt64, _ queue: UInt32, _ site: CallSite?, _ label: [UInt8]?, _ band: PriorityBand,
      parent: UInt64?
    ) {
      guard indices[id] == nil, let site, let name = known[queue] else { return }
      indices[id] = all.count
      if queueIndices[queue] == nil {
        queueIndices[queue] = queues.count
        queues.append(name)
      }
      all.append(
        Recording.Task(
          id: TaskID(id),
          label: label.map { String(decoding: $0, as: UTF8.self) },
          queue: queueIndices[queue]!, file: site.fileID, line: Int(site.line), band: band,
          parent: parent.map { TaskID($0) }))
    }
  }
}
