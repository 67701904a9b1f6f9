/// What a type implements that is a dispatcher. Only authors of dispatchers need it: the methods of ``TaskQueue``,
/// ``TaskHandle`` and ``WorkGroup`` call what is here.
///
/// It keeps the rules at ``TaskDispatcher``. `DispatcherContract`, of `TaskDispatchContract`, checks them. What it works
/// with are ``TakenItem``, ``RepeatingTimer``, ``Endings`` and ``TaskContext``. `SteppedDispatcher`, in the folder
/// `Tests/OutsideDispatcherTests` of this package, is a small dispatcher that is made with public calls alone.
public protocol DispatcherImplementation: TaskDispatcher {
  // MARK: Submitting

  /// Submits a plain body. Any thread.
  ///
  /// This is the fast path of ``TaskQueue/async(fileID:line:_:)``, and of `then:` without options. The body
  /// waits in the medium band.
  ///
  /// - Returns: Whether `body` was accepted. If it was refused, the dispatcher has kept nothing of it.
  func post(
    _ body: consuming @escaping @Sendable () -> Void, on queue: TaskQueue, at site: CallSite
  ) -> Admission

  /// Submits the reply of a plain body to the foreground. The plain body calls this, on its own thread.
  ///
  /// A reply counts against no limit, and is refused as an item of kind `.reply` is. The default submits such
  /// an item. The reply of a task with options is submitted through ``submit(_:)`` instead.
  func reply(_ body: consuming sending @escaping () -> Void, at site: CallSite)

  /// Submits everything that is not a plain body. Any thread.
  ///
  /// An item is submitted once, by any thread. The dispatcher takes it: ``WorkItem/take()``. Another submission of it,
  /// to whichever dispatcher, changes nothing. It answers as the first did if that has returned; else it answers
  /// `.accepted`: see ``WorkItem/admissionAgain``. So does the submission of an item that has ended before. The first
  /// submission traps if the item was made for a view of another dispatcher.
  ///
  /// - Returns: Whether `item` was accepted. A refused item has been ended with `.refused` when this
  ///   returns.
  func submit(_ item: WorkItem) -> Admission

  /// Submits `item` as soon as its queue has room; at once if the queue has no limit. Any thread.
  ///
  /// If `item` is refused for any other reason, it is ended as in ``submit(_:)``.
  func submitWhenRoom(_ item: WorkItem)

  /// Moves an accepted item of kind `.notification` into its queue, because its group is empty. The group calls it, on
  /// any thread, under no lock. Does nothing if the item does not wait for that, as after its cancellation.
  func release(_ item: WorkItem)

  /// Cancels an item that was submitted here. Any thread, once the submission that has put it in has returned. Before,
  /// it may answer `.tooLate`, and the item runs.
  ///
  /// Traps if the item waits or runs in another dispatcher.
  func cancel(_ item: WorkItem) -> Cancellation

  /// Cancels the task whose running-task context is `context`: what ``CurrentTask/cancel()`` does.
  ///
  /// `context` belongs to this dispatcher. The thread that runs the body calls this.
  ///
  /// The default cancels the item of `context`, or the repeating timer that it is a run of. A dispatcher that has
  /// handlers cancels the registration if the body is a call of its handler.
  ///
  /// - Returns: Whether there was something to cancel.
  func cancelRunning(_ context: TaskContext) -> Bool

  // MARK: Waiting

  /// Runs `body` once in the order of `queue`, before it returns. See ``TaskQueue/sync(fileID:line:_:)``.
  ///
  /// - Throws: If `body` has not run and will not run.
  func sync(on queue: TaskQueue, at site: CallSite, _ body: () -> Void) throws(WaitRefusal)

  /// Blocks the calling thread until `target` has come about. Traps if that is an item that waits or runs in another
  /// dispatcher.
  ///
  /// - Parameter timeout: The longest time to wait; without end if nil.
  /// - Throws: ``WaitRefusal/timedOut``, or ``WaitRefusal/wouldDeadlock(chain:)`` if the wait could not end
  ///   (rule 14). A fake may throw its own refusals.
  func wait(for target: WaitTarget, timeout: Duration?) throws(WaitRefusal)

  /// Suspends the calling Task until everything submitted to `queue` before has ended. It does not wait for what is
  /// submitted later. Cancelling the Task does not end the wait. Traps if the view belongs to another dispatcher.
  nonisolated(nonsending) func flush(_ queue: TaskQueue) async

  /// Suspends a view: none of its tasks starts. Those that run go on, and submissions are accepted. Calls nest. Any
  /// thread. Traps if the view belongs to another dispatcher, and if `queue` is no view.
  func suspend(_ queue: TaskQueue)
  /// Undoes one ``suspend(_:)`` of a view. Any thread. Traps if the view is not suspended, or belongs to another
  /// dispatcher, and if `queue` is no view.
  func resume(_ queue: TaskQueue)

  // MARK: Where am I

  /// Whether the calling code runs in a task of `queue`. On a fake, also whether a test's own code stands for
  /// `queue`.
  func isCurrent(_ queue: TaskQueue) -> Bool

  // MARK: Swift Tasks

  /// The executor that runs the jobs of Swift Tasks on `queue`. The same object each time.
  func taskExecutor(for queue: TaskQueue) -> any TaskExecutor
  /// The executor that runs the jobs of actors on `queue`, which has width 1. The same object each time, for
  /// as long as this dispatcher lives.
  func serialExecutor(for queue: TaskQueue) -> any SerialExecutor
}

/// What a thread can be blocked for.
public enum WaitTarget: Sendable {
  /// The item has its outcome.
  case item(WorkItem)
  /// The group is empty, or has emptied since the call began: `since` is how often it had emptied by then. See
  /// ``WorkGroup/hasEmptied(since:)``.
  case group(WorkGroup, since: Int)
}

extension DispatcherImplementation {
  public func isCurrent(_ queue: TaskQueue) -> Bool { TaskContext.isRunning(queue.identity) }

  public func cancelRunning(_ context: TaskContext) -> Bool {
    guard let item = context.item else { return false }
    return cancel(item.handled) == .requested
  }

  public func reply(_ body: consuming sending @escaping () -> Void, at site: CallSite) {
    reply(body, at: site, nil, nil)
  }

  @usableFromInline func reply(
    _ body: consuming sending @escaping () -> Void, at site: CallSite, _ label: String?,
    _ group: WorkGroup?
  ) {
    _ = submit(
      WorkItem.make(
        kind: .reply, queue: foreground, label: label, site: site, group: group, body: body))
  }
}
