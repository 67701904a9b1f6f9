internal import TaskDispatch

/// The state of a ``UVDispatcher`` that needs its lock. ``Doors`` is what does not.
///
/// Each component is a value with its own file. `Core+….swift` are the operations that need several of them.
///
/// Three invariants hold whenever the lock is free; ``reconcile()`` restores them before that. `README.md` in this
/// folder says why they hold.
///
/// - **L** (workers): see ``WorkerWakeups``. A task may start on a worker only while fewer than `width` are busy.
/// - **I** (inbox): while the background's inbox is *notified* (`isNotified`), one of these holds: a worker run is
///   searching; `width` workers are busy; the pool has no thread for another run, and then L says what follows; or the
///   thread whose post notified the inbox has not come to this lock yet. That thread restores L as well when it comes:
///   another thread may have drained its task by then.
/// - **W** (the loop): see ``LoopWakeups``.
final class Core {
  let doors: Doors
  @safe @exclusivity(unchecked) var observation: Observation
  @safe @exclusivity(unchecked) var standby = Standby()
  @safe @exclusivity(unchecked) var events = Events()
  @safe @exclusivity(unchecked) var blocked = BlockedThreads()
  @safe @exclusivity(unchecked) var workers: WorkerWakeups
  @safe @exclusivity(unchecked) var loop = LoopWakeups()
  @safe @exclusivity(unchecked) var loopThread = LoopThread()
  @safe @exclusivity(unchecked) var closing = Closing()
  @safe @exclusivity(unchecked) var late = LateJobs()
  /// The dispatcher's share of the pool. Set before another thread sees the core. A core without a dispatcher has a
  /// pool of its own.
  var share = PoolShare(of: PoolShares(), threads: 1024) { {} }
  /// Nanoseconds since the dispatcher was made.
  let clock: SectionClock
  private let knownTime = Owned(SectionClock.unknown)
  // Values that every task touches lie outside this object. The compiler would check the object's own properties
  // for overlapping access each time.
  let ownedForeground: Owned<ForegroundOrder<Entry>>
  let ownedBackground: Owned<Background>
  private let ownedAccounts: Owned<Accounts>
  private let ownedRunning = Owned(RunningTasks())
  private let ownedTimers = Owned(Timers())
  private let ownedCallbacks = Owned(DeferredCallbacks())

  /// - Parameters:
  ///   - configuration: Has no observer.
  ///   - width: The most background bodies that run at a time.
  ///   - threads: The most worker runs at a time.
  ///   - origin: The monotonic time that counts as zero, in nanoseconds.
  init(
    _ configuration: UVDispatcher.Configuration, observer: (any TaskObserver)?, width: Int,
    threads: Int, origin: Int64
  ) {
    let recorder = configuration.recorder.map { Recorder($0, startingAt: origin) }
    doors = Doors(
      isSimple: observer == nil, width: width, overflow: configuration.overflow, origin: origin,
      recorder)
    ownedAccounts = Owned(Accounts(recorder))
    observation = Observation(observer, StallWatch(configuration.stallThresholds))
    workers = WorkerWakeups(width: width, threads: threads)
    clock = SectionClock(keptIn: knownTime, origin: origin)
    let step = configuration.agingStep.clampedNanoseconds
    func relocated(_ entry: inout Entry, _ position: Int) { entry.move(to: position) }
    ownedForeground = Owned(ForegroundOrder(agingStep: step, relocated: relocated))
    ownedBackground = Owned(
      Background(
        PoolOrder(width: width, agingStep: step, relocated: relocated), isOpen: doors.isSimple))
  }

  var foreground: ForegroundOrder<Entry> {
    _read { yield ownedForeground.value }
    _modify { yield &ownedForeground.value }
  }
  var background: Background {
    _read { yield ownedBackground.value }
    _modify { yield &ownedBackground.value }
  }
  var accounts: Accounts {
    _read { yield ownedAccounts.value }
    _modify { yield &ownedAccounts.value }
  }
  var running: RunningTasks {
    _read { yield ownedRunning.value }
    _modify { yield &ownedRunning.value }
  }
  var timers: Timers {
    _read { yield ownedTimers.value }
    _modify { yield &ownedTimers.value }
  }
  var callbacks: DeferredCallbacks {
    _read { yield ownedCallbacks.value }
    _modify { yield &ownedCallbacks.value }
  }

  // MARK: What is asked everywhere

  /// How many submissions there were, and how they have ended.
  var ledger: Ledger {
    var ledger = accounts.ledger
    ledger.refused += doors.refusalsWithoutLock
    return ledger
  }

  @inline(__always) var isObserved: Bool { observation.isOn }

  var observer: (any TaskObserver)? { observation.observer }

  var stalls: StallWatch {
    @inline(__always) _read { yield observation.stalls }
    @inline(__always) _modify { yield &observation.stalls }
  }

  /// Whether a call runs the loop.
  @inline(__always) var loopRuns: Bool { loopThread.isClaimed }

  /// Whether the loop ends when nothing can go on: see ``UVDispatcher/runUntilIdle(servesMainQueue:)``.
  @inline(__always) var leavesWhenIdle: Bool { loopThread.leavesWhenIdle }

  // MARK: Time

  /// Nanoseconds since the dispatcher was made. Each section of the lock reads the clock once at most, when it first
  /// asks for the time: to read it costs more than most of what a section does.
  var now: Int64 { clock.now }

  var instant: DispatcherInstant { DispatcherInstant(nanoseconds: now) }

  /// The time of a submission. Exact to some milliseconds only, if it serves nothing but a shutdown's report.
  func timeOfSubmission(hasTimeToLive: Bool = false) -> Int64 {
    isObserved || clock.isKnown || hasTimeToLive ? now : doors.recentTime
  }
}
