public import TaskDispatch

/// A body that keeps its thread for longer than a threshold, or callbacks that do: see
/// ``UVDispatcher/watchStalls(_:)``.
public struct Stall: Sendable, Hashable {
  /// The task of the body. Nil if the thread is in no body: after the end of a task it makes callbacks, to code that
  /// waits for the outcome, to the notifications of groups, or to the observer.
  public let task: TaskRecord?
  /// Whether the thread is the loop's, or a worker, or one that has called `sync` on a background queue.
  public let lane: Lane
  /// The thread.
  public let thread: ThreadRecord
  /// For how long the body has kept its thread, at least: since the watch has first seen it, which is half the shorter
  /// threshold after its start at most. At the end: until then. With an observer it counts from the start of the body.
  public let duration: Duration
  /// Whether it is over: the thread goes on.
  public let isOver: Bool
  /// When this was so, on the dispatcher's clock.
  public let time: DispatcherInstant
  /// What the thread was in, a moment later. Nil at the end, and if ``UVDispatcher/Configuration/stallStacks`` is nil.
  public let stack: StackTrace?

  public init(
    task: TaskRecord?, lane: Lane, thread: ThreadRecord, duration: Duration, isOver: Bool,
    time: DispatcherInstant, stack: StackTrace? = nil
  ) {
    self.task = task
    self.lane = lane
    self.thread = thread
    self.duration = duration
    self.isOver = isOver
    self.time = time
    self.stack = stack
  }
}

extension Stall: CustomStringConvertible {
  /// One line for people: what keeps which thread for how long, where it was submitted, and where it is now.
  public var description: String {
    let what = task.map { $0.name } ?? "callbacks"
    let held = lane == .foreground ? "the loop" : "a worker"
    let verb =
      isOver
      ? "let \(held) go after"
      : task == nil ? "have kept \(held) for" : "has kept \(held) for"
    let record = task.map { "; \($0)" } ?? ""
    let place = stack.flatMap { $0.place.map { "; it is in \($0)" } } ?? ""
    return "\(what) \(verb) \(duration.shortText): \(thread)\(record)\(place)"
  }
}
