internal import Synchronization
public import TaskDispatch

/// A dispatcher that runs nothing by itself: a test steps it, task by task, in virtual time.
///
/// ```swift
/// let dispatcher = RecordingDispatcher()
/// let importer = Importer(dispatcher: dispatcher)
/// importer.start(path)
/// try dispatcher.runNextBackgroundTask()
/// #expect(importer.digests.isEmpty)
/// try dispatcher.runNextForegroundTask()
/// #expect(importer.digests.count == 1)
/// try dispatcher.finish()
/// ```
///
/// Inside a body, and inside the Tasks that run on its executors, it is `Dispatchers.current`. Between steps, the
/// test's own code stands for the foreground, so the test can look at ``TaskDispatch/Confined`` state.
///
/// It keeps the rules of ``TaskDispatch/TaskDispatcher`` and shares its policy values with the real dispatcher. So it
/// allows exactly the orders that threads can bring about. Every body runs on the thread that steps, and no two
/// overlap. It finds no data race inside a body: that is ThreadSanitizer's work.
///
/// Instances are independent, so tests that use one each can run in parallel. Any thread may submit. One thread at a
/// time steps.
public final class RecordingDispatcher: DispatcherImplementation, EventDispatcher {
  private let state: Locked<State>
  let executors = Locked(LaneExecutors())
  /// Whether hooks around bodies are set, so that a step without them need not take the lock to look.
  let hasHooks = Atomic(false)
  /// Chooses the steps of calls that run many. Nil for the fake's own preference.
  package let chooser: (any MoveChooser)?
  public let configuration: Configuration

  /// Makes a fake. Traps if the width, the step limit or a queue's limit in `configuration` is below 1.
  public convenience init(_ configuration: Configuration = Configuration()) {
    self.init(configuration, chooser: nil)
  }

  package init(_ configuration: Configuration, chooser: (any MoveChooser)?) {
    self.configuration = configuration
    self.chooser = chooser
    state = Locked(State(configuration))
    state.withLock { [id = ObjectIdentifier(self)] in $0.dispatcher = id }
  }

  /// Makes a fake whose choices `decisions` makes.
  convenience init(_ configuration: Configuration, exploredBy decisions: Decisions) {
    self.init(configuration, chooser: nil)
    state.withLock { $0.decisions = decisions }
  }

  /// Ends the exploration of this dispatcher: from now on the fake's own preference decides. Any thread.
  func leaveExploration() { state.withLock { $0.decisions = nil } }

  deinit {
    // Without the lock, and without a report: `finish()` reports.
    let left = state.withLock { $0.releaseEverything() }
    // Every item has its outcome before the first end is told, since user code may ask for any of them.
    let ends = left.map { entry in
      let outcome = entry.item?.isRunning == true ? Outcome.abandoned : .cancelled
      return (entry, outcome, entry.item?.setOutcome(outcome))
    }
    for case (let entry, _, let telling?) in ends { entry.item?.wakeThreads(telling) }
    for case (let entry, let outcome, let telling?) in ends { entry.item?.resume(outcome, telling) }
    for (entry, outcome, telling) in ends {
      if let telling { entry.item?.tell(outcome, telling) }
      // A job cannot be refused.
      if case .job(let job) = entry.work { job.executor.runElsewhere(job.job) }
    }
  }

  // MARK: Queues

  public var foreground: TaskQueue { TaskQueue(dispatcher: self, lane: .foreground) }
  public var background: TaskQueue { TaskQueue(dispatcher: self, lane: .background) }

  public func makeQueue(_ options: QueueOptions) -> TaskQueue {
    let overflow = options.validOverflow(or: configuration.overflow)
    let view = withState { state in
      let view = RecordingView(
        label: options.label, width: options.width, overflow: overflow,
        workerWidth: configuration.width,
        agingStep: configuration.agingStep.clampedNanoseconds, of: state.name,
        relocated: State.relocate)
      state.add(view)
      return view
    }
    return TaskQueue(dispatcher: self, view: view, lane: .background)
  }

  /// Virtual time. It begins at zero, and moves only when a call moves it. Any thread.
  public var now: DispatcherInstant {
    withState { DispatcherInstant(nanoseconds: $0.now) }
  }

  public var ledger: Ledger { withState { $0.ledger } }

  /// What the fake holds now. Threads and their pool are not in it, nor for how long a body has run.
  public func snapshot() -> DispatcherSnapshot { withState { $0.snapshot() } }

  /// Whether the calling code runs in a task of `queue`. Between two steps, the test's thread stands for the
  /// foreground.
  public func isCurrent(_ queue: TaskQueue) -> Bool {
    if TaskContext.isRunning(queue.identity) { return true }
    guard queue.lane == .foreground, queue.dispatcher === self else { return false }
    return withState { !$0.isStepping && $0.bodyOfThisThread == nil }
  }

  // MARK: The lock

  /// Runs `body` under the lock, and makes the deferred callbacks after it.
  ///
  /// - Parameter outsideTasks: Whether those callbacks are made in no task's context, as after the end of a task. The
  ///   callbacks of a call of user code are made in the context of that code.
  @inline(__always)
  func withState<Result, Failure: Error>(
    outsideTasks: Bool = false, _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var callbacks: State.DeferredCallbacks?
    // Taken out: what they hold is released inside the delivery, and may submit more there.
    defer { if let taken = callbacks.take() { deliver(taken, outsideTasks: outsideTasks) } }
    return try state.withLock { state throws(Failure) in
      defer { callbacks = state.callbacks.take() }
      return try body(&state)
    }
  }

  /// Makes deferred callbacks. Never under the lock: each of them may submit.
  @inline(never)
  private func deliver(_ callbacks: consuming State.DeferredCallbacks, outsideTasks: Bool) {
    // What they hold is released inside this call as well.
    var callbacks = Optional(callbacks)
    TaskContext.delivering(for: self, outsideTasks: outsideTasks) {
      if let callbacks = callbacks.take() { makeCalls(of: callbacks) }
    }
  }

  private func makeCalls(of callbacks: consuming State.DeferredCallbacks) {
    for ending in callbacks.endings { ending.item.wakeThreads(ending.telling) }
    for ending in callbacks.endings { ending.item.resume(ending.outcome, ending.telling) }
    for wake in callbacks.wakes { wake() }
    if !callbacks.events.isEmpty {
      let onEvent = state.withLock { $0.hooks.onEvent }
      for event in callbacks.events {
        configuration.observer?.observe(event)
        onEvent?(event)
      }
    }
    for ending in callbacks.endings { ending.item.tell(ending.outcome, ending.telling) }
    for call in callbacks.calls { call() }
  }

  // MARK: The current dispatcher, for tests

  /// The fake that ``withDispatcher(_:_:)`` or the test's trait has made current. Nil if there is none, or if the
  /// current dispatcher is no fake.
  public static var current: RecordingDispatcher? { Dispatchers.innermost as? RecordingDispatcher }
}

extension RecordingDispatcher: CustomStringConvertible {
  /// One line: the virtual time, and how many submissions there were and how they have ended. ``snapshot()`` tells
  /// more.
  public var description: String {
    let (now, ledger) = withState { ($0.now, $0.ledger) }
    return "RecordingDispatcher at \(DispatcherInstant(nanoseconds: now)): \(ledger)"
  }
}
