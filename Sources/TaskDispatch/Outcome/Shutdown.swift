/// How long a shutdown waits, in two phases (rule 13).
public struct ShutdownPolicy: Sendable, Hashable {
  /// How long accepted work may go on, from the call. Negative counts as zero.
  public var drain: Duration { didSet { drain = max(.zero, drain) } }
  /// How long running bodies get after that, with ``CurrentTask/isCancelled`` true. Negative counts as zero.
  public var cancel: Duration { didSet { cancel = max(.zero, cancel) } }

  /// The defaults add up to well below the 90 seconds after which systemd kills a service.
  public init(drain: Duration = .seconds(10), cancel: Duration = .seconds(5)) {
    self.drain = max(.zero, drain)
    self.cancel = max(.zero, cancel)
  }
}

/// What a shutdown does with a task that has not started when it begins.
@frozen public enum ShutdownBehavior: UInt8, Sendable, Hashable {
  /// Runs it, as long as the drain lasts.
  case drain
  /// Cancels it at once: a refresh or a clean-up that the next start does anyway.
  case skip
}

/// What a shutdown left behind. The same for everybody who asks.
public struct ShutdownReport: Sendable {
  /// A submission that did not end by running to its end.
  public struct Unfinished: Sendable, Hashable {
    public enum State: Sendable, Hashable {
      /// It still ran when the deadline passed. Its thread may still be in it. Or it is a job of a Swift Task
      /// that waited, and goes on outside of the dispatcher.
      case abandoned
      /// The shutdown cancelled it before it started.
      case neverStarted
    }
    public let label: String?
    /// The label of its queue.
    public let queue: String
    /// Where it was submitted.
    public let site: CallSite
    /// Since it was submitted. Plain bodies may carry no time: then since it was started for one that
    /// still runs, and nil for one that never did.
    public let age: Duration?
    /// What runs it, as the dispatcher names its threads; nil if it did not run then.
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

  /// The counters at the end. Nothing waits or runs: what still ran is counted as abandoned.
  public let ledger: Ledger
  /// What was abandoned or never started, in the order of submission within each queue. Between queues
  /// that order holds only for what had a number: a submission that never started, and that nobody
  /// cancelled or waited for, may have had none before this report was made. Plain timers that were not
  /// due are counted in the ledger and not listed.
  public let unfinished: [Unfinished]

  public init(ledger: Ledger, unfinished: [Unfinished]) {
    self.ledger = ledger
    self.unfinished = unfinished
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
