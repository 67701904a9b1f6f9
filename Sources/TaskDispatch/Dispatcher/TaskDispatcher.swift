/// Accepts work, and runs each piece later on the lane or view that it was submitted to.
///
/// *Foreground* tasks run on one thread, the event loop's: one at a time, in order. *Background* tasks run on
/// a pool, several at a time. The real dispatcher and the fake both conform, so code that takes
/// `any TaskDispatcher` runs in production, and is stepped in a test.
///
/// Every conforming type keeps these rules.
///
/// 1. **Later.** No body runs inside the call that submits it, except in `sync` and on a fake that is told to
///    run at once. On another thread the body may have started before the call returns.
/// 2. **Once.** Every submission gets exactly one outcome. Accepted work runs exactly once unless it is
///    cancelled, expires or is abandoned.
/// 3. **In order.** Within one queue and band, a submission that returned before another began is taken
///    first.
/// 4. **Alone.** Foreground tasks never overlap. A queue of width *w* never runs more than *w* tasks, and
///    reaches *w* when there is work and the pool has threads.
/// 5. **No head of line.** A task that blocks delays no other queued task while a permitted worker is idle.
/// 6. **Barrier.** A barrier runs alone in its view: after all tasks submitted before it, and before all
///    submitted after it.
/// 7. **Priority.** A higher band starts first. The head of a lower band ages, and is not starved.
/// 8. **Time.** Nothing starts early. Timers come due in an iteration of the loop, so none while a body holds
///    it up. Due tasks run by deadline, then by submission. A repeating timer has at most one run, in its
///    queue or in its body. Ticks that get no run of their own are counted.
/// 9. **Cancel.** Before the start, the body never runs and is released at once. After the start, there is a
///    flag that the body can read. Each call says which of the two it was.
/// 10. **Independence.** Background work starts while the loop is blocked, and before the loop runs.
/// 11. **Fairness.** A task that submits itself for ever starves neither timers nor other tasks.
///     On the foreground, tasks that are due (timers, and calls of event handlers) take turns with posted ones
///     while both wait.
/// 12. **Good citizen.** The pool is shared: its other users, and other dispatchers, are served within a
///     bounded time. Dispatchers that find no thread are served one after the other.
/// 13. **Shutdown.** New submissions are refused, accepted work drains until a deadline, the rest is
///     cancelled, and a report accounts for everything. The report comes at the deadline, whatever does not
///     end by then. A timer that is not due is cancelled at once. A task that only a `resume()` or a
///     `leave()` could free is cancelled once nothing else is left.
/// 14. **No deadlock by surprise.** A wait that only the waiting tasks themselves could end is refused, with
///     the chain.
/// 15. **Fork.** In a forked child every submission is refused.
/// 16. **Quiet.** An idle dispatcher wakes no thread.
/// 17. **Lifetime.** A body is released when its outcome is known. The captures of a body that ran are
///     released on its thread, as the last act of the body, in its context.
/// 18. **Re-entrance.** Running the loop inside a task traps, and names the task.
/// 19. **Events.** What an ``EventDispatcher`` adds: handlers for signals and descriptors run on the
///     foreground, as tasks that no limit counts.
/// 20. **Telling.** Outcomes, group callbacks, observers and released values reach user code on the thread
///     that ended the task, in no task's context. That is after the task has given back its share of its
///     queue, and before the thread takes another task. So such code may wait, and blocks nothing but its own
///     thread. If a call ends the task (`cancel()`, `leave()`, a refusal), user code is called inside that
///     call, in the context of the calling code. If several tasks end at once, all of them get their outcomes
///     before user code is called for the first. Before that, everything that waits for them goes on:
///     threads, Tasks, notifications of a group, a shutdown's deadlines. A Task goes on by the `enqueue` of
///     its executor. An executor of your own that waits in `enqueue` delays the other Tasks that wait for the
///     same end, except those that await the report of a shutdown.
///
/// Tasks are submitted by the methods of ``TaskQueue``. What those call is in ``DispatcherImplementation``: conform to
/// that if you write a dispatcher.
public protocol TaskDispatcher: AnyObject, Sendable {
  /// The queue of the event loop's thread: one task at a time, strictly first in first out.
  var foreground: TaskQueue { get }
  /// The queue of the pool: at most as many tasks at a time as its width.
  var background: TaskQueue { get }

  /// Makes a view of the background, with a width and barriers of its own. It costs no thread. Any thread.
  ///
  /// - Parameter options: Traps if its width or its limit is less than 1.
  func makeQueue(_ options: QueueOptions) -> TaskQueue

  /// The present time on this dispatcher's clock. Any thread.
  var now: DispatcherInstant { get }

  /// How many submissions this dispatcher has had, and how they ended. Any thread.
  var ledger: Ledger { get }

  /// What this dispatcher holds and does now: its queues, what runs, timers, handlers and waits. Any thread.
  ///
  /// It takes no longer if more tasks wait. It holds the dispatcher's lock for a time that grows with the number of
  /// queues, of running tasks and of handlers.
  func snapshot() -> DispatcherSnapshot

  // MARK: The end

  /// Begins to shut down, and returns at once. Any thread or task. A later call can only shorten the
  /// deadlines.
  func beginShutdown(_ policy: ShutdownPolicy)

  /// The report of the shutdown. Nil until the shutdown is over.
  var report: ShutdownReport? { get }

  /// Shuts down, and returns the report. Every caller gets the same report.
  nonisolated(nonsending) func shutdown(_ policy: ShutdownPolicy) async -> ShutdownReport
}

extension TaskDispatcher {
  /// A clock that shows this dispatcher's time. It keeps the dispatcher alive.
  public var clock: DispatcherClock { DispatcherClock(self) }

  /// Whether the calling code runs on the foreground.
  public var isForeground: Bool { foreground.isCurrent }

  /// Traps unless the calling code runs on the foreground.
  public func preconditionForeground(fileID: StaticString = #fileID, line: UInt = #line) {
    foreground.preconditionIsCurrent(fileID: fileID, line: line)
  }

  /// Begins to shut down with the default deadlines.
  public func beginShutdown() { beginShutdown(ShutdownPolicy()) }

  /// A snapshot with the time and the ledger alone, for a dispatcher that knows no more.
  public func snapshot() -> DispatcherSnapshot {
    DispatcherSnapshot(label: "\(type(of: self))", time: now, ledger: ledger)
  }

  /// Shuts down with the default deadlines, and returns the report.
  nonisolated(nonsending) public func shutdown() async -> ShutdownReport {
    await shutdown(ShutdownPolicy())
  }
}
