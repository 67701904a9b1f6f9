/// Identifies a submission for the life of its dispatcher: 1 for the first, 2 for the next.
@frozen public struct TaskID: Sendable, Hashable, Comparable, CustomStringConvertible {
  public let number: UInt64

  @inlinable public init(_ number: UInt64) { self.number = number }

  public static func < (lhs: TaskID, rhs: TaskID) -> Bool { lhs.number < rhs.number }
  public var description: String { "#\(number)" }
}

/// What is known of a submission: enough to find it in the source and in a history.
public struct TaskRecord: Sendable, Hashable {
  public let id: TaskID
  public let label: String?
  public let lane: Lane
  /// The label of its queue.
  public let queue: String
  /// Where it was submitted.
  public let site: CallSite
  /// The band that it waits in. Meaningless on the foreground.
  public let band: PriorityBand
  /// The task whose body submitted it, or nil if none did.
  public let parent: TaskID?
  /// The time of the submission. Accurate only to four milliseconds if the dispatcher has no observer.
  public let enqueuedAt: DispatcherInstant

  public init(
    id: TaskID, label: String?, lane: Lane, queue: String, site: CallSite,
    band: PriorityBand = .medium, parent: TaskID?, enqueuedAt: DispatcherInstant
  ) {
    self.id = id
    self.label = label
    self.lane = lane
    self.queue = queue
    self.site = site
    self.band = band
    self.parent = parent
    self.enqueuedAt = enqueuedAt
  }

  /// The name that messages use: the label, else the file and line.
  public var name: String { label.map { "\"\($0)\"" } ?? "\(site)" }
}

extension TaskRecord: CustomStringConvertible {
  public var description: String {
    "\(id) \(label.map { "\"\($0)\" " } ?? "")on \(queue), from \(site)"
  }
}

/// Something that happened to a task.
///
/// An observer gets at most one event of a kind for each task, except ``Kind/stalled(_:)``. These events come
/// for certain:
///
/// ```
/// refused           refused; enqueued besides, if it had waited for room in its queue
/// never started     enqueued            finished(cancelled, expired)
/// a sleep           enqueued  due       finished(completed)
/// a body            enqueued  started   finished(completed, failed, abandoned)
/// ```
///
/// The exception is a dispatcher that loses its last reference without a shutdown: it cancels what it holds, and tells
/// its observer nothing of that. See ``TaskObserver`` for the order in which events are told.
public struct TaskEvent: Sendable, Equatable {
  public enum Kind: Sendable, Equatable {
    /// Accepted into its queue, or into the timers.
    case enqueued
    /// Refused: it never starts. No ``finished(_:)`` follows.
    case refused(Refusal)
    /// Taken by a worker or by the loop: from now on it cannot be overtaken or cancelled.
    case started
    /// Ended. Each accepted task that was not refused afterwards gets exactly one of these, unless its dispatcher loses
    /// its last reference without a shutdown.
    case finished(Outcome)
    /// A running task was asked to stop, for the first time.
    case cancellationRequested
    /// The task has occupied its thread for this long, and still does.
    case stalled(Duration)
    /// The time of a timer has come: it waits in its queue now.
    case due
    /// A handler was registered for a signal or a descriptor.
    case registered
    /// The handler was removed.
    case unregistered
    /// A job of a Swift Task came from a thread that the fake does not control.
    case escaped
  }

  public let kind: Kind
  public let task: TaskRecord
  /// When it happened, on the dispatcher's clock.
  public let time: DispatcherInstant

  public init(_ kind: Kind, _ task: TaskRecord, at time: DispatcherInstant) {
    self.kind = kind
    self.task = task
    self.time = time
  }
}

extension TaskEvent: CustomStringConvertible {
  public var description: String {
    if case .stalled(let held) = kind { return "\(time): stalled for \(held.shortText) \(task)" }
    return "\(time): \(kind) \(task)"
  }
}

/// Gets an event for everything that happens to a task, for logs, metrics and histories.
///
/// The thread on which something happened calls the observer, after it has freed the dispatcher's lock. So
/// several threads call at the same time, and events may arrive in another order than they happened. For
/// example, a worker may tell that a task has started, and even finished, before the submitting thread tells
/// that it was enqueued. These things are sure:
///
/// - Each thread tells events in the order in which they happened. One thread tells the start of a body, then
///   what that body submits, then its end. If a shutdown abandons a body, or if a body is stalled, another
///   thread tells that.
/// - ``TaskEvent/time`` is when the event happened, on the dispatcher's clock, and not when it was told.
///   Sorted by it, events are in the order in which they happened. Events of one instant stay in the order in
///   which they were told.
/// - Other threads may have gone on when an event is told. What it says may no longer be so.
///
/// So an observer that keeps state for a task must create it at whichever event arrives first. It may drop
/// the state only when every event that is sure to come has come. A fake tells every event on the thread that
/// steps it, in order.
///
/// - Note: `observe` is called in the middle of the dispatcher's work. It must be short, must not throw, and
///   must not wait for the dispatcher. It may submit tasks.
public protocol TaskObserver: Sendable {
  /// Handles `event`, which has just happened. Called on the thread on which it happened, under no lock of
  /// the dispatcher.
  func observe(_ event: TaskEvent)
}
