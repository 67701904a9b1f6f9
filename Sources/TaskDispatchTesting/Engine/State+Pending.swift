internal import TaskDispatch

extension State {
  /// Every task that has not run, and what keeps it from running, in the order of submission.
  func pendingTasks() -> [PendingTask] {
    let startable = startableBackground()
    var pending = started.map { pendingTask($0, nil, isStarted: true) }
    pending += pendingForeground()
    for view in [nil] + views.map(Optional.some) {
      pending += pendingBackground(view, startable)
    }
    timers.forEach { timed, due in
      let time = DispatcherInstant(nanoseconds: due)
      pending.append(pendingTask(timed.entry, .awaitingTime(until: time), due: time))
    }
    pending += held.map { pendingTask($0, .awaitingGroup) }
    for entry in waitingForRoom {
      let ahead = pending.filter { $0.task.queue == entry.queueLabel && $0.due == nil }.map(\.task.id)
      pending.append(pendingTask(entry, .noRoom(queue: entry.queueLabel, behind: ahead)))
    }
    return pending.sorted { $0.task.id < $1.task.id }
  }

  private func pendingTask(
    _ entry: Entry, _ obstacle: Obstacle?, due: DispatcherInstant? = nil, isStarted: Bool = false
  ) -> PendingTask {
    PendingTask(
      task: entry.record, obstacle: obstacle, due: due,
      repeats: entry.item?.kind == .repeating, isStarted: isStarted,
      ancestors: entry.parent?.chain ?? [])
  }

  private func pendingForeground() -> [PendingTask] {
    var ahead: [TaskID] = []
    var pending: [PendingTask] = []
    func add(_ entry: Entry) {
      guard !entry.runsOnCaller else { return }
      pending.append(pendingTask(entry, ahead.isEmpty ? nil : .behind(ahead)))
      ahead.append(TaskID(entry.id))
    }
    due.forEach(add)
    events.forEach(add)
    foreground.forEach(add)
    return pending
  }

  /// The background tasks that could start now, one after the other, if none ended: asked of a copy.
  func startableBackground() -> [TaskID] {
    let time = now
    var order = pool.clone()
    var startable: [TaskID] = []
    while let next = order.start(now: { time }) { startable.append(TaskID(next.taken.entry.id)) }
    return startable
  }

  private func pendingBackground(
    _ view: RecordingView?, _ startable: [TaskID]
  ) -> [PendingTask] {
    var waiting: [(entry: Entry, isBarrier: Bool)] = []
    poolView(view).queue.ready.forEachPosition { entry, _, isBarrier in
      if !entry.runsOnCaller { waiting.append((entry, isBarrier)) }
    }
    // The order in which they would start if nothing aged: the sections between barriers, each by
    // band, each band by arrival.
    let barriers = waiting.filter(\.isBarrier).map(\.entry.id)
    func rank(_ task: (entry: Entry, isBarrier: Bool)) -> (Int, Int, Int, UInt64) {
      (
        barriers.count { $0 < task.entry.id }, task.isBarrier ? 1 : 0,
        task.entry.site.band.index, task.entry.id
      )
    }
    waiting.sort { rank($0) < rank($1) }
    return waiting.enumerated().map { index, task in
      let id = TaskID(task.entry.id)
      let obstacle =
        startable.contains(id)
        ? nil : obstacle(task.entry, task.isBarrier, ahead: waiting[..<index], startable)
      return pendingTask(task.entry, obstacle)
    }
  }

  /// What keeps an entry from starting that could not start now.
  private func obstacle(
    _ entry: Entry, _ isBarrier: Bool, ahead: ArraySlice<(entry: Entry, isBarrier: Bool)>,
    _ startable: [TaskID]
  ) -> Obstacle {
    let view = poolView(entry.view)
    if view.queue.isSuspended { return .suspended(queue: entry.queueLabel) }
    if let barrier = ahead.first(where: \.isBarrier) { return .barrier(barrier.entry.record) }
    if view.queue.runsBarrier { return .barrier(runningBarrier(of: entry.view)) }
    let before = ahead.map { TaskID($0.entry.id) }
    if isBarrier {
      let others = inProgress(in: entry.view) + before
      if !others.isEmpty { return .runsAlone(after: others) }
    }
    if view.queue.workerRoom <= 0 {
      return .widthReached(queue: entry.queueLabel, width: view.queue.workerWidth)
    }
    if pool.busyWorkers >= pool.width {
      return .widthReached(queue: "background", width: pool.width)
    }
    return .behind(before.isEmpty ? startable : before)
  }

  private func runningBarrier(of view: RecordingView?) -> TaskRecord? {
    let lane = running.first {
      $0.lease?.isBarrier == true && $0.lease?.view === poolView(view)
    }
    if let lane { return lane.record }
    return started.first { $0.lease?.isBarrier == true && $0.view === view }?.record
  }

  private func inProgress(in view: RecordingView?) -> [TaskID] {
    running.filter { $0.lease?.view === poolView(view) }.map { TaskID($0.id) }
      + started.filter { $0.view === view }.map { TaskID($0.id) }
  }
}
