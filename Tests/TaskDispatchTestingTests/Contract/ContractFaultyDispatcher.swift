import TaskDispatch
import TaskDispatchContract
import TaskDispatchTesting

/// A dispatcher that does everything that ``RecordingDispatcher`` does, but for one planted fault.
///
/// Its queues name this dispatcher, so every submission passes through it.
final class FaultyDispatcher: DispatcherImplementation, EventDispatcher {
  let inner: RecordingDispatcher
  let fault: Fault?
  let memory = Locked(Memory())

  struct Memory {
    /// The items that stand in the inner queues for items that the fault touches.
    var standIns: [ObjectIdentifier: WorkItem] = [:]
    /// Keeps the items alive, so that no address in the keys above is used again.
    var items: [WorkItem] = []
    var bodies: [TaskQueue.Identity: [@Sendable () -> Void]] = [:]
    var cancelled: Set<ObjectIdentifier> = []
    var timers: [WorkItem] = []
    var isShutDown = false
    var calls = 0
  }

  init(_ configuration: ContractConfiguration, fault: Fault?) {
    self.fault = fault
    inner = FakeSubject().makeDispatcher(configuration.with(fault))
  }

  /// Releases all that it keeps.
  func forget() {
    let memory = memory.withLock { memory in
      defer { memory = Memory() }
      return memory
    }
    withExtendedLifetime(memory) {}
  }

  // MARK: Queues

  var foreground: TaskQueue { TaskQueue(dispatcher: self, lane: .foreground) }
  var background: TaskQueue { TaskQueue(dispatcher: self, lane: .background) }

  func makeQueue(_ options: QueueOptions) -> TaskQueue {
    var options = options
    if fault == .exceedsWidth, options.width > 1 { options.width += 1 }
    let queue = inner.makeQueue(options)
    return TaskQueue(dispatcher: self, view: queue.view, lane: .background)
  }

  /// The inner queue for a queue of this dispatcher.
  func inside(_ queue: TaskQueue) -> TaskQueue {
    switch fault {
    case .barrierIsNone:
      TaskQueue(dispatcher: inner, view: queue.view, lane: queue.lane)
    case .barrierStartsEarly where queue.isBarrier && queue.lane == .background: inner.background
    case .barrierHoldsEverybody where queue.view != nil:
      queue.isBarrier ? inner.background.barrier : inner.background
    default:
      TaskQueue(
        dispatcher: inner, view: queue.view, lane: queue.lane, isBarrier: queue.isBarrier)
    }
  }

  func isCurrent(_ queue: TaskQueue) -> Bool {
    switch fault {
    case .isCurrentEverywhere: true
    default: inner.isCurrent(inside(queue))
    }
  }

  var now: DispatcherInstant {
    guard fault == .clockGoesBack else { return inner.now }
    let calls = memory.withLock { memory -> Int in
      memory.calls += 1
      return memory.calls
    }
    return inner.now.advanced(by: .microseconds(calls % 2 == 0 ? 10 : 0))
  }

  var ledger: Ledger {
    var ledger = inner.ledger
    if fault == .losesBalance, ledger.completed > 0 { ledger.completed -= 1 }
    return ledger
  }

  // MARK: Waiting

  func sync(on queue: TaskQueue, at site: CallSite, _ body: () -> Void) throws(WaitRefusal) {
    if fault == .syncIgnoresOrder { return body() }
    if fault == .refusesEveryWait, inner.currentTask != nil { throw .wouldDeadlock(chain: [link]) }
    if fault == .overlapsForeground { runNestedForeground() }
    do throws(WaitRefusal) { try inner.sync(on: inside(queue), at: site, body) } catch {
      guard case .wouldDeadlock = error else { throw error }
      switch fault {
      case .runsNestedSync: return body()
      case .runsRefusedSync: body()
      case .emptyChain: throw .wouldDeadlock(chain: [])
      default: break
      }
      throw error
    }
  }

  func wait(for target: WaitTarget, timeout: Duration?) throws(WaitRefusal) {
    if fault == .refusesEveryWait, inner.currentTask != nil { throw .wouldDeadlock(chain: [link]) }
    if fault == .overlapsForeground { runNestedForeground() }
    guard case .item(let item) = target, let standIn = standIn(of: item) else {
      return try inner.wait(for: target, timeout: timeout)
    }
    try inner.wait(for: .item(standIn), timeout: timeout)
  }

  private var link: WaitLink { WaitLink(waiter: "you", waiterQueue: nil, waitsFor: "nothing") }

  /// Runs the next foreground body inside the one that runs.
  private func runNestedForeground() {
    guard inner.currentTask?.lane == .foreground else { return }
    takeBody(of: foreground.identity, last: false)?()
  }

  nonisolated(nonsending) func flush(_ queue: TaskQueue) async {
    if fault == .flushesEarly { return }
    await inner.flush(inside(queue))
  }

  func suspend(_ queue: TaskQueue) {
    if fault != .ignoresSuspension { inner.suspend(inside(queue)) }
  }

  func resume(_ queue: TaskQueue) {
    if fault != .ignoresSuspension { inner.resume(inside(queue)) }
    if fault == .runsInsideResume { _ = try? inner.runUntilIdle() }
  }

  // MARK: Swift Tasks

  func taskExecutor(for queue: TaskQueue) -> any TaskExecutor {
    inner.taskExecutor(for: inside(queue))
  }

  func serialExecutor(for queue: TaskQueue) -> any SerialExecutor {
    inner.serialExecutor(for: inside(queue))
  }
}
