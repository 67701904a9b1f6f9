#if Daemon
  public import CoreMetrics
  public import UVDispatch

  /// Counts and times every task, by swift-metrics. All labels begin with `task_dispatch_`:
  ///
  /// | Label | Kind | Dimensions |
  /// |---|---|---|
  /// | `tasks_total` | counter of submissions that have ended | `dispatcher`, `outcome` |
  /// | `wait` | timer from the submission, or the time a timer came due, to the start of a body | `dispatcher`, `queue` |
  /// | `run` | timer from the start of a body to its end | `dispatcher`, `queue` |
  /// | `loop_delay` | timer of how late the loop is, with ``sample(_:every:)`` | `dispatcher` |
  /// | `waiting`, `running` | gauges, with ``sample(_:every:)`` | `dispatcher` |
  ///
  /// A task is counted when its end is told, and timed once all of its start and its end was told: one
  /// without a start, such as a sleep on the clock or what was cancelled while it waited, has neither
  /// `wait` nor `run`; one that was abandoned has no `run`.
  ///
  /// A dispatcher tells its observers from several threads, so the events of one task may be told in
  /// another order than they happened, and only their times count. Of one body, the start is told before
  /// the end, by the thread that runs it; more is not relied upon. Nothing is kept of a task once all that
  /// is sure to be told of it was.
  ///
  /// What nobody can know is that a task was a timer if its coming due is told after all else: then its
  /// `wait` counts from the submission, as that of a task does.
  ///
  /// Each task costs some dictionary look-ups under a lock, on the thread where it happens. An entry is
  /// kept of each that waits or runs.
  public final class MetricsObserver: TaskObserver {
    private let dispatcher: String
    private let factory: any MetricsFactory
    private let state: Locked<State>
    private let loopDelay: CoreMetrics.Timer
    private let waiting: Gauge
    private let running: Gauge

    private struct State {
      var stories = TaskStories()
      var queues: [String: Queue] = [:]
      var outcomes: [String: Counter] = [:]
    }

    private struct Queue {
      let wait: CoreMetrics.Timer
      let run: CoreMetrics.Timer
    }

    /// - Parameters:
    ///   - dispatcher: The dispatcher's label.
    ///   - factory: That of the process if nil, which is asked for now: bootstrap it before.
    public init(dispatcher: String, factory: (any MetricsFactory)? = nil) {
      let factory = factory ?? MetricsSystem.factory
      self.dispatcher = dispatcher
      self.factory = factory
      let dimensions = [("dispatcher", dispatcher)]
      loopDelay = .init(
        label: "task_dispatch_loop_delay", dimensions: dimensions, factory: factory)
      waiting = Gauge(label: "task_dispatch_waiting", dimensions: dimensions, factory: factory)
      running = Gauge(label: "task_dispatch_running", dimensions: dimensions, factory: factory)
      state = Locked(State())
    }

    /// How many tasks it keeps an entry of.
    var openStories: Int { state.withLock { $0.stories.count } }

    public func observe(_ event: TaskEvent) {
      let told = state.withLock { $0.stories.hear(event) }
      if let told {
        let queue = timers(of: event.task.queue)
        queue.wait.record(from: told.readyAt, to: told.startedAt)
        if let endedAt = told.endedAt { queue.run.record(from: told.startedAt, to: endedAt) }
      }
      switch event.kind {
      case .refused: count("refused")
      case .finished(let outcome): count(outcome.name)
      default: break
      }
    }

    /// Measures every `interval`, from now on until it is cancelled or the dispatcher is shut down: how
    /// late the loop comes to what is due, and how many tasks wait and run. It wakes the loop each
    /// time. Any thread.
    ///
    /// - Returns: Cancels it. It keeps the dispatcher, as every handle does; the sampling does not.
    @discardableResult
    public func sample(_ dispatcher: any TaskDispatcher, every interval: Duration) -> TimerHandle {
      // Not `Confined`, which would hold the dispatcher that holds this.
      let due = Locked(dispatcher.now.advanced(by: interval))
      return dispatcher.foreground.every(interval, catchUp: .spaced, label: "sample metrics") {
        [weak dispatcher] in
        guard let dispatcher else { return }
        self.loopDelay.record(from: due.withLock { $0 }, to: dispatcher.now)
        let ledger = dispatcher.ledger
        self.waiting.record(ledger.waiting)
        // One of them is this.
        self.running.record(ledger.running - 1)
        let next = dispatcher.now.advanced(by: interval)
        due.withLock { $0 = next }
      }
    }

    /// The factory is the user's: it is called without the lock. If two threads come first together, the
    /// timers of one are kept.
    private func timers(of queue: String) -> Queue {
      if let known = state.withLock({ $0.queues[queue] }) { return known }
      let dimensions = [("dispatcher", dispatcher), ("queue", queue)]
      let made = Queue(
        wait: .init(label: "task_dispatch_wait", dimensions: dimensions, factory: factory),
        run: .init(label: "task_dispatch_run", dimensions: dimensions, factory: factory))
      return state.withLock { state in
        let kept = state.queues[queue] ?? made
        state.queues[queue] = kept
        return kept
      }
    }

    private func count(_ outcome: String) { counter(of: outcome).increment() }

    /// As ``timers(of:)``.
    private func counter(of outcome: String) -> Counter {
      if let known = state.withLock({ $0.outcomes[outcome] }) { return known }
      let made = Counter(
        label: "task_dispatch_tasks_total",
        dimensions: [("dispatcher", dispatcher), ("outcome", outcome)], factory: factory)
      return state.withLock { state in
        let kept = state.outcomes[outcome] ?? made
        state.outcomes[outcome] = kept
        return kept
      }
    }
  }

  extension CoreMetrics.Timer {
    fileprivate func record(from start: DispatcherInstant, to end: DispatcherInstant) {
      recordNanoseconds(max(0, start.duration(to: end).clampedNanoseconds))
    }
  }

  extension Outcome {
    fileprivate var name: String {
      switch self {
      case .completed: "completed"
      case .failed: "failed"
      case .cancelled: "cancelled"
      case .expired: "expired"
      case .refused: "refused"
      case .abandoned: "abandoned"
      }
    }
  }
#endif
