import TaskDispatch
import TaskDispatchTesting

/// How far a shutdown of a ``ThreadedDispatcher`` has come.
final class ThreadedShutdown {
  var drainUntil: DispatcherInstant
  var cancelUntil: DispatcherInstant
  var isCancelling = false
  var unfinished: [(UInt64, ShutdownReport.Unfinished)] = []
  var report: ShutdownReport?
  var waiters: [@Sendable (ShutdownReport) -> Void] = []

  init(drainUntil: DispatcherInstant, cancelUntil: DispatcherInstant) {
    self.drainUntil = drainUntil
    self.cancelUntil = cancelUntil
  }

  func nextDeadline(after now: DispatcherInstant) -> DispatcherInstant {
    [drainUntil, cancelUntil].first { $0 > now } ?? .distantFuture
  }
}

extension ThreadedDispatcher {
  func beginShutdown(_ policy: ShutdownPolicy) { withCore { $0.beginShutdown(policy) } }

  var report: ShutdownReport? { withCore { $0.shutdown?.report } }

  nonisolated(nonsending) func shutdown(_ policy: ShutdownPolicy) async -> ShutdownReport {
    await withCheckedContinuation { continuation in
      withCore { core in
        core.beginShutdown(policy)
        let wake: @Sendable (ShutdownReport) -> Void = { continuation.resume(returning: $0) }
        if let report = core.shutdown?.report {
          core.outbox.append { wake(report) }
        } else {
          core.shutdown?.waiters.append(wake)
        }
      }
    }
  }
}

extension ThreadedCore {
  func refusal(of task: ThreadedTask, _ parent: ThreadedTask?) -> Refusal? {
    guard let shutdown else { return nil }
    let isTimer =
      switch task.item?.kind {
      case .timer, .repeating, .sleep: true
      default: false
      }
    let isDraining = shutdown.report == nil && !shutdown.isCancelling
    return isDraining && parent != nil && !isTimer ? nil : .shutDown
  }

  func beginShutdown(_ policy: ShutdownPolicy) {
    let drainUntil = now.advanced(by: policy.drain)
    let cancelUntil = drainUntil.advanced(by: policy.cancel)
    if let old = shutdown {
      shutdown?.drainUntil = min(old.drainUntil, drainUntil)
      shutdown?.cancelUntil = min(old.cancelUntil, cancelUntil)
      return
    }
    settleTimers()
    shutdown = ThreadedShutdown(drainUntil: drainUntil, cancelUntil: cancelUntil)
    for timer in timers.removeAll() {
      timer.ticket = nil
      endUnstarted(timer, .cancelled)
    }
    let between = Dictionary(repeats.values.map { ($0.id, $0) }, uniquingKeysWith: { $1 }).values
    for timer in between where timer.item?.outcome == nil {
      timer.item?.requestCancellation()
      if tasks[ObjectIdentifier(timer.item!)] != nil { endUnstarted(timer, .cancelled) }
    }
    for task in withoutRoom {
      ledger.accepted -= 1
      ledger.waiting -= 1
      refuse(task, .shutDown)
    }
    withoutRoom = []
    cancelWaiting { $0.item?.atShutdown == .skip }
    advanceShutdown()
  }

  /// Takes the shutdown as far as it can go now. The loop looks after every change.
  func advanceShutdown() {
    guard let shutdown, shutdown.report == nil, loopRuns || now >= shutdown.drainUntil else {
      return
    }
    if hasWorkThatCanEnd, now < shutdown.drainUntil { return }
    if hasWorkThatCanEnd, !shutdown.isCancelling {
      self.shutdown?.isCancelling = true
      shutdownFlag.raise()
    }
    cancelWaiting { !$0.isJob && !$0.isCaller }
    if now >= shutdown.cancelUntil { abandonRunning() }
    guard loopRuns, !hasWorkThatCanEnd, deliveries == 0, outbox.isEmpty else { return }
    let report = ShutdownReport(
      ledger: ledger, unfinished: shutdown.unfinished.sorted { $0.0 < $1.0 }.map(\.1))
    let unfinished = self.shutdown?.unfinished ?? []
    self.shutdown?.report = ShutdownReport(
      ledger: ledger, unfinished: unfinished.sorted { $0.0 < $1.0 }.map(\.1))
    for waiter in shutdown.waiters { outbox.append { waiter(self.shutdown?.report ?? report) } }
  }

  private var hasWorkThatCanEnd: Bool {
    running.contains { !$0.isAbandoned } || granted > 0
      || foreground.hasStartable || due.hasStartable
      || !pool.background.queue.ready.isEmpty
      || views.contains { !$0.pool.queue.isSuspended && !$0.pool.queue.ready.isEmpty }
  }

  private func cancelWaiting(_ isWanted: (ThreadedTask) -> Bool) {
    var waiting = held
    func add(_ task: ThreadedTask) { waiting.append(task) }
    foreground.forEach(add)
    due.forEach(add)
    pool.background.queue.ready.forEach(add)
    for view in views { view.pool.queue.ready.forEach(add) }
    for task in waiting.sorted(by: { $0.id < $1.id }) where isWanted(task) && takeBack(task) {
      note(task, .neverStarted)
      endUnstarted(task, .cancelled)
    }
  }

  private func abandonRunning() {
    for task in running where !task.isAbandoned && !task.isJob && !task.isCaller {
      task.isAbandoned = true
      note(task, .abandoned)
      ledger.running -= 1
      ledger.count(.abandoned)
      tell(.finished(.abandoned), task)
      if let item = task.item { tasks[ObjectIdentifier(item)] = nil }
      outbox.append { task.item?.finish(.abandoned) }
    }
  }

  private func note(_ task: ThreadedTask, _ state: ShutdownReport.Unfinished.State) {
    shutdown?.unfinished.append(
      (
        task.id,
        ShutdownReport.Unfinished(
          label: task.record.label, queue: task.record.queue, site: task.site,
          age: task.record.enqueuedAt.duration(to: now),
          thread: state == .abandoned ? "a thread" : nil, state: state)
      ))
  }
}
