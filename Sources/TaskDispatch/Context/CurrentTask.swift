/// The task whose body is running on this thread. Meant to be asked from inside that body.
public enum CurrentTask {
  /// Whether the body should stop: its task was cancelled while it ran, or a shutdown has reached its
  /// cancel phase. False outside any body. Costs a thread-local read and an atomic read or two.
  public static var isCancelled: Bool {
    guard let frame = TaskFrame.current else { return false }
    return frame.item?.isCancellationRequested == true || frame.shutdown?.isRaised == true
  }

  /// How many ticks of its repeating timer have got no run of their own since the run before: they came while that
  /// run, or this one, waited in its queue or was in its body, or the loop was late for them. See ``CatchUp``.
  ///
  /// Zero outside a run of a repeating timer, and with ``CatchUp/all`` and ``CatchUp/spaced``. With the other two,
  /// the runs and what they read here add up to the ticks. Costs a thread-local read.
  public static var missedTicks: Int { (TaskFrame.current?.item as? RunItem)?.missedTicks ?? 0 }

  /// Asks the task that runs on this thread to stop, as its own handle would: a body cannot hold that.
  ///
  /// ``isCancelled`` is true from then on, and the body decides itself. In a run of a repeating timer it
  /// ends the timer: no other run follows. In a handler of a signal or a descriptor it cancels the
  /// ``Registration``, as ``Registration/cancel()`` does there, and ``isCancelled`` stays as it was.
  ///
  /// Costs a thread-local read and the dispatcher's lock. On the thread of the body.
  ///
  /// - Returns: Whether there was something to cancel. False outside any body, in the body of a `sync`, in
  ///   a job of a Swift Task (cancel that), and in a body that was submitted without options (`queue { }`),
  ///   which has no handle. Nothing has changed then.
  @discardableResult
  public static func cancel() -> Bool {
    guard let frame = TaskFrame.current, let dispatcher = frame.link?.dispatcher else {
      return false
    }
    return dispatcher.cancelRunning(frame)
  }

  /// The label of the task, or nil: it has none, or this is outside any body.
  public static var label: String? { TaskFrame.current?.label }

  /// Where the task was submitted, or nil outside any body.
  public static var site: CallSite? { TaskFrame.current?.site }
}
