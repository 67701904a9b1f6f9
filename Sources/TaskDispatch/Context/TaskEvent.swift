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
public struct TaskEvent: Sendable, Equatable {
  public enum Kind: Sendable, Equatable {
    /// Accepted into its queue, or into the timers.
    case enqueued
    /// Refused; it never gets another event.
    case refused(Refusal)
    /// Taken by a worker or by the loop: from now on it cannot be overtaken or cancelled.
    case started
    /// Ended. Each accepted task gets exactly one of these.
    case finished(Outcome)
    /// Somebody asked a running task to stop.
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
/// - Note: `observe` is called on the thread where it happened, in the middle of the dispatcher's
///   work: it must be short, must not throw and must not wait for the dispatcher. Submitting from
///   it is allowed.
public protocol TaskObserver: Sendable {
  /// Told of `event` just after it happened.
  func observe(_ event: TaskEvent)
}
