/// The task whose body is running on this thread. Use it inside that body.
public enum CurrentTask {
  /// Whether the body should stop: its task was cancelled while it ran, or a shutdown has reached its cancel
  /// phase.
  ///
  /// False outside any body. Costs a thread-local read and an atomic read or two.
  public static var isCancelled: Bool {
    guard let context = TaskContext.current else { return false }
    return context.item?.isCancellationRequested == true || context.shutdown?.isRaised == true
  }

  /// How many ticks of the repeating timer got no run of their own since the run before.
  ///
  /// Such a tick came while that run, or this one, waited in its queue or was in its body. Or the loop was
  /// late for the tick. See ``CatchUp``.
  ///
  /// Zero outside a run of a repeating timer, and with ``CatchUp/all`` and ``CatchUp/spaced``. With the other
  /// two, the runs and the numbers that they read here add up to the ticks. Costs a thread-local read.
  public static var missedTicks: Int { (TaskContext.current?.item as? RunItem)?.missedTicks ?? 0 }

  /// Asks the task that runs on this thread to stop, as its handle would. A body cannot hold its own handle.
  ///
  /// From then on ``isCancelled`` is true, and the body decides itself whether to stop. In a run of a
  /// repeating timer this ends the timer: no other run follows. In a handler of a signal or a descriptor, it
  /// cancels the ``Registration``, as ``Registration/cancel()`` does there, and ``isCancelled`` does not
  /// change.
  ///
  /// Call it on the thread of the body. Costs a thread-local read and the dispatcher's lock.
  ///
  /// - Returns: Whether there was something to cancel. False outside any body, in the body of a `sync`, in a
  ///   job of a Swift Task (cancel that Task), and in a body that was submitted without options
  ///   (`queue { }`), which has no handle. If false, nothing has changed.
  @discardableResult
  public static func cancel() -> Bool {
    guard let context = TaskContext.current, let dispatcher = context.link?.dispatcher else {
      return false
    }
    return dispatcher.cancelRunning(context)
  }

  /// The label of the task. Nil if it has none, and outside any body.
  public static var label: String? { TaskContext.current?.label }

  /// Where the task was submitted. Nil outside any body.
  public static var site: CallSite? { TaskContext.current?.site }
}
