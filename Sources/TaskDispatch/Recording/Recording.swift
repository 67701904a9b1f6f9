/// What a dispatcher did in a span of time: which tasks were submitted, when and on which thread each ran, and how it
/// ended.
///
/// It is a value that refers to nothing of the dispatcher. ``trace`` writes it as a file that Perfetto's viewer opens,
/// and ``init(trace:)`` reads that file again.
public struct Recording: Sendable, Hashable {
  /// A queue that tasks of the recording waited in.
  public struct Queue: Sendable, Hashable {
    public let label: String
    public let lane: Lane

    public init(label: String, lane: Lane) {
      self.label = label
      self.lane = lane
    }
  }

  /// A submission.
  public struct Task: Sendable, Hashable {
    /// Its number in the dispatcher.
    public let id: TaskID
    public let label: String?
    /// Its queue, as an index of ``Recording/queues``.
    public let queue: Int
    /// The file and the line that submitted it, as a `#fileID` and a `#line`. A line of 0 is unknown.
    public let file: String
    public let line: Int
    /// The band that it waits in. Meaningless on the foreground.
    public let band: PriorityBand
    /// The task whose body submitted it, or nil if none did.
    public let parent: TaskID?

    public init(
      id: TaskID, label: String?, queue: Int, file: String, line: Int, band: PriorityBand,
      parent: TaskID?
    ) {
      self.id = id
      self.label = label
      self.queue = queue
      self.file = file
      self.line = line
      self.band = band
      self.parent = parent
    }

    /// The name that messages use: the label, else the file and line.
    public var name: String { label ?? site }

    /// `Module/File.swift:42`; without the line if it is unknown.
    public var site: String { line == 0 ? file : "\(file):\(line)" }
  }

  /// What happened to a task: ``TaskEvent/Kind`` without the values that only live in the process.
  public enum Kind: UInt8, Sendable, Hashable, CaseIterable {
    /// Accepted into its queue.
    case enqueued = 1
    /// Accepted, and comes into its queue later: a timer when it is ``due``, a notification when its group is empty.
    case scheduled
    /// Its time has come.
    case due
    /// Refused, now or after it had waited for room.
    case refused
    case started
    case completed
    case failed
    /// Cancelled before it started.
    case cancelled
    /// Expired before it started.
    case expired
    /// Given up by a shutdown, while it ran.
    case abandoned
    /// Asked to stop, while it ran.
    case askedToStop
    /// It has kept its thread for long.
    case stalled
    /// A handler of a signal or a descriptor was registered, or removed.
    case registered
    case unregistered
    /// A job of a Swift Task came from a thread that the fake does not control.
    case escaped
  }

  /// Something that happened.
  public struct Event: Sendable, Hashable {
    public let kind: Kind
    /// The task, as an index of ``Recording/tasks``.
    public let task: Int
    /// When it happened, on the dispatcher's clock.
    public let time: DispatcherInstant
    /// The thread on which it happened, as an index of ``Recording/threads``.
    public let thread: Int

    public init(_ kind: Kind, task: Int, at time: DispatcherInstant, on thread: Int) {
      self.kind = kind
      self.task = task
      self.time = time
      self.thread = thread
    }
  }

  /// The label of the dispatcher.
  public let label: String
  /// When the dispatcher's clock was zero, in nanoseconds since 1970. Nil if its time is virtual.
  public let origin: Int64?
  /// Whether nothing is missing: it begins with the first submission of the dispatcher.
  public let isComplete: Bool
  public let queues: [Queue]
  public let threads: [ThreadRecord]
  public let tasks: [Task]
  /// In the order in which they happened.
  public let events: [Event]

  /// - Precondition: All indices are within their arrays.
  public init(
    label: String, origin: Int64?, isComplete: Bool, queues: [Queue], threads: [ThreadRecord],
    tasks: [Task], events: [Event]
  ) {
    require(
      tasks.allSatisfy { queues.indices.contains($0.queue) }
        && events.allSatisfy {
          tasks.indices.contains($0.task) && threads.indices.contains($0.thread)
        }, "a recording refers to a queue, a task or a thread that it does not have")
    self.label = label
    self.origin = origin
    self.isComplete = isComplete
    self.queues = queues
    self.threads = threads
    self.tasks = tasks
    self.events = events
  }
}

extension Recording.Kind {
  /// Whether a task waits in its queue from this on.
  var beginsWaiting: Bool { self == .enqueued || self == .due }

  /// Whether the body runs no more.
  package var endsBody: Bool { self == .completed || self == .failed || self == .abandoned }

  /// Whether it ends a task that has not started.
  var endsUnstarted: Bool { self == .cancelled || self == .expired || self == .refused }
}
