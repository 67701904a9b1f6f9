import TaskDispatch

/// A dispatcher of one thread and of virtual time, made with public calls alone: an example for authors of dispatchers.
///
/// It runs nothing by itself. ``runUntilIdle()`` and ``pass(_:)`` run the bodies, on the thread that calls them; a call
/// that waits runs the bodies that it waits for. Any thread may submit. One thread at a time steps.
///
/// All that changes is in ``SteppedState``, under one lock. No user code runs under that lock: what a section leaves to
/// be told is in its ``News``.
final class SteppedDispatcher: DispatcherImplementation {
  let configuration: Configuration
  let executors = Guarded(Executors())
  private let state: Guarded<SteppedState>

  struct Configuration: Sendable {
    /// The most background bodies that run at a time.
    var width = 3
    /// With `.blockCaller`, a submission to a full queue runs tasks until there is room, on the calling thread. So that
    /// thread must be the one that steps.
    var overflow = Overflow.unbounded
    /// How long the head of a band waits until it counts as one band higher.
    var agingStep = Duration.milliseconds(50)
    var observer: (any TaskObserver)?
  }

  init(_ configuration: Configuration = Configuration()) {
    self.configuration = configuration
    state = Guarded(SteppedState(configuration))
    withState { [name = ObjectIdentifier(self)] in $0.dispatcher = name }
  }

  deinit {
    // All have their outcomes before the first is told. The observer is not told of these.
    let left = state.withLock { $0.removeAll() }
    var endings = Endings()
    for task in left where !task.isSwiftTask { endings.end(task.taken, .cancelled) }
    endings.tell(for: nil, outsideTasks: false)
    for case .job(let job, _) in left.map(\.role) { globalConcurrentExecutor.enqueue(job) }
  }

  var observer: (any TaskObserver)? { configuration.observer }

  // MARK: Queues

  var foreground: TaskQueue { TaskQueue(dispatcher: self, lane: .foreground) }
  var background: TaskQueue { TaskQueue(dispatcher: self, lane: .background) }

  func makeQueue(_ options: QueueOptions) -> TaskQueue {
    let overflow = options.validOverflow(or: configuration.overflow)
    let view = SteppedView(options, overflow, of: ObjectIdentifier(self))
    return TaskQueue(dispatcher: self, view: view, lane: .background)
  }

  /// The dispatcher's own class of a queue's view; nil for a lane. Traps if the view belongs to another dispatcher.
  func view(_ view: QueueView?) -> SteppedView? {
    guard let view else { return nil }
    guard let mine = view as? SteppedView, mine.owner == ObjectIdentifier(self) else {
      fatalError("the queue \"\(view.label)\" belongs to another dispatcher")
    }
    return mine
  }

  func suspend(_ queue: TaskQueue) {
    guard let view = view(queue.view) else { fatalError("\(queue) cannot be suspended") }
    withState { _ in view.line.suspensions += 1 }
  }

  func resume(_ queue: TaskQueue) {
    guard let view = view(queue.view) else { fatalError("\(queue) was never suspended") }
    withState { _ in
      precondition(view.line.suspensions > 0, "\(queue) was resumed more often than suspended")
      view.line.suspensions -= 1
    }
  }

  // MARK: What is known

  var now: DispatcherInstant { withState { $0.now } }
  var ledger: Ledger { withState { $0.ledger } }
  var report: ShutdownReport? { withState { $0.report } }

  // MARK: The lock

  /// Runs `body` under the lock. When the lock is free, tells what `body` has left to be told.
  ///
  /// - Parameter outsideTasks: Whether that is told in no task, as after the end of a body.
  func withState<Result>(
    outsideTasks: Bool = false, _ body: (inout SteppedState) -> Result
  ) -> Result {
    var news: News?
    let result = state.withLock { state in
      let result = body(&state)
      news = state.news.take()
      return result
    }
    if let news = news.take() { news.tell(for: self, outsideTasks: outsideTasks) }
    return result
  }
}
