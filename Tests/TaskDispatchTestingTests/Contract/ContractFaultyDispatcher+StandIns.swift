import TaskDispatch
import TaskDispatchTesting

extension FaultyDispatcher {
  /// The item that the inner dispatcher gets in place of `item`, if the fault touches it.
  func makeStandIn(for item: WorkItem) -> WorkItem? {
    switch fault {
    case .runsExpired where item.timeToLive != nil: return standIn(for: item)
    case .barrierIsNone where item.isBarrier, .barrierStartsEarly where item.isBarrier,
      .barrierHoldsEverybody where item.view != nil:
      return standIn(for: item, timeToLive: item.timeToLive)
    case .ignoresPriority where item.kind != .repeating:
      return standIn(
        for: item, band: .medium, due: item.due, timeToLive: item.timeToLive)
    case .firesEarly where item.kind == .timer:
      let half = inner.now.duration(to: item.due ?? inner.now) / 2
      return standIn(for: item, due: inner.now.advanced(by: half))
    case .ignoresDeadlines where item.kind == .timer && item.due != .distantFuture:
      // The timers come late, and many at one time: they then run in the order of submission.
      let grid = Duration.milliseconds(32).nanoseconds
      let due = (item.due?.nanoseconds ?? 0) + grid - 1
      return standIn(for: item, due: DispatcherInstant(nanoseconds: due / grid * grid))
    case .overflowsDelays where item.kind == .timer && item.due == .distantFuture:
      return standIn(for: item, due: inner.now.advanced(by: .nanoseconds(1)))
    case .swapsCatchUp where item.kind == .repeating:
      let repetition = item.repetition!
      let other: [CatchUp: CatchUp] = [.skip: .once, .once: .all, .all: .skip, .spaced: .skip]
      return standIn(
        for: item, due: item.due,
        repetition: Repetition(
          every: repetition.interval, catchUp: other[repetition.catchUp]!)
      ) { tick(item) }
    case .rearmsRepeats where item.kind == .repeating:
      // Made now, while `item` has a body: by then the shutdown will have ended it.
      let extra = makeRun(of: item)
      return standIn(for: item, due: item.due, repetition: item.repetition) { [inner, weak self] in
        tick(item)
        if self?.isShutDown == true {
          inner.foreground { if extra.beginIfItWaits() { _ = extra.run() } }
        }
      }
    case .cancelsWhenItsTurnComes where item.kind == .task:
      return standIn(for: item, timeToLive: item.timeToLive)
    // The outcome of the item is reported inside the body of the stand-in.
    case .tellsInside where item.kind == .task:
      return standIn(for: item, timeToLive: item.timeToLive)
    case .leavesGroupEarly where item.group != nil:
      item.group?.leave()
      return standIn(
        for: item, due: item.due, repetition: item.repetition, timeToLive: item.timeToLive)
    case .runsSkippedWork where item.atShutdown == .skip: return standIn(for: item)
    case .starvesTimers where item.kind == .timer && item.lane == .foreground:
      return standIn(for: item, due: item.due) { [weak self] in self?.serveWhenIdle(item) }
    default: return nil
    }
  }

  /// An item that does for `item` what it would have done. The inner dispatcher sees only the options that are
  /// given here.
  private func standIn(
    for item: WorkItem, band: PriorityBand? = nil, due: DispatcherInstant? = nil,
    repetition: Repetition? = nil, timeToLive: Duration? = nil,
    body: (@Sendable () -> Void)? = nil
  ) -> WorkItem {
    let standIn = WorkItem.make(
      kind: item.kind, queue: inside(queue(of: item)), label: item.label, site: item.site,
      band: band ?? item.band, due: due, tolerance: item.tolerance, repetition: repetition,
      timeToLive: timeToLive
    ) { [weak self] in
      if let body { return body() }
      if let outcome = self?.run(item), case .failed(let error) = outcome { throw error }
    }
    standIn.whenFinished { [self] outcome in
      switch outcome {
      case .cancelled, .expired, .refused: finish(item, outcome)
      case .completed, .failed, .abandoned: break
      }
    }
    memory.withLock { memory in
      memory.standIns[ObjectIdentifier(item)] = standIn
      memory.items.append(item)
    }
    return standIn
  }

  /// Runs the body of an item, unless it has its outcome already.
  @discardableResult
  func run(_ item: WorkItem) -> Outcome? {
    if memory.withLock({ $0.cancelled.contains(ObjectIdentifier(item)) }) {
      item.finishTaken(.cancelled)
      return nil
    }
    guard item.beginIfItWaits() else { return nil }
    let outcome = item.run()
    finish(item, outcome)
    return outcome
  }

  private func finish(_ item: WorkItem, _ outcome: Outcome) {
    // `makeStandIn(for:)` has already left the group, and it cannot be left twice.
    if fault == .leavesGroupEarly { item.group?.enter() }
    item.finishTaken(outcome)
  }

  /// Serves a timer once nothing else waits; never, if something always does.
  private func serveWhenIdle(_ item: WorkItem) {
    let label = "stands back"
    if inner.runnableTasks.allSatisfy({ $0.task.label == label }) {
      _ = run(item)
      return
    }
    inner.foreground.async(label: label) { [weak self] in self?.serveWhenIdle(item) }
  }
}

/// Runs a repeating timer's body once.
private func tick(_ item: WorkItem) {
  guard item.outcome == nil else { return }
  let run = makeRun(of: item)
  if run.beginIfItWaits() { run.finishTaken(run.run()) }
}

/// A run that stands for itself: the timer is never told of its end.
private func makeRun(of item: WorkItem) -> WorkItem {
  let timer = item as! RepeatingItem
  defer { timer.letGoOfRun() }
  return timer.makeRun()
}

extension Duration {
  /// Whole nanoseconds, of a short duration.
  fileprivate var nanoseconds: Int64 {
    components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
  }
}
