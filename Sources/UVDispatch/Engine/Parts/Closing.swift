internal import TaskDispatch

/// The end of the dispatcher: its shutdown, and what waits for the report. A value under the dispatcher's lock.
struct Closing {
  /// Nil until a shutdown begins.
  private(set) var progress: ShutdownProgress?
  private(set) var threads: [(number: UInt64, wake: @Sendable (ShutdownReport) -> Void)] = []
  private(set) var tasks: [@Sendable (ShutdownReport) -> Void] = []
  /// Tasks that await the report on the main actor and have not resumed there. Swift resumes them through a thread
  /// of its own, so they may arrive after all else has ended.
  private(set) var awaitersOnMainActor = 0
  /// Threads that advance the shutdown at its deadlines. Made when a shutdown begins, unless that ends at once.
  private(set) var deadline: ShutdownDeadline?
  /// A shutdown ended at its deadline. From then on, jobs of Swift Tasks on the background run outside it.
  private(set) var strandsAll = false
  /// Jobs of the foreground run outside it as well: no thread ran the loop at that deadline. They keep doing so if a
  /// thread runs the loop later: with two ways, two jobs of the foreground could run at a time.
  private(set) var strandsForeground = false

  /// What a snapshot for the report needs besides.
  private var setting: DispatcherSnapshot.Setting?

  /// How long after the second deadline the report is made, whatever still runs, in nanoseconds. In between, the
  /// loop's thread may come to make the report, and jobs of Swift Tasks may end.
  static let grace: Int64 = 100_000_000

  @inline(__always) var hasBegun: Bool { progress != nil }

  var report: ShutdownReport? { progress?.report }

  /// Whether a shutdown has begun and is not over.
  var goesOn: Bool { progress.map { $0.phase != .over } ?? false }

  var isDraining: Bool { progress?.phase == .draining }

  /// When the report is made at the latest. In nanoseconds.
  var endsAt: Int64? { progress.map { $0.cancelUntil.addingClamped(Self.grace) } }

  /// Whether the report was made and the shutdown's deadline has passed. Then nothing is waited for any more.
  func isPastDeadline(at now: Int64) -> Bool {
    guard let endsAt, report != nil else { return false }
    return now >= endsAt
  }

  /// The next time at which the shutdown has to be advanced, in nanoseconds; nil if there is none.
  func nextDeadline(after now: Int64) -> Int64? {
    guard let progress, let endsAt, report == nil else { return nil }
    return [progress.drainUntil, progress.cancelUntil, endsAt].first { $0 > now }
  }

  /// Whether handlers of signals, or of descriptors, are called now.
  func callsHandlers(ofSignals: Bool, at now: Int64) -> Bool {
    progress?.callsHandlers(ofSignals: ofSignals, at: now) ?? true
  }

  // MARK: Going on

  /// - Returns: Whether a shutdown has begun now. False if the one that goes on was shortened.
  mutating func begin(_ policy: ShutdownPolicy, at now: DispatcherInstant) -> Bool {
    if progress != nil {
      progress!.shorten(policy, at: now)
      return false
    }
    progress = ShutdownProgress(policy, at: now)
    return true
  }

  mutating func beginCancelling() { progress?.beginCancelling() }

  /// Adds a task to what the report says is unfinished. No effect without a shutdown.
  ///
  /// - Parameter number: Its place in the order of submission.
  mutating func note(_ left: ShutdownReport.Unfinished, number: UInt64) {
    progress?.note(left, number: number)
  }

  mutating func end() { progress?.end() }

  /// Nil until a shutdown begins.
  var phase: ShutdownProgress.Phase? { progress?.phase }

  /// Whether something is unfinished.
  var isUnclean: Bool { progress?.isUnclean ?? false }

  /// Says what a snapshot for the report needs. Before another thread sees the core.
  mutating func set(_ setting: DispatcherSnapshot.Setting) { self.setting = setting }

  /// - Parameter facts: What the dispatcher holds, if something is unfinished.
  mutating func makeReport(_ ledger: Ledger, _ facts: SnapshotFacts? = nil) -> ShutdownReport? {
    let snapshot = facts.flatMap { facts in setting.map { DispatcherSnapshot(facts, $0) } }
    return progress?.makeReport(ledger, snapshot)
  }

  /// The shutdown ends at its deadline, and gives up all that still runs.
  mutating func strand(foregroundToo: Bool) {
    strandsAll = true
    strandsForeground = foregroundToo
  }

  /// Ends the threads that act at the deadlines.
  func endDeadline() { deadline?.end() }

  mutating func setDeadline(_ new: ShutdownDeadline) { deadline = new }

  // MARK: Waiting for the report

  mutating func add(thread number: UInt64, _ wake: @escaping @Sendable (ShutdownReport) -> Void) {
    threads.append((number, wake))
  }

  mutating func remove(thread number: UInt64?) { threads.removeAll { $0.number == number } }

  mutating func add(task resume: @escaping @Sendable (ShutdownReport) -> Void) {
    tasks.append(resume)
  }

  /// Takes out the closures that let threads go on.
  mutating func takeThreads() -> [@Sendable (ShutdownReport) -> Void] {
    defer { threads = [] }
    return threads.map(\.wake)
  }

  /// Takes out the closures that resume Tasks.
  mutating func takeTasks() -> [@Sendable (ShutdownReport) -> Void] {
    defer { tasks = [] }
    return tasks
  }

  /// Whether there is a report, and a Task that has awaited it on the main actor has not resumed there.
  var isAwaitedOnMainActor: Bool { awaitersOnMainActor > 0 && report != nil }

  mutating func addAwaiterOnMainActor() { awaitersOnMainActor += 1 }

  mutating func removeAwaiterOnMainActor() { awaitersOnMainActor -= 1 }
}
