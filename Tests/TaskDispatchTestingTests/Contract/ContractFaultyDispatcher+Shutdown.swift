import TaskDispatch
import TaskDispatchContract
import TaskDispatchTesting

extension FaultyDispatcher {
  func beginShutdown(_ policy: ShutdownPolicy) {
    let timers = memory.withLock { memory in
      memory.isShutDown = true
      return memory.timers
    }
    for timer in timers { run(timer) }
    inner.beginShutdown(
      fault == .drainsNothing ? ShutdownPolicy(drain: .zero, cancel: .zero) : policy)
  }

  var report: ShutdownReport? {
    if fault == .reportsTooEarly, isShutDown {
      return ShutdownReport(ledger: inner.ledger, unfinished: [])
    }
    return inner.report.map(altered)
  }

  nonisolated(nonsending) func shutdown(_ policy: ShutdownPolicy) async -> ShutdownReport {
    memory.withLock { $0.isShutDown = true }
    return altered(await inner.shutdown(policy))
  }

  private func altered(_ report: ShutdownReport) -> ShutdownReport {
    var ledger = report.ledger
    if fault == .unbalancedReport { ledger.completed += 1 }
    return ShutdownReport(
      ledger: ledger, unfinished: fault == .forgetsUnfinished ? [] : report.unfinished)
  }
}

/// Checks a ``FaultyDispatcher`` against the contract.
struct FaultySubject: ContractSubject {
  let fault: Fault?

  var provides: DispatcherContract.Provisions { .events }

  func makeDispatcher(_ configuration: ContractConfiguration) -> FaultyDispatcher {
    FaultyDispatcher(configuration, fault: fault)
  }

  func runUntilIdle(_ dispatcher: FaultyDispatcher) throws {
    try FakeSubject().runUntilIdle(dispatcher.inner)
  }

  func runBackgroundUntilIdle(_ dispatcher: FaultyDispatcher) throws {
    try FakeSubject().runBackgroundUntilIdle(dispatcher.inner)
  }

  func pass(_ duration: Duration, on dispatcher: FaultyDispatcher) throws {
    try FakeSubject().pass(duration, on: dispatcher.inner)
  }

  func spend(_ duration: Duration, on dispatcher: FaultyDispatcher) {
    FakeSubject().spend(duration, on: dispatcher.inner)
  }

  func end(_ dispatcher: FaultyDispatcher) throws { try FakeSubject().end(dispatcher.inner) }

  func finish(_ dispatcher: FaultyDispatcher) throws {
    // A fault may keep objects that keep the dispatcher.
    defer { dispatcher.forget() }
    try FakeSubject().finish(dispatcher.inner)
  }

  func raise(_ signal: Signal, to dispatcher: FaultyDispatcher) throws {
    try FakeSubject().raise(signal, to: dispatcher.inner)
  }

  func openDescriptor(for dispatcher: FaultyDispatcher) -> CInt {
    FakeSubject().openDescriptor(for: dispatcher.inner)
  }

  func makeReadable(_ descriptor: CInt, for dispatcher: FaultyDispatcher) throws {
    try FakeSubject().makeReadable(descriptor, for: dispatcher.inner)
  }
}

extension ContractConfiguration {
  /// The configuration with those faults that lie in how the inner dispatcher is made, or in what its observer
  /// is told.
  func with(_ fault: Fault?) -> ContractConfiguration {
    var changed = self
    switch fault {
    case .hasOneWorker: changed.width = 1
    case .neverAges: changed.agingStep = .seconds(3600)
    case .agesAtOnce: changed.agingStep = .nanoseconds(1)
    case .refusesWithinLimit: changed.overflow = overflow.with(-1)
    case .acceptsBeyondLimit: changed.overflow = overflow.with(1)
    case .tellsTwice, .forgetsToTell, .forgetsParents:
      changed.observer = observer.map { FaultyObserver(observer: $0, fault: fault) }
    default: break
    }
    return changed
  }
}

extension Overflow {
  fileprivate func with(_ change: Int) -> Overflow {
    switch self {
    case .unbounded: .unbounded
    case .reject(let limit): .reject(limit: max(1, limit + change))
    case .blockCaller(let limit, let timeout):
      .blockCaller(limit: max(1, limit + change), timeout: timeout)
    }
  }
}

/// Reports something else to its observer than what happened.
private struct FaultyObserver: TaskObserver {
  let observer: any TaskObserver
  let fault: Fault?

  func observe(_ event: TaskEvent) {
    let isEnd = if case .finished = event.kind { true } else { false }
    if fault == .forgetsToTell, isEnd { return }
    if fault == .tellsTwice, isEnd { observer.observe(event) }
    guard fault == .forgetsParents else { return observer.observe(event) }
    let task = event.task
    let orphan = TaskRecord(
      id: task.id, label: task.label, lane: task.lane, queue: task.queue, site: task.site,
      parent: nil, enqueuedAt: task.enqueuedAt)
    observer.observe(TaskEvent(event.kind, orphan, at: event.time))
  }
}
