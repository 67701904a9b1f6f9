#if Daemon
  public import CoreMetrics
  public import UVDispatch

  /// Counts and times every task, by swift-metrics. All labels begin with `task_dispatch_`:
  ///
  /// | Label | Kind | Dimensions |
  /// |---|---|---|
  /// | `tasks_total` | counter of submissions that have ended | `dispatcher`, `outcome` |
  /// | `wait` | timer from the submission, or a timer's due time, to the start of a body | `dispatcher`, `queue` |
  /// | `run` | timer from the start of a body to its end | `dispatcher`, `queue` |
  /// | `loop_delay` | timer of how late the loop is, with ``sample(_:every:)`` | `dispatcher` |
  /// | `waiting`, `running` | gauges, with ``sample(_:every:)`` | `dispatcher` |
  ///
  /// A task is counted when its end is reported. It is timed when all events of its start and its end were reported.
  /// A task without a start, such as a sleep on the clock or one that was cancelled while it waited, has neither
  /// `wait` nor `run`. A task that was abandoned has no `run`.
  ///
  /// A dispatcher calls its observers from several threads. So the events of one task may come in another order than
  /// they happened, and only their times count. The start and the end of one body come in order, from the thread that
  /// runs it; the observer relies on no other order. It forgets a task once every event has come that is sure to
  /// come.
  ///
  /// If the event that a timer came due is the last of its task to come, the observer cannot know that the task was a
  /// timer. Then its `wait` counts from the submission, as for any task.
  ///
  /// Each event costs some look-ups in dictionaries under a lock, on the thread that reports it. An entry is kept for
  /// each task that waits or runs.
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

    /// Makes an observer for one dispatcher.
    ///
    /// - Parameters:
    ///   - dispatcher: The dispatcher's label.
    ///   - factory: Makes the metrics. If nil, that of the process, which is read now: bootstrap `MetricsSystem`
    ///     before.
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

    /// Measures every `interval` how late the loop comes to what is due, and how many tasks wait and run. It begins
    /// now, and ends when it is cancelled or the dispatcher is shut down. Each measurement wakes the loop. Any
    /// thread.
    ///
    /// - Parameters:
    ///   - dispatcher: The dispatcher to measure, which should be the one of this observer.
    ///   - interval: The time between two measurements.
    /// - Returns: A handle that cancels the sampling. The handle keeps the dispatcher, as every handle does; the
    ///   sampling does not.
    @discardableResult
    public func sample(_ dispatcher: any TaskDispatcher, every interval: Duration) -> TimerHandle {
      // Not `Confined`, which would hold the dispatcher, which holds this.
      let due = Locked(dispatcher.now.advanced(by: interval))
      return dispatcher.foreground.every(interval, catchUp: .spaced, label: "sample metrics") {
        [weak dispatcher] in
        guard let dispatcher else { return }
        self.loopDelay.record(from: due.withLock { $0 }, to: dispatcher.now)
        let ledger = dispatcher.ledger
        self.waiting.record(ledger.waiting)
        // One of the running tasks is this one.
        self.running.record(ledger.running - 1)
        let next = dispatcher.now.advanced(by: interval)
        due.withLock { $0 = next }
      }
    }

    /// The timers of a queue, made when they are first needed. The factory is user code, so it is called without the
    /// lock. If two threads make timers of one queue at a time, those of one thread are kept.
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

    /// The counter of an outcome, made as ``timers(of:)`` makes timers.
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
