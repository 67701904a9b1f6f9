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
    func add(_ timed: Timed, due: Int64) {
      let time = DispatcherInstant(nanoseconds: due)
      pending.append(pendingTask(timed.entry, .awaitingTime(until: time), due: time))
    }
    timers.forEach(add)
    pending += held.map { pendingTask($0, .awaitingGroup) }
    for entry in waitingForRoom {
      var ahead = Ahead()
      for task in pending where task.task.queue == entry.queueLabel && task.due == nil {
        ahead.add(task.task.id)
      }
      pending.append(
        pendingTask(
          entry, .noRoom(queue: entry.queueLabel, behind: ahead.first, more: ahead.more)))
    }
    return pending.sorted { $0.task.id < $1.task.id }
  }

  /// Whether ``pendingTasks()`` would find any.
  var hasPendingTasks: Bool {
    hasWorkThatCanEnd || !timers.isEmpty || !held.isEmpty || !waitingForRoom.isEmpty
      || !foreground.isEmpty
      || views.contains { !$0.pool.queue.ready.isEmpty }
  }

  /// The handlers that are registered, as tasks that wait for their event.
  func awaitedEvents() -> [PendingTask] {
    registrations.filter { $0.pending == nil }.map {
      pendingTask($0.entry, .awaitingEvent($0.name))
    }
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
    var ahead = Ahead()
    var pending: [PendingTask] = []
    func add(_ entry: Entry) {
      guard !entry.runsOnCaller else { return }
      pending.append(pendingTask(entry, ahead.obstacle))
      ahead.add(TaskID(entry.id))
    }
    foreground.due.forEach(add)
    foreground.posted.forEach(add)
    return pending
  }

  /// The background tasks that free workers could start now if no running task ended. Changes no queue.
  func startableBackground() -> Set<TaskID> {
    let time = now
    let clock = { time }
    var startable: Set<TaskID> = []
    pool.forEachStartable(now: clock) { startable.insert(TaskID($0.id)) }
    return startable
  }

  private func pendingBackground(
    _ view: RecordingView?, _ startable: Set<TaskID>
  ) -> [PendingTask] {
    var waiting: [(entry: Entry, isBarrier: Bool)] = []
    poolView(view).queue.ready.forEachPosition { entry, _, isBarrier in
      if !entry.runsOnCaller { waiting.append((entry, isBarrier)) }
    }
    // The order in which they would start if nothing aged: by section between barriers, then by band, then by arrival.
    let barriers = waiting.filter(\.isBarrier).map(\.entry.id).sorted()
    let ranked = waiting.map { task -> (rank: (Int, Int, Int, UInt64), task: (Entry, Bool)) in
      let section = barriers.partitioningIndex { $0 >= task.entry.id }
      return (
        (section, task.isBarrier ? 1 : 0, task.entry.band.index, task.entry.id),
        (task.entry, task.isBarrier)
      )
    }.sorted { $0.rank < $1.rank }
    var ahead = Ahead()
    var barrier: TaskRecord?
    return ranked.map { ranked in
      let (entry, isBarrier) = ranked.task
      defer {
        ahead.add(TaskID(entry.id))
        if isBarrier, barrier == nil { barrier = entry.record }
      }
      let canStart = startable.contains(TaskID(entry.id))
      return pendingTask(
        entry, canStart ? nil : obstacle(entry, isBarrier, ahead, behind: barrier, startable))
    }
  }

  /// What keeps `entry` from starting now.
  private func obstacle(
    _ entry: Entry, _ isBarrier: Bool, _ ahead: Ahead, behind barrier: TaskRecord?,
    _ startable: Set<TaskID>
  ) -> Obstacle {
    let view = poolView(entry.view)
    if view.queue.isSuspended { return .suspended(queue: entry.queueLabel) }
    if let barrier { return .barrier(barrier) }
    if view.queue.runsBarrier { return .barrier(runningBarrier(of: entry.view)) }
    if isBarrier {
      let others = inProgress(in: entry.view) + ahead.first
      if !others.isEmpty { return .runsAlone(after: others, more: ahead.more) }
    }
    if view.queue.workerRoom <= 0 {
      return .widthReached(queue: entry.queueLabel, width: view.queue.workerWidth)
    }
    if pool.busyWorkers >= pool.width {
      return .widthReached(queue: "background", width: pool.width)
    }
    return ahead.obstacle ?? .behind(startable.sorted())
  }

  private func runningBarrier(of view: RecordingView?) -> TaskRecord? {
    let lane = running.first {
      $0.share?.isBarrier == true && $0.view === view
    }
    if let lane { return lane.record }
    return started.first { $0.share?.isBarrier == true && $0.view === view }?.record
  }

  private func inProgress(in view: RecordingView?) -> [TaskID] {
    running.filter { $0.share != nil && $0.view === view }.map { TaskID($0.id) }
      + started.filter { $0.view === view }.map { TaskID($0.id) }
  }
}

/// The tasks ahead of one task: the first few, and how many more.
private struct Ahead {
  private(set) var first: [TaskID] = []
  private(set) var more = 0

  mutating func add(_ task: TaskID) {
    if first.count < Obstacle.mostNamed { first.append(task) } else { more += 1 }
  }

  var obstacle: Obstacle? { first.isEmpty ? nil : .behind(first, more: more) }
}

extension Array {
  /// The index of the first element that `belongsAfter`; all after it do. O(log n).
  fileprivate func partitioningIndex(where belongsAfter: (Element) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if belongsAfter(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
