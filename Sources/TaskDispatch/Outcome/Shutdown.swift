/// How long a shutdown waits, in two phases (rule 13).
public struct ShutdownPolicy: Sendable, Hashable {
  /// How long accepted work may go on, counted from the call. Negative counts as zero.
  public var drain: Duration { didSet { drain = max(.zero, drain) } }
  /// How long running bodies may go on after the drain, with ``CurrentTask/isCancelled`` true. Negative
  /// counts as zero.
  public var cancel: Duration { didSet { cancel = max(.zero, cancel) } }

  /// Makes a policy. The defaults add up to well below the 90 seconds after which systemd kills a service.
  public init(drain: Duration = .seconds(10), cancel: Duration = .seconds(5)) {
    self.drain = max(.zero, drain)
    self.cancel = max(.zero, cancel)
  }
}

/// What a shutdown does with a task that has not started when it begins.
@frozen public enum ShutdownBehavior: UInt8, Sendable, Hashable {
  /// Runs the task, if it starts before the drain is over.
  case drain
  /// Cancels the task at once. For a refresh or a clean-up that the next start of the program does anyway.
  case skip
}

/// What a shutdown left behind. Every caller of `shutdown` gets the same report.
public struct ShutdownReport: Sendable {
  /// A submission whose body did not run to its end.
  public struct Unfinished: Sendable, Hashable {
    public enum State: Sendable, Hashable {
      /// The task still ran when the deadline passed, and its thread may still be in its body. Or it is a job
      /// of a Swift Task that waited, and that goes on outside the dispatcher.
      case abandoned
      /// The shutdown cancelled it before it started.
      case neverStarted
    }
    public let label: String?
    /// The label of its queue.
    public let queue: String
    /// Where the task was submitted.
    public let site: CallSite
    /// The time since the task was submitted. A plain body may carry no time. Then this is the time since its
    /// start if it still runs, and nil if it never started.
    public let age: Duration?
    /// The thread that runs the task, by the dispatcher's name for it. Nil if the task did not run then.
    public let thread: String?
    public let state: State

    public init(
      label: String?, queue: String, site: CallSite, age: Duration?, thread: String?, state: State
    ) {
      self.label = label
      self.queue = queue
      self.site = site
      self.age = age
      self.thread = thread
      self.state = state
    }
  }

  /// The counters at the end. Nothing waits or runs: a task that still ran is counted as abandoned.
  public let ledger: Ledger
  /// The tasks that were abandoned or never started, in the order of submission within each queue.
  ///
  /// Between queues, that order holds only for tasks that had a number. A submission that never started may
  /// have got its number only when this report was made, unless it was cancelled or waited for before. Plain
  /// timers that were not due are counted in the ledger and not listed.
  public let unfinished: [Unfinished]
  /// What the dispatcher held when the report was made, if anything is unfinished: which threads are still in bodies,
  /// and what they wait for. Nil else.
  public let snapshot: DispatcherSnapshot?

  public init(
    ledger: Ledger, unfinished: [Unfinished], snapshot: DispatcherSnapshot? = nil
  ) {
    self.ledger = ledger
    self.unfinished = unfinished
    self.snapshot = snapshot
  }
}

extension ShutdownReport: CustomStringConvertible {
  public var description: String {
    ([ledger.description] + unfinished.map { "  \($0)" }).joined(separator: "\n")
  }
}

extension ShutdownReport.Unfinished: CustomStringConvertible {
  public var description: String {
    let name = label.map { "\"\($0)\" (\(site))" } ?? "\(site)"
    let place = thread.map { ", in \($0)" } ?? ""
    switch state {
    case .abandoned:
      let after = age.map { " after \($0.shortText)" } ?? ""
      let state = thread == nil ? "goes on elsewhere" : "still runs"
      return "\(name) on \(queue) \(state)\(after)\(place)"
    case .neverStarted:
      let after = age.map { ", \($0.shortText) after it was submitted" } ?? ""
      return "\(name) on \(queue) never started\(after)"
    }
  }
}
