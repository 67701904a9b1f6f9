/// The task whose body is running on this thread. Meant to be asked from inside that body.
public enum CurrentTask {
  /// Whether the body should stop: somebody called `cancel()`, or a shutdown has reached its cancel
  /// phase. False outside any body. Costs a thread-local read and an atomic read or two.
  public static var isCancelled: Bool {
    guard let frame = TaskFrame.current else { return false }
    return frame.item?.isCancellationRequested == true || frame.shutdown?.isRaised == true
  }

  /// The label of the task, or nil: it has none, or this is outside any body.
  public static var label: String? { TaskFrame.current?.label }

  /// Where the task was submitted, or nil outside any body.
  public static var site: CallSite? { TaskFrame.current?.site }
}
