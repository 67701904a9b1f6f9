/// Accepts work, and runs each piece later on the lane or view that it was given to.
///
/// *Foreground* tasks run on one thread, one at a time, in order: the event loop's. *Background*
/// tasks run on a pool, several at a time. The real dispatcher and the fake both conform, so code
/// that takes `any TaskDispatcher` runs in production and steps in a test.
///
/// Every conforming type keeps these rules.
///
/// 1. **Later.** No body runs inside the call that submits it; `sync`, and a fake that is told to
///    run at once, aside. On another thread it may already have started.
/// 2. **Once.** Every submission gets exactly one outcome. Accepted work runs exactly once unless it
///    is cancelled, expires or is abandoned.
/// 3. **In order.** If one submission returned before another began, it is taken first, within one
///    queue and band.
/// 4. **Alone.** Foreground tasks never overlap. A queue of width *w* never runs more than *w*, and
///    reaches *w* when there is work and the pool has threads.
/// 5. **No head of line.** A task that blocks delays no other queued task while a permitted worker
///    is idle.
/// 6. **Barrier.** It runs alone in its view: after all that was submitted before, before all after.
/// 7. **Priority.** A higher band starts first; the head of a lower band ages, and is not starved.
/// 8. **Time.** Never early. Due tasks run by deadline, then by submission. A repeating timer has at most one run,
///    in its queue or in its body; ticks that get no run of their own are counted.
/// 9. **Cancel.** Before the start, the body never runs and is released at once. After it, there is
///    a flag the body can read. Each call says which it was.
/// 10. **Independence.** Background work starts while the loop is blocked, and before it runs.
/// 11. **Fairness.** A task that submits itself for ever starves neither timers nor other tasks.
/// 12. **Good citizen.** The pool is shared: other users of it, and other dispatchers, are served within a
///     bounded time. Dispatchers that find no thread take turns.
/// 13. **Shutdown.** The gate closes, accepted work drains until a deadline, the rest is cancelled,
///     and a report accounts for everything. It comes at the deadline, whatever does not end then. A timer that
///     is not due is cancelled at once; so is, once nothing else is left, what only a `resume()` or a `leave()`
///     could free.
/// 14. **No deadlock by surprise.** A wait that only the waiting tasks themselves could end is
///     refused, with the chain.
/// 15. **Fork.** In a forked child every submission is refused.
/// 16. **Quiet.** An idle dispatcher wakes nobody.
/// 17. **Lifetime.** A body is released when its outcome is known. What one that ran has captured is released
///     on its thread, as the last act of the body, in its context.
/// 18. **Re-entrance.** Running the loop inside a task traps, and names the task.
/// 19. **Events.** What an ``EventDispatcher`` adds: handlers for signals and descriptors run on the
///     foreground, as tasks that no limit counts.
/// 20. **Telling.** Outcomes, group callbacks, observers and released values reach user code on the thread that
///     ended the task, in no task's context, after the task has given back its share of its queue and
///     before that thread takes another. So such code may wait, and holds back nothing but its thread. What
///     a call ends (`cancel()`, `leave()`, a refusal) is told inside that call, in the context of the code
///     that calls. Where several tasks end at once, all have their outcomes before the first is told; and what
///     waits for them (threads, Tasks, notifications of a group, a shutdown's deadlines) goes on before that. A
///     Task goes on by the `enqueue` of its executor: one of your own that waits there holds back the other Tasks
///     of that end, those that await the report of a shutdown excepted.
///
/// What a user calls are the methods of ``TaskQueue``; most of what stands here is what those need.
/// Whoever writes a dispatcher runs `DispatcherContract`, of `TaskDispatchTesting`, on it.
public protocol TaskDispatcher: AnyObject, Sendable {
  /// The event loop's thread: one task at a time, strictly first in first out.
  var foreground: TaskQueue { get }
  /// The pool: at most its width at a time.
  var background: TaskQueue { get }

  /// A new view on the background, with a width and barriers of its own. It costs no thread.
  ///
  /// - Parameters:
  ///   - label: For reports. Need not be unique.
  ///   - width: The most tasks of it that run at a time. Traps if less than 1. On workers it is held
  ///     to the background's own width.
  func makeQueue(label: String, width: Int) -> TaskQueue

  /// Now, on this dispatcher's clock.
  var now: DispatcherInstant { get }

  /// How many submissions there were, and what became of them.
  var ledger: Ledger { get }

  // MARK: Submitting

  /// Submits a plain body: the fast path of ``TaskQueue/callAsFunction(fileID:line:_:)``, and of `then:` without
  /// a label, in any band.
  func post(
    _ body: consuming @escaping @Sendable () -> Void, on queue: TaskQueue, at site: CallSite
  ) -> Admission

  /// Submits the reply of a plain body, which calls this, to the foreground. It counts against no limit, and is
  /// refused as an item of kind `.reply` is.
  ///
  /// The default submits such an item. That of a task with a label comes to ``submit(_:)`` itself.
  func reply(_ body: consuming sending @escaping () -> Void, at site: CallSite)

  /// Submits everything else. A refused item has been finished with `.refused` when this returns.
  func submit(_ item: WorkItem) -> Admission

  /// Submits `item` as soon as its queue has room; at once if it has no limit. Refusals for any
  /// other reason finish it as in ``submit(_:)``.
  func submitWhenRoom(_ item: WorkItem)

  /// Lets an accepted item of kind `.notification` into its queue.
  func release(_ item: WorkItem)

  /// Cancels an item that was submitted here.
  func cancel(_ item: WorkItem) -> Cancellation

  /// Cancels the task whose body runs in `frame`, which is one of this dispatcher's, on the thread of the
  /// body: what ``CurrentTask/cancel()`` does.
  ///
  /// The default cancels the item of the frame. A dispatcher that has repeating timers or handlers lets a
  /// run stand for its timer, and a call for its registration.
  ///
  /// - Returns: Whether there was something to cancel.
  func cancelRunning(_ frame: TaskFrame) -> Bool

  // MARK: Waiting

  /// Runs `body` once in the order of `queue`, before it returns. See ``TaskQueue/sync(fileID:line:_:)``.
  ///
  /// - Throws: If `body` has not run, and will not.
  func sync(on queue: TaskQueue, at site: CallSite, _ body: () -> Void) throws(WaitRefusal)

  /// Stands still until `target` has come about.
  ///
  /// - Parameter timeout: At most this long; for ever if nil.
  func wait(for target: WaitTarget, timeout: Duration?) throws(WaitRefusal)

  /// Suspends until what was submitted to `queue` before has ended.
  nonisolated(nonsending) func flush(_ queue: TaskQueue) async

  /// Holds a view. Nests.
  func suspend(_ queue: TaskQueue)
  /// Lets a view go on.
  func resume(_ queue: TaskQueue)

  // MARK: Where am I

  /// Whether the calling code runs in a task of `queue`, or stands for it.
  func isCurrent(_ queue: TaskQueue) -> Bool

  // MARK: Swift Tasks

  /// Runs the jobs of Swift Tasks on `queue`. The same object each time.
  func taskExecutor(for queue: TaskQueue) -> any TaskExecutor
  /// Runs the jobs of actors on `queue`, which has width 1. The same object each time, for as long
  /// as this dispatcher lives.
  func serialExecutor(for queue: TaskQueue) -> any SerialExecutor

  // MARK: The end

  /// Begins to shut down. Returns at once; any thread or task. A later call only shortens.
  func beginShutdown(_ policy: ShutdownPolicy)

  /// What the shutdown left behind, once it is over.
  var report: ShutdownReport? { get }

  /// Shuts down, and returns what was left. Everybody who asks gets the same report.
  nonisolated(nonsending) func shutdown(_ policy: ShutdownPolicy) async -> ShutdownReport
}

/// What a thread can stand still for.
public enum WaitTarget: Sendable {
  /// Until the item has its outcome.
  case item(WorkItem)
  /// Until the group is empty, or has been since it had emptied so many times: when the call began.
  case group(WorkGroup, since: Int)
}

extension TaskDispatcher {
  /// This dispatcher's clock. Keeps the dispatcher alive.
  public var clock: DispatcherClock { DispatcherClock(self) }

  /// Whether the calling code runs on the foreground.
  public var isForeground: Bool { isCurrent(foreground) }

  /// Traps unless the calling code runs on the foreground.
  public func preconditionForeground(fileID: StaticString = #fileID, line: UInt = #line) {
    foreground.preconditionIsCurrent(fileID: fileID, line: line)
  }

  /// Begins to shut down with the default deadlines.
  public func beginShutdown() { beginShutdown(ShutdownPolicy()) }

  /// Shuts down with the default deadlines.
  nonisolated(nonsending) public func shutdown() async -> ShutdownReport {
    await shutdown(ShutdownPolicy())
  }

  public func isCurrent(_ queue: TaskQueue) -> Bool { TaskFrame.isRunning(queue.identity) }

  public func cancelRunning(_ frame: TaskFrame) -> Bool {
    guard let item = frame.item else { return false }
    return cancel(item) == .requested
  }
}
