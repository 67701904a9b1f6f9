/// Names a submission for the life of its dispatcher: 1 for the first, 2 for the next.
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
  /// Where it was submitted, and its band.
  public let site: CallSite
  /// The task whose body submitted it, or nil if none did.
  public let parent: TaskID?
  /// When it was submitted; to four milliseconds where nobody observes the dispatcher.
  public let enqueuedAt: DispatcherInstant

  public init(
    id: TaskID, label: String?, lane: Lane, queue: String, site: CallSite, parent: TaskID?,
    enqueuedAt: DispatcherInstant
  ) {
    self.id = id
    self.label = label
    self.lane = lane
    self.queue = queue
    self.site = site
    self.parent = parent
    self.enqueuedAt = enqueuedAt
  }

  /// What messages call it: its label, else its file and line.
  public var name: String { label.map { "\"\($0)\"" } ?? "\(site)" }
}

extension TaskRecord: CustomStringConvertible {
  public var description: String {
    "\(id) \(label.map { "\"\($0)\" " } ?? "")on \(queue), from \(site)"
  }
}

/// Something that happened to a task.
///
/// Of each task, at most one event of a kind is told, but for ``Kind/stalled(_:)``. These come for certain:
///
/// ```
/// refused           refused; enqueued besides, if it had waited for room in its queue
/// never started     enqueued            finished(cancelled, expired)
/// a sleep           enqueued  due       finished(completed)
/// a body            enqueued  started   finished(completed, failed, abandoned)
/// ```
///
/// See ``TaskObserver`` for the order in which they are told.
public struct TaskEvent: Sendable, Equatable {
  public enum Kind: Sendable, Equatable {
    /// Accepted into its queue, or into the timers.
    case enqueued
    /// Refused: it never starts, and is not told to have finished.
    case refused(Refusal)
    /// Taken by a worker or by the loop: from now on it cannot be overtaken or cancelled.
    case started
    /// Ended. Each accepted task that was not refused afterwards gets exactly one of these.
    case finished(Outcome)
    /// A running task was asked to stop, for the first time.
    case cancellationRequested
    /// It has held its thread for this long and still does.
    case stalled(Duration)
    /// The time of a timer came: it stands in its queue now.
    case due
    /// A handler was registered for a signal or a descriptor.
    case registered
    /// That handler was removed.
    case unregistered
    /// A job of a Swift Task came from a thread that the fake does not control.
    case escaped
  }

  public let kind: Kind
  public let task: TaskRecord
  /// When, on the dispatcher's clock.
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

/// Told of what happens to every task, for logs, metrics and histories.
///
/// The thread where something happened tells of it, after it has freed the dispatcher's lock. So several
/// threads tell at the same time, and events are told in another order than they happened: a worker may
/// tell that a task has started, and even finished, before the thread that submitted it tells that it was
/// enqueued. What is sure:
///
/// - What one thread tells, it tells in the order in which it happened. One thread tells the start and the
///   end of a body, in this order, and what that body submits between the two; a body that a shutdown
///   abandons, and one that is stalled, are told of by another.
/// - ``TaskEvent/time`` is when it happened, on the dispatcher's clock, and not when it was told. Sorted by
///   it, events are in their order; those of one instant stay as they were told.
/// - An event may be told when other threads have gone on already: what it says may not be so any more.
///
/// So an observer that keeps something for a task must begin with whichever of its events comes first, and
/// may forget the task only when every event that is sure to come has come. A fake tells everything on the
/// thread that steps it, in its order.
///
/// - Note: `observe` is called in the middle of the dispatcher's work: it must be short, must not throw and
///   must not wait for the dispatcher. Submitting from it is allowed.
public protocol TaskObserver: Sendable {
  /// Told of `event` just after it happened.
  func observe(_ event: TaskEvent)
}
