/// What a dispatcher holds and does at one moment: see ``TaskDispatcher/snapshot()``.
///
/// Its ``description`` is for people. It can be encoded for a monitor: all times in it are numbers of seconds.
public struct DispatcherSnapshot: Sendable, Hashable, Codable {
  /// The end of the dispatcher, as far as it has come.
  public enum Phase: String, Sendable, Hashable, Codable {
    /// No shutdown has begun.
    case open
    /// A shutdown waits for accepted work.
    case draining
    /// A shutdown has asked what still runs to stop.
    case cancelling
    /// The report of the shutdown was made.
    case over
  }

  /// A queue: a lane, or a view that still exists.
  public struct Queue: Sendable, Hashable, Codable {
    public var label: String
    public var lane: Lane
    /// The most tasks of the queue that run at a time.
    public var width: Int
    /// How many tasks may wait; nil if there is no limit.
    public var limit: Int?
    public var isSuspended: Bool
    /// Tasks that wait in the queue. Timers that are not due, and what waits for a group, are not in it.
    public var waiting: Int
    /// Submissions that wait for room in the queue: items, and threads that are blocked.
    public var waitingForRoom: Int
    public var running: Int
    /// For how long the oldest of the tasks that wait has been waiting, in seconds; nil if none waits.
    ///
    /// If the oldest is a plain body, that is exact to some milliseconds for the first body that came into an empty
    /// queue. For a later one it may be too long: it is the age of the first body of those that came with it.
    public var oldestAge: Double?
    /// How the tasks of the queue have ended.
    public var counts: OutcomeCounts

    public init(
      label: String, lane: Lane, width: Int, limit: Int?, isSuspended: Bool = false,
      waiting: Int, waitingForRoom: Int = 0, running: Int, oldestAge: Double?,
      counts: OutcomeCounts
    ) {
      self.label = label
      self.lane = lane
      self.width = width
      self.limit = limit
      self.isSuspended = isSuspended
      self.waiting = waiting
      self.waitingForRoom = waitingForRoom
      self.running = running
      self.oldestAge = oldestAge
      self.counts = counts
    }
  }

  /// A task that runs, or a thread that makes callbacks after the end of a task.
  public struct Running: Sendable, Hashable, Codable {
    /// The number of the task; nil for callbacks.
    public var task: UInt64?
    public var label: String?
    /// The label of the queue.
    public var queue: String
    /// Where the task was submitted: `Module/File.swift:42`.
    public var site: String?
    /// The thread that runs it. Nil in a fake, which runs everything on the thread of the test.
    public var thread: ThreadRecord?
    /// For how long it has run at least, in seconds; nil if that is not known. A dispatcher with an observer knows it.
    /// One that watches for stalls knows it from the first time on that it has seen the task run.
    public var duration: Double?
    /// Whether its thread is blocked: in `sync`, in a wait or for room.
    public var isBlocked: Bool
    /// Whether a shutdown has given it up.
    public var isAbandoned: Bool

    public init(
      task: UInt64?, label: String?, queue: String, site: String?, thread: ThreadRecord?,
      duration: Double?, isBlocked: Bool = false, isAbandoned: Bool = false
    ) {
      self.task = task
      self.label = label
      self.queue = queue
      self.site = site
      self.thread = thread
      self.duration = duration
      self.isBlocked = isBlocked
      self.isAbandoned = isAbandoned
    }
  }

  /// A timer that waits for its time.
  public struct Timer: Sendable, Hashable, Codable {
    public var task: UInt64
    public var label: String?
    public var queue: String
    public var site: String
    /// In how many seconds its time comes. Negative if it has come and the loop has not seen it yet.
    public var dueIn: Double
    /// Whether it comes again and again.
    public var repeats: Bool

    public init(
      task: UInt64, label: String?, queue: String, site: String, dueIn: Double, repeats: Bool
    ) {
      self.task = task
      self.label = label
      self.queue = queue
      self.site = site
      self.dueIn = dueIn
      self.repeats = repeats
    }
  }

  /// A handler of a signal or of a descriptor.
  public struct Handler: Sendable, Hashable, Codable {
    /// The signal, or the descriptor and what it is watched for: `SIGTERM`, `descriptor 5, readable`.
    public var event: String
    public var label: String?
    public var site: String

    public init(event: String, label: String?, site: String) {
      self.event = event
      self.label = label
      self.site = site
    }
  }

  /// The threads of the pool.
  public struct Pool: Sendable, Hashable, Codable {
    /// How many threads libuv's pool has.
    public var threads: Int
    /// The most bodies of this dispatcher that run on them at a time.
    public var width: Int
    /// How many of the threads this dispatcher uses now.
    public var used: Int
    /// Whether other dispatchers of the process have threads that this one could use.
    public var isShort: Bool
    /// Why the width is what it is.
    public var reason: String

    public init(threads: Int, width: Int, used: Int, isShort: Bool, reason: String) {
      self.threads = threads
      self.width = width
      self.used = used
      self.isShort = isShort
      self.reason = reason
    }
  }

  public var label: String
  /// Seconds since the dispatcher was made. Virtual time in a fake.
  public var time: Double
  public var phase: Phase
  public var ledger: Ledger
  /// The foreground, the background, and then the views in the order in which they were made.
  public var queues: [Queue]
  /// What runs, in the order of submission.
  public var running: [Running]
  /// How many timers wait for their time.
  public var timerCount: Int
  /// The timers that come next, at most ten, the first first.
  public var timers: [Timer]
  public var handlers: [Handler]
  /// The threads that are blocked, or in a fake the calls that wait, and what for.
  public var waits: [WaitLink]
  /// Nil in a fake.
  public var pool: Pool?

  /// A snapshot with nothing but what every dispatcher knows.
  public init(label: String, time: DispatcherInstant, ledger: Ledger) {
    self.label = label
    self.time = time.sinceStart.inSeconds
    phase = .open
    self.ledger = ledger
    queues = []
    running = []
    timerCount = 0
    timers = []
    handlers = []
    waits = []
  }

  /// The most timers that ``timers`` names.
  package static var mostTimers: Int { 10 }
}

extension Duration {
  /// The duration as a number of seconds.
  package var inSeconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) / 1e18
  }
}

// MARK: - Text

extension DispatcherSnapshot: CustomStringConvertible {
  /// Several lines for people. Sections with nothing in them are left out.
  public var description: String {
    var lines = [
      "\(label), \(Self.text(time)) after its start, \(phase)", "  \(ledger)",
    ]
    func add(_ title: String, _ entries: [String]) {
      if entries.isEmpty { return }
      lines.append(title)
      lines += entries.map { "  \($0)" }
    }
    add("queues", queues.map(\.description))
    add("running", running.map(\.description))
    let more = timerCount - timers.count
    add("timers", timers.map(\.description) + (more > 0 ? ["\(more) more"] : []))
    add("handlers", handlers.map(\.description))
    add("blocked", waits.map(\.description))
    add("pool", pool.map { [$0.description] } ?? [])
    return lines.joined(separator: "\n")
  }

  fileprivate static func text(_ seconds: Double) -> String {
    Duration.seconds(seconds).shortText
  }

  fileprivate static func name(_ label: String?, _ site: String?) -> String {
    switch (label, site) {
    case (let label?, let site?): "\"\(label)\" from \(site)"
    case (let label?, nil): "\"\(label)\""
    case (nil, let site?): site
    case (nil, nil): "callbacks"
    }
  }
}

extension DispatcherSnapshot.Queue: CustomStringConvertible {
  public var description: String {
    let limit = limit.map { ", limit \($0)" } ?? ""
    let suspended = isSuspended ? ", suspended" : ""
    let room = waitingForRoom == 0 ? "" : ", \(waitingForRoom) for room"
    let oldest = oldestAge.map { ", the oldest for \(DispatcherSnapshot.text($0))" } ?? ""
    return
      "\(label), width \(width)\(limit)\(suspended): "
      + "\(running) running, \(waiting) waiting\(oldest)\(room); \(counts)"
  }
}

extension DispatcherSnapshot.Running: CustomStringConvertible {
  public var description: String {
    let number = task.map { "#\($0) " } ?? ""
    let time = duration.map { " for \(DispatcherSnapshot.text($0))" } ?? ""
    let state = (isBlocked ? ", blocked" : "") + (isAbandoned ? ", abandoned" : "")
    let place = thread.map { ", on \($0)" } ?? ""
    return "\(number)\(DispatcherSnapshot.name(label, site)) on \(queue)\(time)\(state)\(place)"
  }
}

extension DispatcherSnapshot.Timer: CustomStringConvertible {
  public var description: String {
    let due = dueIn < 0 ? "due" : "in \(DispatcherSnapshot.text(dueIn))"
    let again = repeats ? ", repeats" : ""
    return "\(due): #\(task) \(DispatcherSnapshot.name(label, site)) on \(queue)\(again)"
  }
}

extension DispatcherSnapshot.Handler: CustomStringConvertible {
  public var description: String {
    "\(event): \(DispatcherSnapshot.name(label == event ? nil : label, site))"
  }
}

extension DispatcherSnapshot.Pool: CustomStringConvertible {
  public var description: String {
    let short = isShort ? "; other dispatchers have threads that it could use" : ""
    return "uses \(used) of \(threads) threads, \(width) at most: \(reason)\(short)"
  }
}
