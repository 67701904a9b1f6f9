internal import Synchronization
internal import TaskDispatch

/// The state of a ``UVDispatcher``. Touched under its lock, with the exceptions below.
///
/// Used without the lock: ``mailbox`` and ``inbox``, which have locks of their own; the atomics; ``share``;
/// ``recentTime``; ``post(_:to:parent:)`` and ``endDelivery()``; and what does not change once other threads see the
/// core, such as ``isSimple`` and ``name``.
///
/// While there is no observer, no limit and no shutdown, submitting threads post plain tasks and simple items to an
/// ``Inbox`` for each lane and a ``ViewInbox`` for each view. *Draining* an inbox (`collect`) moves its entries into
/// the queue here. A thread drains the inbox of a queue before it puts anything else into that queue, before it
/// chooses what a view runs next, and before it needs to know all that waits.
///
/// Three invariants hold whenever the lock is free; ``settle()`` restores them before that:
///
/// - **L** (workers): see ``WorkerWakeups``. A task may start on a worker only while fewer than `width` are busy.
/// - **I** (inbox): while the background's inbox is *notified* (`isAttended`), one of these holds: a worker run is
///   searching; `width` workers are busy; the pool has no thread for another run, and then L says what follows; or the
///   thread whose post notified the inbox has not come to this lock yet. That thread restores L as well when it comes:
///   another thread may have drained its task by then.
/// - **W** (the loop): see ``LoopWakeups``.
final class Core {
  let configuration: UVDispatcher.Configuration
  /// How many tasks may wait in one queue; nil without a limit. Stored here because it costs more to copy
  /// ``configuration`` than to check the limit.
  let limit: Int?
  /// The observer, or nil. ``configuration`` has none. It stays the same until the dispatcher ends.
  @safe @exclusivity(unchecked) var observer: (any TaskObserver)?
  let isObserved: Bool
  /// Whether there is neither an observer nor a limit. Then a plain task needs no object, unless a flush or a
  /// shutdown has to name it.
  let isSimple: Bool
  /// Names this dispatcher in its items. Set before another thread sees the core.
  var name = WorkItem.DispatcherName(ofDispatcher: made.add(1, ordering: .relaxed).newValue)
  private static let made = Atomic(0)
  /// The dispatcher that owns this core. Set once, before another thread sees the core.
  var dispatcher = ObjectIdentifier(Core.self)
  private let origin: Int64
  var lastID: UInt64 = 0
  // Values that every task touches lie outside this object. The compiler would check the object's own properties
  // for overlapping access each time.
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
  /// Nanoseconds since the dispatcher was made.
  let clock: SectionClock
  /// The inboxes of the foreground and of the background.
  let mailbox: Inbox
  let inbox: Inbox
  /// Whether the inboxes take anything in.
  var isOpen: Bool
  private var knownViews: [KnownView] = []
  /// The views that ``collectViews()`` drains now. Empty at all other times.
  @safe @exclusivity(unchecked) var announced = Ring<UVView>()
  /// Full views. The thread that ends a task of such a view drains its inbox. A task of each runs, or is about to
  /// run: so there are no more of them than threads.
  @safe @exclusivity(unchecked) var attendingThemselves: [UVView] = []
  /// Notifications whose group is not empty.
  var held = HeldItems()
  /// Items that wait for room in their queue.
  @safe @exclusivity(unchecked) var withoutRoom: [WorkItem] = []
  @safe @exclusivity(unchecked) var blocked = BlockedThreads()
  /// Repeating timers that have a run. Such a timer itself waits nowhere.
  @safe @exclusivity(unchecked) var timersWithRun: [ObjectIdentifier: RepeatingItem] = [:]
  @safe @exclusivity(unchecked) var events = Events()
  var limitedForeground = 0
  var limitedBackground = 0

  @safe @exclusivity(unchecked) var workers: WorkerWakeups
  /// The dispatcher's share of the pool. Set before another thread sees the core. A core without a dispatcher has a
  /// pool of its own.
  var share = PoolShare(of: PoolShares(), threads: 1024) { {} }
  /// Whether a task may start on a worker. Worker runs read it without the lock while they spin.
  let mayStart = Atomic(false)

  // The loop.
  /// The last foreground task came from ``due``, so the next comes from ``foreground`` if one waits there.
  var postedIsNext = false
  /// The running-task context in which the loop's thread runs plain tasks and simple items.
  lazy var loopFrame = makeFrame(on: .foreground)
  var loopRuns = false
  /// The thread that runs the loop, whether it is in a task or not: in callbacks of libuv it is in none.
  private(set) var loopThread: ExecutionIdentity?
  @safe @exclusivity(unchecked) var loop = LoopWakeups()
  /// The hint of ``LoopWakeups/State/told``. The loop's thread reads it without the lock while it spins.
  let loopIsTold = Atomic(false)
  /// When a post last woke the loop; `min` if the loop's thread has begun an iteration since.
  let wokenForPostsAt = Atomic(Int64.min)
  /// Wakes the watchdog; nil if there is none.
  @safe @exclusivity(unchecked) var wakeWatchdog: (() -> Void)?
  /// The watchdog sleeps until a body starts.
  var watchdogIsParked = false
  /// Jobs that came when their queue was over. Of each queue, one runs at a time.
  var lateJobs: [QueuedTask] = []
  /// Threads that were started for late jobs and run none now.
  var freeLateThreads = 0
  #if DEBUG
    var startedLateThreads = 0
  #endif
  /// The loop ends when nothing can go on: see ``UVDispatcher/runUntilIdle(servesMainQueue:)``.
  var leavesWhenIdle = false {
    didSet { if leavesWhenIdle != oldValue { awaitDeliveries(leavesWhenIdle) } }
  }

  /// How many threads make deferred callbacks (``Outbox``) now. A thread adds itself under the lock, and subtracts
  /// itself without it.
  let deliveries = Atomic(0)
  /// How many of these threads, while there is a shutdown, have not sent all the wakes and resumed all the Tasks that
  /// were deferred: that may bring work. Changes under the lock or without it, as ``deliveries`` does.
  let wakesAtTheEnd = Atomic(0)
  /// How many parties check under the lock for what deferred callbacks bring, or for their end. A party is a blocked
  /// thread that the search for deadlocks looks at, a shutdown, or a loop that ends when it is idle. Changed under
  /// the lock.
  ///
  /// While it is not 0, a thread that has made its callbacks takes the lock once more, so that the parties check
  /// again. A party counts itself here before it checks. The thread subtracts itself from ``deliveries`` before it
  /// reads this. So one of the two sees the other.
  let awaitingDeliveries = Atomic(0)
  /// How many threads are blocked until a group is empty. Changed under the lock.
  ///
  /// An item enters its group before it stands in a queue. A search for deadlocks between the two moments takes it
  /// for work of another dispatcher. So while this is not 0, a thread that has posted a member takes the lock once
  /// more. A blocked thread counts itself here before it searches. The posting thread posts the member before it
  /// reads this. So one of the two sees the other.
  let awaitingMembers = Atomic(0)

  var shutdown: Shutdown?
  var threadsForReport: [(number: UInt64, wake: @Sendable (ShutdownReport) -> Void)] = []
  var tasksForReport: [@Sendable (ShutdownReport) -> Void] = []
  /// Threads that advance the shutdown at its deadlines. Made when a shutdown begins, unless that ends at once.
  var shutdownDeadline: ShutdownDeadline?
  /// A shutdown ended at its deadline. From then on, jobs of Swift Tasks on the background run outside it.
  var strandsAll = false
  /// Jobs of the foreground run outside it as well: no thread ran the loop at that deadline. They keep doing so if a
  /// thread runs the loop later: with two ways, two jobs of the foreground could run at a time.
  var strandsForeground = false
  /// Tasks that await the report on the main actor and have not resumed there. Swift resumes them through a thread
  /// of its own, so they may arrive after all else has ended.
  var awaitersOnMainActor = 0
  let shutdownFlag = ShutdownFlag()

  struct Flush {
    var remaining: Set<UInt64>
    let resume: @Sendable () -> Void
  }

  private struct KnownView {
    weak var life: UVView.Life?
  }

  /// - Parameter configuration: Has no observer.
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

  /// Posted foreground tasks, in one band.
  var foreground: ReadyQueue<Entry> {
    _read { yield ownedForeground.value }
    _modify { yield &ownedForeground.value }
  }
  /// Foreground timers that are due, and calls of event handlers, in one band.
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
  /// Tasks that run, on any thread.
  var running: [QueuedTask] {
    _read { yield ownedRunning.value }
    _modify { yield &ownedRunning.value }
  }
  /// The free list of task objects: see ``reuse(_:)``.
  var spares: Spares {
    _read { yield ownedSpares.value }
    _modify { yield &ownedSpares.value }
  }
  /// The free list of callers' running-task contexts, which hold nothing. See
  /// ``enterAtOnce(_:asBarrier:at:parent:)``.
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

  /// Nanoseconds since the dispatcher was made. Each section of the lock reads the clock once at most, when it first
  /// asks for the time: to read it costs more than most of what a section does.
  var now: Int64 { clock.now }

  /// The time of a submission. Exact to some milliseconds only, if it serves nothing but a shutdown's report.
  func timeOfSubmission(hasTimeToLive: Bool = false) -> Int64 {
    isObserved || clock.isKnown || hasTimeToLive ? now : recentTime
  }

  /// Nanoseconds since the dispatcher was made, exact to some milliseconds. Cheap to read, and needs no lock.
  var recentTime: Int64 { max(0, recentMonotonicNanoseconds() - origin) }

  var instant: DispatcherInstant { DispatcherInstant(nanoseconds: now) }

  // MARK: The loop's thread

  /// The calling thread runs the loop from now on.
  func takeLoop() { loopThread = .ofThread }

  /// No thread runs the loop from now on.
  func leaveLoop() {
    loopRuns = false
    loopThread = nil
  }

  /// Whether the calling thread runs the loop. If it is in no task, it is in a callback of libuv or of this
  /// dispatcher.
  var isOnLoopThread: Bool { loopThread != nil && loopThread == .ofThread }

  // MARK: Views

  /// The views that still exist, because other code or waiting work refers to them, in the order in which they were
  /// made.
  var views: [PoolView<Entry>] { knownViews.compactMap { $0.life?.pool } }

  func add(_ view: UVView) {
    if knownViews.count >= 16, knownViews.count == knownViews.capacity {
      knownViews.removeAll { $0.life == nil }
    }
    knownViews.append(KnownView(life: view.life))
  }

  func poolView(_ view: UVView?) -> PoolView<Entry> { view?.pool ?? pool.background }

  /// The background queue that `item` belongs to.
  func poolView(of item: WorkItem) -> PoolView<Entry> {
    poolView(item.view as? UVView)
  }

  // By closures and not by the properties: with those, Swift 6.3.1 makes a broken module for
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

  /// Adds entries to `view`, and leaves its ready tokens as they are. The caller reconciles them next.
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
