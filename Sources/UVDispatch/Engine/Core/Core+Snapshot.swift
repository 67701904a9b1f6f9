internal import TaskDispatch

/// What a snapshot needs of the core. The thread that takes one makes it under the lock, and makes texts of it when the
/// lock is free.
struct SnapshotFacts {
  var ledger = Ledger()
  var phase = DispatcherSnapshot.Phase.open
  var now: Int64
  var queues: [Queue] = []
  var running: [Running] = []
  var timerCount = 0
  var timers: [(timer: TaskRecord, dueIn: Int64, repeats: Bool)] = []
  var handlers: [(event: Event, record: TaskRecord)] = []
  var waits: [WaitLink] = []
  var usedThreads = 0
  var isShort = false

  struct Running {
    /// Nil for a thread that makes callbacks.
    let task: TaskRecord?
    let lane: Lane
    let thread: ThreadID
    let duration: Int64?
    let isBlocked: Bool
    let isAbandoned: Bool
  }

  enum Event {
    case signal(Signal)
    case descriptor(CInt, Readiness)
  }
}

/// Snapshots. Nothing is drained for one, and no entry of a queue is looked at but the first: so it takes as long with a
/// million tasks that wait as with ten.
extension Core {
  /// O(queues, running tasks, handlers and blocked threads).
  func snapshotFacts() -> SnapshotFacts {
    var facts = SnapshotFacts(now: now)
    facts.ledger = ledger
    facts.phase =
      switch closing.phase {
      case nil: .open
      case .draining: .draining
      case .cancelling: .cancelling
      case .over: .over
      }
    addQueues(to: &facts)
    for queue in facts.queues {
      // Entries of an inbox are counted when it is drained.
      facts.ledger.accepted += queue.posted
      facts.ledger.waiting += queue.posted
    }
    facts.running = running.filter { _ in true }.sorted { $0.id < $1.id }.map {
      runningFacts(of: $0)
    }
    facts.running += running.mapTelling { thread in
      SnapshotFacts.Running(
        task: nil, lane: thread.lane, thread: thread.thread,
        duration: stalls.since(.callbacks(thread.number)).map { now - $0 }, isBlocked: false,
        isAbandoned: false)
    }
    facts.timerCount = timers.count
    timers.forEachOfFirst(DispatcherSnapshot.mostTimers) { timer, due in
      facts.timers.append(
        (record(of: timer), due.subtractingClamped(now), timer.kind == .repeating))
    }
    for handler in events.all {
      guard let event = handler.event else { continue }
      facts.handlers.append((event, handler.record))
    }
    facts.waits = blocked.links
    (facts.usedThreads, facts.isShort) = workers.usage(busy: busyWorkers)
    return facts
  }

  private func runningFacts(of task: RunningTask) -> SnapshotFacts.Running {
    let since =
      if isObserved { Optional(task.startedAt) } else if let seen = stalls.since(.task(task.id)) {
        Optional(seen)
      } else if task is BatchContext, !task.holdsItem { task.enqueuedAt } else { nil as Int64? }
    return SnapshotFacts.Running(
      task: task.record, lane: task.lane, thread: task.thread, duration: since.map { now - $0 },
      isBlocked: task.isBlocked, isAbandoned: task.isAbandoned)
  }

  /// The record of an item that waits. Unlike ``QueuedTask/record`` it makes no task object.
  private func record(of item: WorkItem) -> TaskRecord {
    TaskRecord(
      id: item.place.id, label: item.label, lane: item.lane,
      queue: item.view?.label ?? item.lane.description, site: item.site, band: item.band,
      parent: nil, enqueuedAt: item.place.since)
  }
}

// MARK: Queues

extension Core {
  private func addQueues(to facts: inout SnapshotFacts) {
    var bodies: [ObjectIdentifier: Int] = [:]
    for task in running.filter({ $0.lane == .background }) {
      bodies[ObjectIdentifier(poolView(task.view)), default: 0] += 1
    }
    facts.queues.append(foregroundFacts)
    facts.queues.append(backgroundFacts(bodies))
    // What other views have posted was drained: by invariant A their inboxes are empty.
    var posted: [ObjectIdentifier: (count: Int, since: Int64)] = [:]
    for view in background.viewsDrainedOnCompletion + doors.background.readyViews {
      posted[ObjectIdentifier(view.life)] = view.inbox.content
    }
    for life in background.lives {
      facts.queues.append(self.facts(of: life, posted[ObjectIdentifier(life)] ?? (0, 0), bodies))
    }
  }

  private var foregroundFacts: SnapshotFacts.Queue {
    let statistics = accounts.statistics(of: .foreground)
    var queue = SnapshotFacts.Queue(
      makeFacts(
        "\(Lane.foreground)", .foreground, width: 1, doors.flow(of: .foreground, nil), statistics),
      posted: doors.foreground.content, now: monotonicNow)
    queue.facts.running = running.filter { $0.lane == .foreground }.count
    ownedForeground.update { foreground in
      queue.facts.waiting += foreground.posted.count + foreground.due.count
      foreground.posted.forEachHead { entry, position in
        queue.note(arrival(of: entry, at: position, in: foreground.posted, statistics))
      }
      foreground.due.forEachHead { entry, _ in queue.note(arrivalOfDue(entry)) }
    }
    return queue
  }

  private func backgroundFacts(_ bodies: [ObjectIdentifier: Int]) -> SnapshotFacts.Queue {
    let statistics = accounts.statistics(of: .background)
    let pool = poolView(nil)
    var queue = SnapshotFacts.Queue(
      makeFacts(
        "\(Lane.background)", .background, width: pool.queue.width,
        doors.flow(of: .background, nil),
        statistics),
      posted: doors.background.content, now: monotonicNow)
    add(pool, statistics, bodies, to: &queue)
    return queue
  }

  private func facts(
    of life: UVView.Life, _ posted: (count: Int, since: Int64), _ bodies: [ObjectIdentifier: Int]
  ) -> SnapshotFacts.Queue {
    var queue = SnapshotFacts.Queue(
      makeFacts(life.label, .background, width: life.width, life.flow, life.statistics),
      posted: posted, now: monotonicNow)
    add(life.pool, life.statistics, bodies, to: &queue)
    return queue
  }

  private func makeFacts(
    _ label: String, _ lane: Lane, width: Int, _ flow: FlowControl?, _ statistics: QueueStatistics
  ) -> DispatcherSnapshot.Queue {
    var counts = statistics.outcomes
    if let flow { counts.refused += flow.refusals }
    return DispatcherSnapshot.Queue(
      label: label, lane: lane, width: width, limit: flow?.overflow.limit, waiting: 0,
      waitingForRoom: flow?.waiting ?? 0, running: 0, oldestAge: nil, counts: counts)
  }

  private func add(
    _ pool: PoolView<Entry>, _ statistics: QueueStatistics, _ bodies: [ObjectIdentifier: Int],
    to queue: inout SnapshotFacts.Queue
  ) {
    queue.facts.isSuspended = pool.queue.isSuspended
    queue.facts.running = bodies[ObjectIdentifier(pool)] ?? 0
    // A caller of `sync` that was admitted has a share, and waits until its thread comes.
    let admitted = max(0, pool.queue.running - queue.facts.running)
    queue.facts.waiting += pool.queue.ready.count + admitted
    pool.queue.ready.forEachHead { entry, position in
      queue.note(arrival(of: entry, at: position, in: pool.queue.ready, statistics))
    }
  }

  private var monotonicNow: Int64 { now.addingClamped(clock.origin) }

  /// Since when an entry has waited that stands at the head of its band, in nanoseconds of the monotonic clock; nil if
  /// that is not known.
  private func arrival(
    of entry: borrowing Entry, at position: Int, in queue: borrowing ReadyQueue<Entry>,
    _ statistics: QueueStatistics
  ) -> Int64? {
    switch entry {
    case .plain: return statistics.arrival(of: position, queue.compactions(in: .medium))
    case .item: return arrivalOfDue(entry)
    // One that was a plain body carries no time.
    case .task:
      return arrivalOfDue(entry) ?? statistics.arrival(of: position, queue.compactions(in: .medium))
    }
  }

  private func arrivalOfDue(_ entry: borrowing Entry) -> Int64? {
    switch entry {
    case .plain: return nil
    case .item(let item):
      // A timer waits in its queue since it came due.
      let since = item.place.since.nanoseconds
      return max(since, item.due?.nanoseconds ?? since).addingClamped(clock.origin)
    case .task(let task):
      return (task.cameDueAt ?? task.enqueuedAt)?.addingClamped(clock.origin)
    }
  }
}

extension SnapshotFacts {
  /// A queue, and how much of what waits in it is still in its inbox.
  struct Queue {
    var facts: DispatcherSnapshot.Queue
    let posted: Int
    private let now: Int64

    init(_ facts: DispatcherSnapshot.Queue, posted: (count: Int, since: Int64), now: Int64) {
      self.facts = facts
      self.posted = posted.count
      self.now = now
      self.facts.waiting = posted.count
      if posted.count > 0 { note(posted.since) }
    }

    /// Something waits since `time`, of the monotonic clock.
    mutating func note(_ time: Int64?) {
      guard let time else { return }
      let age = Duration.nanoseconds(max(0, now - time)).inSeconds
      facts.oldestAge = max(facts.oldestAge ?? 0, age)
    }
  }
}

// MARK: - Texts

extension DispatcherSnapshot {
  /// What a dispatcher knows of itself without its lock.
  struct Setting {
    let label: String
    let poolThreads: Int
    let width: Int
    /// Why the width is what it is.
    let reason: String
  }

  /// Makes texts of the facts, and asks the system for the names of the threads, with some system calls for each.
  init(_ facts: SnapshotFacts, _ setting: Setting) {
    self.init(
      label: setting.label, time: DispatcherInstant(nanoseconds: facts.now), ledger: facts.ledger)
    phase = facts.phase
    queues = facts.queues.map(\.facts)
    running = facts.running.map { running in
      Running(
        task: running.task?.id.number, label: running.task?.label,
        queue: running.task?.queue ?? running.lane.description,
        site: running.task.map { "\($0.site)" }, thread: ThreadRecord(of: running.thread),
        duration: running.duration.map { Duration.nanoseconds($0).inSeconds },
        isBlocked: running.isBlocked, isAbandoned: running.isAbandoned)
    }
    timerCount = facts.timerCount
    timers = facts.timers.map { record, dueIn, repeats in
      Timer(
        task: record.id.number, label: record.label, queue: record.queue, site: "\(record.site)",
        dueIn: Duration.nanoseconds(dueIn).inSeconds, repeats: repeats)
    }
    handlers = facts.handlers.map { event, record in
      Handler(event: event.description, label: record.label, site: "\(record.site)")
    }
    waits = facts.waits
    pool = Pool(
      threads: setting.poolThreads, width: setting.width, used: facts.usedThreads,
      isShort: facts.isShort, reason: setting.reason)
  }
}

extension SnapshotFacts.Event: CustomStringConvertible {
  var description: String {
    switch self {
    case .signal(let signal): "\(signal)"
    case .descriptor(let descriptor, let interest): "descriptor \(descriptor) (\(interest))"
    }
  }
}
