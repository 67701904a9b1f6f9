internal import TaskDispatch

/// Everything a ``UVDispatcher`` knows. Touched under its lock only.
///
/// Two invariants hold whenever the lock is free; ``settle()`` restores them before that:
///
/// - **L** (leases): if a task may start on a worker and fewer than `width` leases are out, one lease
///   is *searching*: it will look under the lock before it ends.
/// - **W** (waking): if the loop has something to do, its turn is due: it is in it, or was woken and
///   has not come yet.
final class Core {
  let configuration: UVDispatcher.Configuration
  /// Whose core it is. Set once, before anybody else sees it.
  var dispatcher = ObjectIdentifier(Core.self)
  let width: Int
  /// Nanoseconds since the dispatcher was made, as of when the lock was taken.
  var now: Int64 = 0
  var lastID: UInt64 = 0
  var ledger = Ledger()

  /// Posted foreground tasks, one band; timers whose time has come.
  var foreground: ReadyQueue<QueuedTask>
  var due: ReadyQueue<QueuedTask>
  var pool: PoolOrder<QueuedTask>
  private var weakViews: [WeakView] = []
  var timers = DeadlineQueue<QueuedTask>()
  /// Notifications whose group is not empty.
  var held: [QueuedTask] = []
  /// Items that wait for room in their queue.
  var withoutRoom: [QueuedTask] = []
  /// What runs, on whatever thread.
  var running: [QueuedTask] = []
  /// Callers whose turn has come, and who have not noticed yet.
  var granted = 0
  /// The tasks of items that have not ended.
  var tasks: [ObjectIdentifier: QueuedTask] = [:]
  /// The repeating timer of a run that has not ended.
  var repeats: [ObjectIdentifier: QueuedTask] = [:]
  var limitedForeground = 0
  var limitedBackground = 0
  var flushes: [Flush] = []

  // The pool's threads.
  var leases = 0
  var searching = 0
  /// Leases to be started once the lock is free: at most one, see ``settle()``.
  var leasesToStart = 0

  // The loop.
  var loopRuns = false
  /// It is in a turn, or was woken for one.
  var turnIsDue = false
  /// Somebody wants it to look, for another reason than a task.
  var turnIsWanted = false
  /// For when its timer is set.
  var timerIsSetFor = Int64.max
  /// The loop has ended for good: nobody may wake it.
  var loopIsOver = false
  /// The loop is to be woken once the lock is free.
  var wakeIsOwed = false
  /// Threads that are about to wake it, or do so just now, without the lock.
  var wakesInFlight = 0
  /// Wakes the watchdog; nil if there is none.
  var wakeWatchdog: (() -> Void)?
  /// It sleeps until a body starts.
  var watchdogIsParked = false
  /// Jobs that came when the loop was over and must run one at a time, and whether a thread does.
  var lateJobs: [QueuedTask] = []
  var lateThreadRuns = false
  /// The loop is to be left when nothing can go on.
  var leavesWhenIdle = false

  /// What is done once the lock is free, and how many threads are at it.
  var outbox: [() -> Void] = []
  var deliveries = 0

  var shutdown: Shutdown?
  let shutdownFlag = ShutdownFlag()

  struct Flush {
    var remaining: Set<UInt64>
    let wake: @Sendable () -> Void
  }

  private struct WeakView {
    weak var view: UVView?
  }

  init(_ configuration: UVDispatcher.Configuration, width: Int) {
    self.configuration = configuration
    self.width = width
    let step = configuration.agingStep.clampedNanoseconds
    func relocated(_ task: borrowing QueuedTask, _ position: Int) { task.position = position }
    foreground = ReadyQueue(agingStep: step, relocated: relocated)
    due = ReadyQueue(agingStep: step, relocated: relocated)
    pool = PoolOrder(width: width, agingStep: step, relocated: relocated)
  }

  var instant: DispatcherInstant { DispatcherInstant(nanoseconds: now) }

  // MARK: Views

  /// The views that somebody holds or that hold work, in the order in which they were made.
  var views: [UVView] { weakViews.compactMap(\.view) }

  func add(_ view: UVView) {
    if weakViews.count >= 16, weakViews.count == weakViews.capacity {
      weakViews.removeAll { $0.view == nil }
    }
    weakViews.append(WeakView(view: view))
  }

  func poolView(_ view: UVView?) -> PoolView<QueuedTask> { view?.pool ?? pool.background }

  // MARK: Before the lock is free

  /// Restores the invariants: says which wakes and leases are owed.
  func settle() {
    if searching == 0, leases < width {
      let time = now
      if pool.canStart(now: { time }) {
        searching += 1
        leases += 1
        leasesToStart += 1
      }
    }
    if !turnIsDue, !loopIsOver, turnIsWanted || hasForeground || nextDeadline < timerIsSetFor {
      turnIsDue = true
      wakeIsOwed = true
      wakesInFlight += 1
    }
  }

  var hasForeground: Bool { due.hasStartable || foreground.hasStartable }

  /// When the loop has to look again, in nanoseconds; `max` for never.
  var nextDeadline: Int64 {
    min(timers.nextDeadline ?? .max, shutdown?.nextDeadline(after: now) ?? .max)
  }

  // MARK: Telling others

  func tell(_ kind: TaskEvent.Kind, _ task: QueuedTask) {
    guard let observer = configuration.observer else { return }
    let event = TaskEvent(kind, task.record, at: instant)
    outbox.append { observer.observe(event) }
  }

  /// Gives `task` its outcome, and lets go of its body, once the lock is free.
  func release(_ task: QueuedTask, _ outcome: Outcome) {
    let work = task.release()
    let item = task.item
    if let item { tasks[ObjectIdentifier(item)] = nil }
    if item == nil, work == nil { return }
    outbox.append {
      item?.finish(outcome)
      withExtendedLifetime(work) {}
    }
  }

  /// Takes out everything that never started, for an owner that is going away: a view's queue holds
  /// its tasks, and they the view.
  func releaseEverything() -> [QueuedTask.Work] {
    var left: [QueuedTask] = []
    forEachReady { left.append($0) }
    for task in left { _ = takeBack(task) }
    left += held + withoutRoom + timers.removeAll() + lateJobs
    held = []
    withoutRoom = []
    lateJobs = []
    tasks = [:]
    repeats = [:]
    return left.compactMap { $0.release() }
  }

  // MARK: Whether anything goes on

  /// Whether the loop can end for good: nothing is queued, and nobody was told of the end and may
  /// still come.
  var hasNothingLeft: Bool {
    deliveries == 0 && outbox.isEmpty && !hasForeground
      && !running.contains { !$0.isAbandoned }
      && pool.background.queue.ready.isEmpty
      && views.allSatisfy { $0.pool.queue.isSuspended || $0.pool.queue.ready.isEmpty }
  }

  /// Whether nothing is left that could run now, on any thread.
  var isIdle: Bool {
    let time = now
    return running.isEmpty && granted == 0 && deliveries == 0 && outbox.isEmpty
      && !hasForeground && !pool.canStart(now: { time })
      && (timers.nextDeadline ?? .max) > time
  }
}
