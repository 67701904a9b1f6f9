internal import TaskDispatch

/// A dispatcher that does the least that `post` can do: it puts the task into a ready queue. What a
/// plain call costs above that is the cost of the public call.
///
/// Used by one thread; everything but `post` is refused.
final class BareDispatcher: TaskDispatcher, @unchecked Sendable {
  var queue = ReadyQueue<Slot>(agingStep: 100_000_000)

  var foreground: TaskQueue { TaskQueue(dispatcher: self, lane: .foreground) }
  var background: TaskQueue { TaskQueue(dispatcher: self, lane: .background) }
  var now: DispatcherInstant { .start }
  var ledger: Ledger { Ledger() }
  var report: ShutdownReport? { nil }

  func post(
    _ body: consuming @escaping @Sendable () -> Void, on queue: TaskQueue, at site: CallSite
  ) -> Admission {
    self.queue.push(Slot(body, site), in: site.band)
    return .accepted
  }

  func makeQueue(label: String, width: Int) -> TaskQueue { background }
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

/// What no queue can save: each closure is allocated, called and freed.
@inline(never)
func profileFloor(count: Int) {
  let counter = Counter()
  let keeper = Keeper()
  for _ in 0..<count {
    keeper.keep { counter.count += 1 }
    keeper.kept.take()!()
  }
  precondition(counter.count == count)
}

/// The same through a bare ready queue.
@inline(never)
func profilePush(count: Int) {
  let queue = BareQueue()
  let counter = Counter()
  let site = CallSite(fileID: #fileID, line: #line)
  for _ in 0..<count {
    queue.push({ counter.count += 1 }, site)
    queue.ready.take(now: { 0 })!.body()
  }
  precondition(counter.count == count)
}

/// The same through `queue { … }`.
@inline(never)
func profilePlainCall(count: Int) {
  let dispatcher = BareDispatcher()
  let queue = dispatcher.background
  let counter = Counter()
  for _ in 0..<count {
    queue { counter.count += 1 }
    dispatcher.queue.take(now: { 0 })!.body()
  }
  precondition(counter.count == count)
}

private final class Keeper {
  var kept: (@Sendable () -> Void)?

  // Not inlined, so that the compiler cannot see that the closure does not outlive its maker.
  @inline(never)
  func keep(_ body: consuming @escaping @Sendable () -> Void) { kept = body }
}

private final class BareQueue {
  var ready = ReadyQueue<Slot>(agingStep: 100_000_000)

  @inline(never)
  func push(_ body: consuming @escaping @Sendable () -> Void, _ site: CallSite) {
    ready.push(Slot(body, site), in: site.band)
  }
}

private final class Counter: @unchecked Sendable {
  // One thread uses it.
  var count = 0
}
