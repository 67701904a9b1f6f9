internal import TaskDispatch

/// A dispatcher that does the least that `post` can do: it puts the task into a ready queue under a
/// lock. What a plain call costs above that is the cost of the public call.
///
/// Everything but `post` is refused.
final class BareDispatcher: DispatcherImplementation {
  let queue = BareQueue()

  var foreground: TaskQueue { TaskQueue(dispatcher: self, lane: .foreground) }
  var background: TaskQueue { TaskQueue(dispatcher: self, lane: .background) }
  var now: DispatcherInstant { .start }
  var ledger: Ledger { Ledger() }
  var report: ShutdownReport? { nil }

  func post(
    _ body: consuming @escaping @Sendable () -> Void, on queue: TaskQueue, at site: CallSite
  ) -> Admission {
    self.queue.push(body, site)
    return .accepted
  }

  func makeQueue(_ options: QueueOptions) -> TaskQueue { background }
  func submit(_ item: WorkItem) -> Admission { no() }
  func submitWhenRoom(_ item: WorkItem) { no() }
  func release(_ item: WorkItem) { no() }
  func cancel(_ item: WorkItem) -> Cancellation { no() }
  func sync(on queue: TaskQueue, at site: CallSite, _ body: () -> Void) throws(WaitRefusal) { no() }
  func wait(for target: WaitTarget, timeout: Duration?) throws(WaitRefusal) { no() }
  nonisolated(nonsending) func flush(_ queue: TaskQueue) async { no() }
  func suspend(_ queue: TaskQueue) { no() }
  func resume(_ queue: TaskQueue) { no() }
  func taskExecutor(for queue: TaskQueue) -> any TaskExecutor { no() }
  func serialExecutor(for queue: TaskQueue) -> any SerialExecutor { no() }
  func beginShutdown(_ policy: ShutdownPolicy) { no() }
  nonisolated(nonsending) func shutdown(_ policy: ShutdownPolicy) async -> ShutdownReport { no() }

  private func no() -> Never { fatalError("the bare dispatcher only posts") }
}

/// As many tasks wait before they run.
private let waiting = 256

/// Batches of tasks through a bare ready queue under a lock.
@inline(never)
func profilePush(count: Int) {
  let queue = BareQueue()
  let counter = Counter()
  let site = CallSite(fileID: #fileID, line: #line)
  for _ in 0..<count {
    for _ in 0..<waiting { queue.push({ counter.count += 1 }, site) }
    for _ in 0..<waiting { queue.take()() }
  }
  precondition(counter.count == count * waiting)
}

/// The same through `queue { … }`.
@inline(never)
func profilePlainCall(count: Int) {
  let dispatcher = BareDispatcher()
  let queue = dispatcher.background
  let counter = Counter()
  for _ in 0..<count {
    for _ in 0..<waiting { queue { counter.count += 1 } }
    for _ in 0..<waiting { dispatcher.queue.take()() }
  }
  precondition(counter.count == count * waiting)
}

final class BareQueue: Sendable {
  private let ready = Locked(ReadyQueue<Slot>(agingStep: 100_000_000))

  @inline(__always)
  func push(_ body: consuming @escaping @Sendable () -> Void, _ site: CallSite) {
    let slot = Slot(body, site)
    ready.withLock { _ = $0.push(slot, in: .medium) }
  }

  @inline(never)
  func take() -> @Sendable () -> Void { ready.withLock { $0.take(now: { 0 }) }!.body }
}

private final class Counter: @unchecked Sendable {
  // One thread uses it.
  var count = 0
}
