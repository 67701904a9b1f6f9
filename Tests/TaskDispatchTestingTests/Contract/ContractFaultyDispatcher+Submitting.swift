import TaskDispatch
import TaskDispatchTesting

extension FaultyDispatcher {
  func post(
    _ body: consuming @escaping @Sendable () -> Void, on queue: TaskQueue, at site: CallSite
  ) -> Admission {
    let body = body
    let inside = inside(queue)
    switch fault {
    case .runsInsideSubmission:
      body()
      return .accepted
    case .runsTwice:
      return inner.post(
        {
          body()
          body()
        }, on: inside, at: site)
    case .drops where count() % 7 == 0: return .accepted
    case .reordersWithinBand, .overlapsForeground:
      let identity = queue.identity
      let isLast = fault == .reordersWithinBand
      memory.withLock { $0.bodies[identity, default: []].append(body) }
      return inner.post(
        { [weak self] in self?.takeBody(of: identity, last: isLast)?() }, on: inside, at: site)
    case .backgroundNeedsLoop where queue.lane == .background:
      return inner.post(
        { [inner] in _ = inner.post(body, on: inside, at: site) }, on: inner.foreground, at: site)
    case .acceptsAfterShutdown where isShutDown: return .accepted
    case .refusesOwnWork where isShutDown: return .refused(.shutDown)
    case .keepsBodies:
      memory.withLock { $0.bodies[queue.identity, default: []].append(body) }
      return inner.post(body, on: inside, at: site)
    default: return inner.post(body, on: inside, at: site)
    }
  }

  func submit(_ item: WorkItem) -> Admission {
    if fault == .refusesOwnWork, isShutDown {
      item.finish(.refused(.shutDown))
      return .refused(.shutDown)
    }
    if let group = item.group, fault == .neverLeavesGroup { group.enter() }
    if fault == .letsPlainOvertake, item.kind == .task {
      let queue = inside(queue(of: item))
      return inner.post({ [inner] in _ = inner.submit(item) }, on: queue, at: item.site)
    }
    if fault == .runsTimersAtShutdown, item.kind == .timer {
      memory.withLock { $0.timers.append(item) }
    }
    return inner.submit(makeStandIn(for: item) ?? item)
  }

  func submitWhenRoom(_ item: WorkItem) { inner.submitWhenRoom(makeStandIn(for: item) ?? item) }

  func release(_ item: WorkItem) {
    inner.release(standIn(of: item) ?? item)
    if fault == .runsInsideResume { _ = try? inner.runUntilIdle() }
  }

  func cancel(_ item: WorkItem) -> Cancellation {
    switch fault {
    case .ignoresCancel where item.outcome == nil && item.kind == .task && !isRunning(item):
      return .beforeStart
    case .timersOutliveCancel where item.outcome == nil && item.kind != .task: return .beforeStart
    case .neverRaisesFlag where item.isRunning: return .requested
    case .cancelsWhenItsTurnComes where item.outcome == nil && item.kind == .task:
      if isRunning(item) { break }
      memory.withLock { _ = $0.cancelled.insert(ObjectIdentifier(item)) }
      return .beforeStart
    default: break
    }
    let answer = inner.cancel(standIn(of: item) ?? item)
    if fault == .saysBeforeStart, answer == .requested { return .beforeStart }
    if fault == .saysRequestedTooLate, answer == .tooLate { return .requested }
    return answer
  }

  private func isRunning(_ item: WorkItem) -> Bool { (standIn(of: item) ?? item).isRunning }

  // MARK: What the faults remember

  func takeBody(of queue: TaskQueue.Identity, last: Bool) -> (@Sendable () -> Void)? {
    memory.withLock { memory in
      guard memory.bodies[queue]?.isEmpty == false else { return nil }
      return last ? memory.bodies[queue]?.removeLast() : memory.bodies[queue]?.removeFirst()
    }
  }

  func standIn(of item: WorkItem) -> WorkItem? {
    memory.withLock { $0.standIns[ObjectIdentifier(item)] }
  }

  var isShutDown: Bool { memory.withLock { $0.isShutDown } }

  private func count() -> Int {
    memory.withLock { memory in
      memory.calls += 1
      return memory.calls
    }
  }

  func queue(of item: WorkItem) -> TaskQueue {
    TaskQueue(dispatcher: self, view: item.view, lane: item.lane, isBarrier: item.isBarrier)
  }
}
