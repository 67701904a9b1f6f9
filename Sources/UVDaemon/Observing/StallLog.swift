#if Daemon
  internal import Logging
  internal import Synchronization
  internal import UVDispatch

  /// Logs bodies that keep their thread for long: when their stall is first told of, again when its time has become
  /// ten times as long, and at its end. Of the bodies that one line of the source has submitted, it logs one a second.
  final class StallLog: Sendable {
    private let logger: Logger
    private let stalls = Locked(Stalls())
    /// How many stalls are known. Most bodies end while there is none, and then take no lock.
    private let count = Atomic(0)

    init(_ logger: Logger) { self.logger = logger }

    /// What ``UVDispatcher/watchStalls(_:)`` has told. Any thread.
    func note(_ stall: Stall) {
      guard let task = stall.task else {
        var metadata: Logger.Metadata = ["thread": "\(stall.thread.id) \"\(stall.thread.name)\""]
        if let stack = stall.stack { metadata["stack"] = stack.metadata }
        return logger.log(
          level: stall.isOver ? .notice : .warning, "\(stall)", metadata: metadata)
      }
      if stall.isOver {
        noteEnd(of: task, at: stall.time, on: stall.thread)
      } else {
        note(task, for: stall.duration, at: stall.time, on: stall.thread, in: stall.stack)
      }
    }

    /// A body has kept its thread for `held`, and still does. Any thread.
    func note(
      _ task: TaskRecord, for held: Duration, at time: DispatcherInstant,
      on thread: ThreadRecord? = nil, in stack: StackTrace? = nil
    ) {
      let others = change { $0.begin(task, at: time, held: held) }
      guard let others else { return }
      let place = stack?.place.map { "; it is in \($0)" } ?? ""
      logger.log(
        .warning, "\(task.name) has held its thread for \(held.shortText)\(place)", others, task,
        thread, stack)
    }

    /// A body has ended. Any thread.
    ///
    /// - Parameter isAbandoned: A shutdown has given it up: then it still has its thread, and nothing is logged.
    func noteEnd(
      of task: TaskRecord, at time: DispatcherInstant, on thread: ThreadRecord? = nil,
      isAbandoned: Bool = false
    ) {
      guard count.load(ordering: .relaxed) > 0,
        let (held, others) = change({ $0.end(task.id, at: time) }), !isAbandoned
      else { return }
      logger.log(
        .notice, "\(task.name) has let its thread go after \(held.shortText)", others, task, thread)
    }

    private func change<Result>(_ body: (inout Stalls) -> Result) -> Result {
      stalls.withLock { stalls in
        defer { count.store(stalls.count, ordering: .relaxed) }
        return body(&stalls)
      }
    }
  }

  extension Logger {
    /// Logs something about a task.
    ///
    /// - Parameter others: How many messages of the same line of the source were left out before this one.
    func log(
      _ level: Logger.Level, _ text: String, _ others: Int, _ task: TaskRecord,
      _ thread: ThreadRecord? = nil, _ stack: StackTrace? = nil
    ) {
      let more = others == 0 ? "" : "; \(others) more since the last of these"
      var metadata: Logger.Metadata = [
        "task": "\(task.id)", "queue": "\(task.queue)", "site": "\(task.site)",
      ]
      if let thread { metadata["thread"] = "\(thread.id) \"\(thread.name)\"" }
      if let stack { metadata["stack"] = stack.metadata }
      log(level: level, "\(text)\(more)", metadata: metadata)
    }
  }

  extension StackTrace {
    /// A line for each frame.
    fileprivate var metadata: Logger.MetadataValue {
      absence == nil ? .array(frames.map { "\($0)" }) : "\(self)"
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
#endif
