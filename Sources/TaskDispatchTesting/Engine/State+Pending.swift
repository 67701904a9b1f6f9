internal import TaskDispatch

extension State {
  /// A task that waits in a queue, with what is needed to say why.
  private struct Waiting {
    let entry: Entry
    let lane: Lane
    let view: RecordingView?
    let isBarrier: Bool
  }

  /// Every task that has not run, and what keeps it from running, in the order of submission.
  func pendingTasks() -> [PendingTask] {
    var pending = started.map { left in
      PendingTask(
        task: left.entry.record(lane: .background, queue: label(.background, left.view)),
        obstacle: nil, due: nil, repeats: false, isStarted: true,
        ancestors: left.entry.parent?.chain ?? [])
    }
    pending += pendingForeground()
    for view in [nil] + views.map(Optional.some) { pending += pendingBackground(view) }
    timers.forEach { item, due in
      let time = DispatcherInstant(nanoseconds: due)
      pending.append(pendingItem(item, .awaitingTime(until: time), due: time))
    }
    for item in held { pending.append(pendingItem(item, .awaitingGroup, due: nil)) }
    for item in waitingForRoom {
      let full = Obstacle.behind(
        pending.filter { $0.task.queue == label(item.lane, item.view) && $0.due == nil }
          .map(\.task.id))
      pending.append(pendingItem(item, full, due: nil))
    }
    return pending.sorted { $0.task.id < $1.task.id }
  }

  private func pendingItem(
    _ item: WorkItem, _ obstacle: Obstacle, due: DispatcherInstant?
  ) -> PendingTask {
    PendingTask(
      task: record(of: item), obstacle: obstacle, due: due, repeats: item.kind == .repeating,
      isStarted: false, ancestors: parents[item.place.id.number]?.chain ?? [])
  }

  private func pendingForeground() -> [PendingTask] {
    var ahead: [TaskID] = []
    var pending: [PendingTask] = []
    func add(_ entry: borrowing Entry) {
      pending.append(
        PendingTask(
          task: entry.record(lane: .foreground, queue: "foreground"),
          obstacle: ahead.isEmpty ? nil : .behind(ahead), due: nil, repeats: false,
          isStarted: false, ancestors: entry.parent?.chain ?? []))
      ahead.append(TaskID(entry.id))
    }
    due.forEach(add)
    events.forEach(add)
    foreground.forEach(add)
    return pending
  }

  private func pendingBackground(_ view: RecordingView?) -> [PendingTask] {
    var waiting: [Waiting] = []
    poolView(view).queue.ready.forEachPosition { entry, _, isBarrier in
      guard !entry.runsOnCaller else { return }
      waiting.append(
        Waiting(entry: copy entry, lane: .background, view: view, isBarrier: isBarrier))
    }
    // The order in which they would start if nothing aged: the sections between barriers, each by
    // band, each band by arrival.
    let barriers = waiting.filter(\.isBarrier).map(\.entry.id)
    func section(_ task: Waiting) -> Int { barriers.count { $0 < task.entry.id } }
    waiting.sort {
      (section($0), $0.isBarrier ? 1 : 0, $0.entry.site.band.index, $0.entry.id)
        < (section($1), $1.isBarrier ? 1 : 0, $1.entry.site.band.index, $1.entry.id)
    }
    return waiting.enumerated().map { rank, task in
      PendingTask(
        task: task.entry.record(lane: .background, queue: label(.background, view)),
        obstacle: obstacle(task, ahead: waiting[..<rank]), due: nil, repeats: false,
        isStarted: false, ancestors: task.entry.parent?.chain ?? [])
    }
  }

  private func obstacle(_ task: Waiting, ahead: ArraySlice<Waiting>) -> Obstacle? {
    let pool = poolView(task.view)
    let name = label(.background, task.view)
    if pool.queue.isSuspended { return .suspended(queue: name) }
    if let barrier = ahead.first(where: \.isBarrier) {
      return .barrier(barrier.entry.record(lane: .background, queue: name))
    }
    if pool.queue.runsBarrier { return .barrier(runningBarrier(of: task.view)) }
    if task.isBarrier {
      let others = inProgress(in: task.view) + ahead.map { TaskID($0.entry.id) }
      return others.isEmpty ? freeWorkers > 0 ? nil : poolIsFull : .runsAlone(after: others)
    }
    if pool.queue.workerRoom <= 0 {
      return .widthReached(queue: name, width: pool.queue.workerWidth)
    }
    if freeWorkers <= 0 { return poolIsFull }
    let room = min(freeWorkers, pool.queue.workerRoom)
    return ahead.count < room ? nil : .behind(ahead.map { TaskID($0.entry.id) })
  }

  private var freeWorkers: Int { pool.width - pool.busyWorkers }

  private var poolIsFull: Obstacle { .widthReached(queue: "background", width: pool.width) }

  private func runningBarrier(of view: RecordingView?) -> TaskRecord? {
    let queue = identity(.background, view)
    if let body = running.first(where: {
      $0.queue == queue && $0.started?.taken.isBarrier == true
    }) {
      return body.record
    }
    return started.first { $0.view === view && $0.started.taken.isBarrier }?.entry.record(
      lane: .background, queue: label(.background, view))
  }

  private func inProgress(in view: RecordingView?) -> [TaskID] {
    let queue = identity(.background, view)
    return running.filter { $0.queue == queue }.map(\.record.id)
      + started.filter { $0.view === view }.map { TaskID($0.entry.id) }
  }

  /// When time next makes something happen, the deadlines of a shutdown included.
  var nextDeadline: Int64? {
    var next = timers.nextDeadline
    if let shutdown, shutdown.phase != .over {
      let deadline =
        shutdown.phase == .draining ? shutdown.drainUntil : shutdown.cancelUntil
      if deadline > now { next = min(next ?? .max, deadline) }
    }
    return next
  }

  var nextDeadlineInstant: DispatcherInstant? {
    nextDeadline.map { DispatcherInstant(nanoseconds: $0) }
  }
}
