internal import Synchronization
internal import TaskDispatch

/// Everything a ``UVDispatcher`` knows. Touched under its lock only.
///
/// Plain bodies come in by an ``Inbox`` for each lane and a ``ViewInbox`` for each view, without this
/// lock, while nobody wants more of them than that they run. *Collecting* moves them into the queues
/// here. Whoever puts anything else into a queue collects first, and so does whoever needs to know all
/// that waits, and whoever chooses what a view does next.
///
/// Three invariants hold whenever the lock is free; ``settle()`` restores them before that:
///
/// - **L** (workers): see ``WorkerWakeups``. A task may start on fewer than `width` busy workers only.
/// - **I** (inbox): if the background's inbox is attended, a lease is searching, or `width` workers
///   are busy, or the thread that posted first is on its way to this lock. In that last case L is its
///   business as well: what it posted may have been collected since.
/// - **W** (the loop): see ``LoopWakeups``.
final class Core {
  let configuration: UVDispatcher.Configuration
  /// How many tasks may wait in one queue, and who is told of them. Apart from the configuration, of
  /// which a copy costs more than all else that is done for either.
  let limit: Int?
  @safe @exclusivity(unchecked) var observer: (any TaskObserver)?
  let isObserved: Bool
  /// Nobody wants more of a plain body than that it runs: it needs no object, unless a shutdown names it.
  let isSimple: Bool
  /// Names this dispatcher in its items. Set before anybody else sees it.
  var name = WorkItem.DispatcherName(ofDispatcher: made.add(1, ordering: .relaxed).newValue)
  private static let made = Atomic(0)
  /// Whose core it is. Set once, before anybody else sees it.
  var dispatcher = ObjectIdentifier(Core.self)
  private let origin: Int64
  var lastID: UInt64 = 0
  // What every task touches stands apart from the object, whose own properties would be checked for
  // overlapping access each time.
  let ownedForeground: Owned<ReadyQueue<Entry>>
  private let ownedDue: Owned<ReadyQueue<Entry>>
  let ownedPool: Owned<PoolOrder<Entry>>
  private let ownedTimers = Owned(DeadlineQueue<WorkItem>())
  private let ownedLedger = Owned(Ledger())
  private let ownedRunning = Owned<[QueuedTask]>([])
  private let ownedSpares = Owned(Spares())
  private let ownedCallers = Owned(Spares())
  private let ownedFlushes = Owned<[Flush]>([])
  private let ownedOutbox = Owned(Outbox())
  private let knownTime = Owned(SectionClock.unknown)
  /// The time since the dispatcher was made.
  let clock: SectionClock
  /// Where plain bodies of the foreground and of the background come in.
  let mailbox: Inbox
  let inbox: Inbox
  /// Whether they take anything in.
  var isOpen: Bool
  private var knownViews: [KnownView] = []
  /// Empty but for the time in which ``collectViews()`` goes through it.
  @safe @exclusivity(unchecked) var announced = Ring<UVView>()
  /// Views whose inbox whoever ends a body of them looks into. A body of each runs, or is about to: no
  /// more of them than threads.
  @safe @exclusivity(unchecked) var attendingThemselves: [UVView] = []
  /// Notifications whose group is not empty.
  var held = HeldItems()
  /// Items that wait for room in their queue.
  @safe @exclusivity(unchecked) var withoutRoom: [WorkItem] = []
  @safe @exclusivity(unchecked) var blocked = BlockedThreads()
  /// Repeating timers that have a run, and so stand nowhere themselves.
  @safe @exclusivity(unchecked) var timersWithRun: [ObjectIdentifier: RepeatingItem] = [:]
  @safe @exclusivity(unchecked) var events = Events()
  var limitedForeground = 0
  var limitedBackground = 0

  @safe @exclusivity(unchecked) var workers: WorkerWakeups
  /// What this dispatcher has of the pool. Set before another thread sees it: a core without a dispatcher has
  /// a pool of its own.
  var share = PoolShare(of: PoolShares(), threads: 1024) { {} }
  /// Whether a task may start on a worker. Read without the lock by runs that spin.
  let mayStart = Atomic(false)

  // The loop.
  /// What ran last on it was due, and not posted.
  var postedIsNext = false
  /// The frame of plain bodies on the loop's thread.
  lazy var loopFrame = makeFrame(on: .foreground)
  var loopRuns = false
  /// Whose thread it runs on, in a task or not: callbacks of libuv are in none.
  private(set) var loopThread: ExecutionIdentity?
  @safe @exclusivity(unchecked) var loop = LoopWakeups()
  /// The hint of ``LoopWakeups/State/told``. Read without the lock by the loop's thread while it spins.
  let loopIsTold = Atomic(false)
  /// When it was last woken for what was posted; `min` if it has been there since.
  let wokenForPostsAt = Atomic(Int64.min)
  /// Wakes the watchdog; nil if there is none.
  @safe @exclusivity(unchecked) var wakeWatchdog: (() -> Void)?
  /// It sleeps until a body starts.
  var watchdogIsParked = false
  /// Jobs that came when their queue was over, and must run one at a time of each.
  var lateJobs: [QueuedTask] = []
  /// Threads that were started for late jobs, and are in none.
  var freeLateThreads = 0
  #if DEBUG
    var startedLateThreads = 0
  #endif
  /// The loop is to be left when nothing can go on.
  var leavesWhenIdle = false {
    didSet { if leavesWhenIdle != oldValue { awaitDeliveries(leavesWhenIdle) } }
  }

  /// How many threads are at doing what was left to be done once the lock is free. Grows under the
  /// lock, and shrinks without it.
  let deliveries = Atomic(0)
  /// How many of them, while there is a shutdown, have not let go on yet what waits: that may bring work. Changes as
  /// ``deliveries`` does.
  let wakesAtTheEnd = Atomic(0)
  /// How many look under the lock for what a delivery brings, or for its end: those who wait, a
  /// shutdown, and a loop that leaves when it is idle. Changed under the lock.
  ///
  /// If there are any, whoever has delivered takes the lock once more, so that they look again. Each
  /// counts itself here before it looks, and a delivery ends before this is read: so one of the two
  /// sees the other.
  let awaitingDeliveries = Atomic(0)
  /// How many threads are blocked until a group is empty. Changed under the lock.
  ///
  /// An item enters its group before it comes into a queue. A search for deadlocks between the two takes it
  /// for work that another dispatcher does. So if there are any, a thread that has posted a member takes the
  /// lock once more: each blocked thread counts itself before it searches, and a member is posted before this
  /// is read, so one of the two sees the other.
  let awaitingMembers = Atomic(0)

  var shutdown: Shutdown?
  var threadsForReport: [(number: UInt64, wake: @Sendable (ShutdownReport) -> Void)] = []
  var tasksForReport: [@Sendable (ShutdownReport) -> Void] = []
  /// Sees to it that the report comes at the deadline. There is one while a shutdown goes on.
  var shutdownDeadline: ShutdownDeadline?
  /// A shutdown has ended at its deadline: jobs of Swift Tasks on the background go on elsewhere.
  var strandsAll = false
  /// The same of the foreground, for no thread ran the loop then. They go that way also if one runs it later: two ways
  /// would let two of its jobs run at a time.
  var strandsForeground = false
  /// Who awaits the report on the main actor, and has not gone on there. Swift takes them there by a
  /// thread of its own, so they may not have come yet when all else is over.
  var awaitersOnMainActor = 0
  let shutdownFlag = ShutdownFlag()

  struct Flush {
    var remaining: Set<UInt64>
    let resume: @Sendable () -> Void
  }

  private struct KnownView {
    weak var life: UVView.Life?
  }

  /// - Parameter configuration: Without its observer.
  init(
    _ configuration: UVDispatcher.Configuration, observer: (any TaskObserver)?, width: Int,
    threads: Int, origin: Int64
  ) {
    self.configuration = configuration
    workers = WorkerWakeups(width: width, threads: threads)
    self.origin = origin
    clock = SectionClock(keptIn: knownTime, origin: origin)
    limit = configuration.overflow.limit
    self.observer = observer
    isObserved = observer != nil
    isSimple = !isObserved && limit == nil
    mailbox = Inbox(isOpen: isSimple)
    inbox = Inbox(isOpen: isSimple, isForTwo: width > 1)
    isOpen = isSimple
    let step = configuration.agingStep.clampedNanoseconds
    func relocated(_ entry: inout Entry, _ position: Int) { entry.move(to: position) }
    ownedForeground = Owned(ReadyQueue(agingStep: step, relocated: relocated))
    ownedDue = Owned(ReadyQueue(agingStep: step, relocated: relocated))
    ownedPool = Owned(PoolOrder(width: width, agingStep: step, relocated: relocated))
  }

  // MARK: What every task touches

  /// Posted foreground tasks, one band.
  var foreground: ReadyQueue<Entry> {
    _read { yield ownedForeground.value }
    _modify { yield &ownedForeground.value }
  }
  /// Foreground timers whose time has come, and what is told of events, one band.
  var due: ReadyQueue<Entry> {
    _read { yield ownedDue.value }
    _modify { yield &ownedDue.value }
  }
  var pool: PoolOrder<Entry> {
    _read { yield ownedPool.value }
    _modify { yield &ownedPool.value }
  }
  var ledger: Ledger {
    _read { yield ownedLedger.value }
    _modify { yield &ownedLedger.value }
  }
  var timers: DeadlineQueue<WorkItem> {
    _read { yield ownedTimers.value }
    _modify { yield &ownedTimers.value }
  }
  /// What runs, on whatever thread.
  var running: [QueuedTask] {
    _read { yield ownedRunning.value }
    _modify { yield &ownedRunning.value }
  }
  /// See ``reuse(_:)``.
  var spares: Spares {
    _read { yield ownedSpares.value }
    _modify { yield &ownedSpares.value }
  }
  /// Frames of callers that have gone on, and hold nothing: see ``enterAtOnce(_:asBarrier:at:parent:)``.
  var callers: Spares {
    _read { yield ownedCallers.value }
    _modify { yield &ownedCallers.value }
  }
  var flushes: [Flush] {
    _read { yield ownedFlushes.value }
    _modify { yield &ownedFlushes.value }
  }
  var outbox: Outbox {
    _read { yield ownedOutbox.value }
    _modify { yield &ownedOutbox.value }
  }

  // MARK: Time

  /// Nanoseconds since the dispatcher was made, as of when it was first asked for since the lock was
  /// taken: reading the clock costs more than most of what is done under it.
  var now: Int64 { clock.now }

  /// When a task was submitted: to some milliseconds, if that is for a shutdown's report alone.
  func timeOfSubmission(hasTimeToLive: Bool = false) -> Int64 {
    isObserved || clock.isKnown || hasTimeToLive ? now : recentTime
  }

  /// The time to some milliseconds, which is soon read. Without the lock.
  var recentTime: Int64 { max(0, recentMonotonicNanoseconds() - origin) }

  var instant: DispatcherInstant { DispatcherInstant(nanoseconds: now) }

  // MARK: The loop's thread

  /// The calling thread runs the loop from now on, or does so no more.
  func takeLoop() { loopThread = .ofThread }

  func leaveLoop() {
    loopRuns = false
    loopThread = nil
  }

  /// Whether the calling thread runs the loop. Without a task it is in a callback of libuv, or of this
  /// dispatcher.
  var isOnLoopThread: Bool { loopThread != nil && loopThread == .ofThread }

  // MARK: Views

  /// The views that somebody holds or that hold work, in the order in which they were made.
  var views: [PoolView<Entry>] { knownViews.compactMap { $0.life?.pool } }

  func add(_ view: UVView) {
    if knownViews.count >= 16, knownViews.count == knownViews.capacity {
      knownViews.removeAll { $0.life == nil }
    }
    knownViews.append(KnownView(life: view.life))
  }

  func poolView(_ view: UVView?) -> PoolView<Entry> { view?.pool ?? pool.background }

  /// The queue of an item of the background.
  func poolView(of item: WorkItem) -> PoolView<Entry> {
    poolView(item.view as? UVView)
  }

  // By closures and not by the properties: of those, Swift 6.3.1 makes a broken module for
  // ThreadSanitizer.
  func absorbForeground(_ entries: inout Ring<Entry>, holdsItems: Bool) {
    ownedForeground.update {
      $0.absorb(&entries, alive: entries.slotCount, in: .medium, isUntold: holdsItems)
    }
  }

  func updateForeground(_ body: (inout Entry, _ position: Int) -> Void) {
    ownedForeground.update { $0.updateEach(body) }
  }

  func absorb(_ entries: inout Ring<Entry>, holdsItems: Bool, in view: PoolView<Entry>) {
    absorbUnsettled(&entries, holdsItems: holdsItems, in: view)
    ownedPool.update { $0.settle(view, now: { [clock] in clock.now }) }
  }

  /// For one of whose turns somebody is about to decide anyway.
  func absorbUnsettled(_ entries: inout Ring<Entry>, holdsItems: Bool, in view: PoolView<Entry>) {
    view.absorb(&entries, isUntold: holdsItems)
  }

  func tellPositionsInForeground() {
    ownedForeground.update {
      if $0.isUntold(in: .medium) { $0.tellPositions(in: .medium) { place(&$0, at: $1) } }
    }
  }

  func tellPositions(in view: PoolView<Entry>) { view.tellPositions { place(&$0, at: $1) } }
}
