internal import TaskDispatch

/// Snapshots, as those of threads are made: but each entry knows how long it has waited.
extension State {
  func snapshot() -> DispatcherSnapshot {
    var snapshot = DispatcherSnapshot(
      label: "fake", time: DispatcherInstant(nanoseconds: now), ledger: ledger)
    snapshot.phase =
      switch shutdown?.phase {
      case nil: .open
      case .draining: .draining
      case .cancelling: .cancelling
      case .over: .over
      }
    snapshot.queues = [foregroundQueue, backgroundQueue] + views.map { queue(of: $0) }
    snapshot.running = (started + running).sorted { $0.id < $1.id }.map { entry in
      DispatcherSnapshot.Running(
        task: entry.id, label: entry.label, queue: entry.queueLabel, site: "\(entry.site)",
        thread: nil, duration: nil, isBlocked: entry.wait != nil, isAbandoned: entry.isAbandoned)
    }
    snapshot.timerCount = timers.count
    timers.forEachOfFirst(DispatcherSnapshot.mostTimers) { timed, due in
      let entry = timed.entry
      snapshot.timers.append(
        DispatcherSnapshot.Timer(
          task: entry.id, label: entry.label, queue: entry.queueLabel, site: "\(entry.site)",
          dueIn: Duration.nanoseconds(due.subtractingClamped(now)).inSeconds,
          repeats: timed.item.kind == .repeating))
    }
    snapshot.handlers = registrations.map { registration in
      DispatcherSnapshot.Handler(
        event: registration.name, label: registration.label, site: "\(registration.entry.site)")
    }
    snapshot.waits = running.compactMap { entry in
      entry.wait.map { wait in
        WaitLink(
          waiter: entry.record.name, waiterQueue: entry.queueLabel, waitsFor: wait.name)
      }
    }
    return snapshot
  }

  private var foregroundQueue: DispatcherSnapshot.Queue {
    var queue = makeQueue(
      "\(Lane.foreground)", .foreground, width: 1, view: nil, counts: foregroundCounts)
    queue.running = running.count { $0.lane == .foreground }
    queue.waiting = foreground.posted.count + foreground.due.count
    foreground.posted.forEachHead { entry, _ in note(entry, in: &queue) }
    foreground.due.forEachHead { entry, _ in note(entry, in: &queue) }
    return queue
  }

  private var backgroundQueue: DispatcherSnapshot.Queue {
    var queue = makeQueue(
      "\(Lane.background)", .background, width: configuration.width, view: nil,
      counts: backgroundCounts)
    add(pool.background, to: &queue)
    return queue
  }

  private func queue(of view: RecordingView) -> DispatcherSnapshot.Queue {
    var queue = makeQueue(
      view.label, .background, width: view.width, view: view, counts: view.counts)
    add(view.pool, to: &queue)
    return queue
  }

  private func makeQueue(
    _ label: String, _ lane: Lane, width: Int, view: RecordingView?, counts: OutcomeCounts
  ) -> DispatcherSnapshot.Queue {
    DispatcherSnapshot.Queue(
      label: label, lane: lane, width: width, limit: limit(of: lane, view)?.overflow.limit,
      waiting: 0,
      waitingForRoom: waitingForRoom.count { $0.lane == lane && $0.view === view }
        + waitingCalls.count { $0.waitsForRoom(in: lane, view) },
      running: 0, oldestAge: nil, counts: counts)
  }

  private func add(_ pool: PoolView<Entry>, to queue: inout DispatcherSnapshot.Queue) {
    queue.isSuspended = pool.queue.isSuspended
    queue.running = pool.queue.running
    queue.waiting = pool.queue.ready.count
    pool.queue.ready.forEachHead { entry, _ in note(entry, in: &queue) }
  }

  /// `entry` waits in `queue`.
  private func note(_ entry: borrowing Entry, in queue: inout DispatcherSnapshot.Queue) {
    let entry = copy entry
    // A timer waits in its queue since it came due.
    let since = entry.item.map { max($0.place.since.nanoseconds, entry.enqueuedAt) }
    let age = Duration.nanoseconds(max(0, now - (since ?? entry.enqueuedAt))).inSeconds
    queue.oldestAge = max(queue.oldestAge ?? 0, age)
  }
}
