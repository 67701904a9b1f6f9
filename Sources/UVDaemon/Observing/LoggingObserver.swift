#if Daemon
  public import Logging
  internal import Synchronization
  public import UVDispatch

  /// Logs what a person should look at: bodies that hold their thread for long, and submissions that are refused.
  /// Each message has the label, and the file and line that submitted the task.
  ///
  /// A body that holds its thread is logged after the stall threshold of the dispatcher, again each time that its
  /// time has become ten times as long, and once it ends. Other bodies that the same line of the source has
  /// submitted, and refusals, are logged at most once a second for each line, with the number that was left out: a
  /// queue that is full refuses thousands. Refusals because of a shutdown are not logged.
  ///
  /// What a shutdown leaves behind is in its ``ShutdownReport``, which ``Daemon`` logs.
  public final class LoggingObserver: TaskObserver {
    private let logger: Logger
    private let refusals = Locked(Throttle(interval: .seconds(1)))
    private let stalls = Locked(Stalls())
    /// How many stalls are known. Most bodies end while there is none, and then take no lock.
    private let stallCount = Atomic(0)

    /// - Parameter logger: Gets warnings for stalls and refusals, and a notice when a stall ends.
    public init(_ logger: Logger) { self.logger = logger }

    public func observe(_ event: TaskEvent) {
      switch event.kind {
      case .stalled(let time):
        let others = stalls.withLock { stalls in
          defer { stallCount.store(stalls.count, ordering: .relaxed) }
          return stalls.begin(event.task, at: event.time, held: time)
        }
        guard let others else { return }
        log(.warning, "\(event.task.name) has held its thread for \(time.shortText)", others, event)
      // A refusal because of a shutdown is expected, and comes from every part of the program.
      case .refused(let reason) where reason != .shutDown:
        guard let others = refusals.withLock({ $0.pass(event.task.site, at: event.time) }) else {
          return
        }
        log(.warning, "\(event.task.name) was refused: \(reason)", others, event)
      case .finished:
        guard stallCount.load(ordering: .relaxed) > 0 else { return }
        let end = stalls.withLock { stalls in
          defer { stallCount.store(stalls.count, ordering: .relaxed) }
          return stalls.end(event.task.id, at: event.time)
        }
        guard let (held, others) = end, event.kind != .finished(.abandoned) else { return }
        log(
          .notice, "\(event.task.name) has let its thread go after \(held.shortText)", others, event
        )
      default: break
      }
    }

    private func log(_ level: Logger.Level, _ text: String, _ others: Int, _ event: TaskEvent) {
      let more = others == 0 ? "" : "; \(others) more since the last of these"
      logger.log(
        level: level, "\(text)\(more)",
        metadata: [
          "task": "\(event.task.id)", "queue": "\(event.task.queue)", "site": "\(event.task.site)",
        ])
    }
  }

  /// The bodies that hold their thread for long.
  struct Stalls: Sendable {
    private struct Stall {
      let site: CallSite
      let startedAt: DispatcherInstant
      /// It is reported again once it has held its thread this long. Nil if it was not reported yet, because another
      /// body of its line was.
      var next: Duration?
    }

    private var known: [TaskID: Stall] = [:]
    private var throttle = Throttle(interval: .seconds(1))
    /// As many as libuv's pool can have threads. If a stall is reported after its body has ended, its entry never
    /// goes, and such entries must not fill the memory.
    private static let mostKnown = 1024

    var count: Int { known.count }

    /// Notes that a body stalls.
    ///
    /// - Returns: How many other bodies of its line were left out since the last report. Nil if this one is left out.
    mutating func begin(
      _ task: TaskRecord, at time: DispatcherInstant, held: Duration
    ) -> Int? {
      let held = Duration.nanoseconds(held.clampedNanoseconds)
      let before = known[task.id]
      if let next = before?.next, held < next { return nil }
      if before == nil, known.count >= Self.mostKnown { known = [:] }
      // A body that was reported before is reported again when it is time. One that was not is reported once nothing
      // of its line was for long enough.
      let others =
        before?.next == nil
        ? throttle.pass(task.site, at: time, isAgain: before != nil)
        : throttle.takeHeldBack(task.site, at: time)
      known[task.id] = Stall(
        site: task.site, startedAt: time.advanced(by: .zero - held),
        next: others == nil ? nil : held * 10)
      return others
    }

    /// Notes that a body has ended.
    ///
    /// - Returns: For how long it has held its thread, and how many others were left out. Nil if it was never
    ///   reported.
    mutating func end(
      _ task: TaskID, at time: DispatcherInstant
    ) -> (held: Duration, others: Int)? {
      guard let stall = known.removeValue(forKey: task), stall.next != nil else { return nil }
      return (stall.startedAt.duration(to: time), throttle.takeHeldBack(stall.site, at: time))
    }
  }

  /// Lets one message through for each line of the source in each interval.
  struct Throttle: Sendable {
    private let interval: Duration
    /// How many lines of the source it knows.
    var count: Int { known.count }
    private var known: [CallSite: (next: DispatcherInstant, heldBack: Int)] = [:]
    /// A program has fewer lines that submit. If something makes more call sites, they must not fill the memory.
    private static let mostKnown = 1024

    init(interval: Duration) { self.interval = interval }

    /// Asks whether a message of a line may pass.
    ///
    /// - Parameter isAgain: Whether this message was left out before, and counted then.
    /// - Returns: How many others were left out since the last that passed. Nil if this one is left out.
    mutating func pass(
      _ site: CallSite, at time: DispatcherInstant, isAgain: Bool = false
    ) -> Int? {
      let entry = known[site]
      if let entry, time < entry.next {
        if !isAgain { known[site]!.heldBack += 1 }
        return nil
      }
      if entry == nil, known.count >= Self.mostKnown { known = [:] }
      known[site] = (time.advanced(by: interval), 0)
      return max(0, (entry?.heldBack ?? 0) - (isAgain ? 1 : 0))
    }

    /// Lets a message pass whenever it comes, and begins a new interval for its line.
    ///
    /// - Returns: How many were left out since the last that passed.
    mutating func takeHeldBack(_ site: CallSite, at time: DispatcherInstant) -> Int {
      let heldBack = known[site]?.heldBack ?? 0
      known[site] = (time.advanced(by: interval), 0)
      return heldBack
    }
  }

  /// Calls several observers, one after the other.
  public struct TaskObservers: TaskObserver {
    private let observers: [any TaskObserver]

    public init(_ observers: any TaskObserver...) { self.observers = observers }

    public func observe(_ event: TaskEvent) {
      for observer in observers { observer.observe(event) }
    }
  }
#endif
