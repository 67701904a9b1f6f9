#if Daemon
  public import Logging
  internal import Synchronization
  public import UVDispatch

  /// Logs what a person should look at: bodies that hold their thread, and submissions that are refused; each with its
  /// label, and the file and line that submitted it.
  ///
  /// Of a body that holds its thread: that it has, after the threshold of the dispatcher; again each time that this has
  /// become ten times as long; and for how long it was, once it ends. Of other bodies that the same line of the source
  /// has submitted, and of refusals, at most one a second for each line, with the number of those between: a queue that
  /// is full refuses thousands. No refusal because of a shutdown.
  ///
  /// What a shutdown leaves behind is in its ``ShutdownReport``, which ``Daemon`` logs.
  public final class LoggingObserver: TaskObserver {
    private let logger: Logger
    private let refusals = Locked(Throttle(interval: .seconds(1)))
    private let stalls = Locked(Stalls())
    /// How many there are: most bodies end while there is none, and need no lock for that.
    private let stallCount = Atomic(0)

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
      // That of a shutdown is as it should be, and comes from everywhere.
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

  /// The bodies that hold their thread.
  struct Stalls: Sendable {
    private struct Stall {
      let site: CallSite
      let startedAt: DispatcherInstant
      /// Told again from this on; nil if it was not told of yet, since another body of its line was.
      var next: Duration?
    }

    private var known: [TaskID: Stall] = [:]
    private var throttle = Throttle(interval: .seconds(1))
    /// There are at most so many threads; what was told after its end, and so never ends, may not fill the memory.
    private static let mostKnown = 1024

    var count: Int { known.count }

    /// - Returns: How many others of this line of the source were held back since the last that was told; nil if this
    ///   one is.
    mutating func begin(
      _ task: TaskRecord, at time: DispatcherInstant, held: Duration
    ) -> Int? {
      let held = Duration.nanoseconds(held.clampedNanoseconds)
      let before = known[task.id]
      if let next = before?.next, held < next { return nil }
      if before == nil, known.count >= Self.mostKnown { known = [:] }
      // What was told of is told again whenever it is time; what was not, once its line has been silent for long enough.
      let others =
        before?.next == nil
        ? throttle.pass(task.site, at: time, isAgain: before != nil)
        : throttle.takeHeldBack(task.site, at: time)
      known[task.id] = Stall(
        site: task.site, startedAt: time.advanced(by: .zero - held),
        next: others == nil ? nil : held * 10)
      return others
    }

    /// - Returns: For how long it has held its thread, and how many others were held back; nil if nothing was told of
    ///   it.
    mutating func end(
      _ task: TaskID, at time: DispatcherInstant
    ) -> (held: Duration, others: Int)? {
      guard let stall = known.removeValue(forKey: task), stall.next != nil else { return nil }
      return (stall.startedAt.duration(to: time), throttle.takeHeldBack(stall.site, at: time))
    }
  }

  /// Lets one message through for each line of the source in a stretch of time.
  struct Throttle: Sendable {
    private let interval: Duration
    /// How many lines it knows.
    var count: Int { known.count }
    private var known: [CallSite: (next: DispatcherInstant, heldBack: Int)] = [:]
    /// Lines of the source are few; what is not may not fill the memory.
    private static let mostKnown = 1024

    init(interval: Duration) { self.interval = interval }

    /// - Parameter isAgain: Whether it was held back before, and counted then.
    /// - Returns: How many others were held back since the last that passed; nil if this one is.
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

    /// Lets one through at any time; the next waits.
    ///
    /// - Returns: How many were held back since the last that passed.
    mutating func takeHeldBack(_ site: CallSite, at time: DispatcherInstant) -> Int {
      let heldBack = known[site]?.heldBack ?? 0
      known[site] = (time.advanced(by: interval), 0)
      return heldBack
    }
  }

  /// Tells several observers, one after the other.
  public struct TaskObservers: TaskObserver {
    private let observers: [any TaskObserver]

    public init(_ observers: any TaskObserver...) { self.observers = observers }

    public func observe(_ event: TaskEvent) {
      for observer in observers { observer.observe(event) }
    }
  }
#endif
