internal import TaskDispatch

/// Everything a recording dispatcher knows, under one lock.
///
/// The lock is never held while a body, a hook or an observer runs. Callbacks are put into ``callbacks``, and made
/// after the lock is released.
struct State: ~Copyable {
  let configuration: RecordingDispatcher.Configuration
  /// Which dispatcher this is the state of. Set once, before any other thread sees it.
  var dispatcher = ObjectIdentifier(State.self)

  /// Virtual time, in nanoseconds since the dispatcher was made.
  var now: Int64 = 0
  /// The number of the newest submission.
  var lastID: UInt64 = 0
  /// The foreground: what was posted, and what is due, which are timers and calls of handlers.
  var foreground: ForegroundOrder<Entry>
  /// The background and its views.
  var pool: PoolOrder<Entry>
  private var weakViews: [WeakView] = []
  /// Names this dispatcher in its items and views.
  let name = WorkItem.DispatcherName.makeRecurring()
  var timers = DeadlineQueue<Timed>()
  /// Accepted notifications whose group is not empty.
  var held: [Entry] = []
  /// Items that wait for room in their queue, in order.
  var waitingForRoom: [Entry] = []
  /// Whether an item with a time to live was ever submitted. Until then no call looks for expired items.
  var itemsMayExpire = false
  /// Repeating timers that have a run. Such a timer is in no queue itself.
  var timersWithRun: [ObjectIdentifier: Timed] = [:]
  /// Background tasks whose slot is taken and whose body has not run, the oldest first.
  var started: [Entry] = []
  /// Bodies that are running, in the order in which they began. More than one if a body waits and others run on top.
  var running: [Entry] = []
  /// Calls that wait, the innermost last.
  var waitingCalls: [WaitingCall] = []
  /// Whether a thread is stepping. Only that thread changes `running`, except for inline bodies.
  var isStepping = false {
    didSet { if isStepping { stepper = .ofThread } else { stepBudget = nil } }
  }
  /// The budget of a call that makes many steps, while one does.
  var stepBudget: StepBudget?
  /// The thread that steps, while one does.
  private var stepper: ExecutionIdentity?

  /// Whether the calling thread steps: in a body, or in a callback after one.
  var isStepper: Bool { isStepping && stepper == .ofThread }
  /// The thread or Task of the test: the one that began the latest step, or before that first asked for an executor.
  var driver = ExecutionIdentity.thread(0)
  /// Makes the choices of an exploration. Nil without one.
  var decisions: Decisions?
  /// In an exploration: the latest time to which time may pass ahead of other work.
  var horizon = Int64.max
  /// Whether Swift Tasks can come here. Only in that case does the dispatcher need to know the test's thread.
  var hasExecutors = false

  var foregroundLimit: CountedLimit?
  var backgroundLimit: CountedLimit?
  /// Whether a queue has a limit. A view has its own.
  private(set) var hasLimits: Bool
  var flushes: [Flush] = []

  var ledger = Ledger()
  var foregroundCounts = OutcomeCounts()
  var backgroundCounts = OutcomeCounts()
  private var moments: [Moment] = []
  var hooks = Hooks()
  /// Whether events are recorded at all: for the history, an observer or a hook.
  private var tells: Bool
  private let keepsHistory: Bool
  private var hasListeners: Bool
  var callbacks: DeferredCallbacks?

  var registrations: [EventRegistration] = []
  var shutdown: ShutdownProgress?
  /// The shutdown's last deadline has passed, and everything but jobs has been given up.
  var hasGivenUp = false
  /// Resume the Tasks that await the report.
  var reportWaiters: [@Sendable (ShutdownReport) -> Void] = []
  let shutdownFlag = ShutdownFlag()
  var isFinished = false
  /// While above zero, submissions are allowed to be left over.
  var leftoverAllowances = 0
  var allowedLeftovers: Set<UInt64> = []
  var allowedLabels: Set<String> = []
  var thrown: [ThrownError] = []
  var escapes: [TaskRecord] = []
  /// The Swift Tasks whose jobs have been here.
  var swiftTasks: Set<String> = []
  var unexpectedUses: [CallSite] = []
  var automaticErrors: [StepError] = []

  /// An item that waits for a time, with what its entry will need.
  struct Timed {
    let item: WorkItem
    let entry: Entry
  }

  /// An event as the history keeps it. It does not retain the task's body. A read of the history makes it a
  /// `TaskEvent`.
  private struct Moment {
    let kind: TaskEvent.Kind
    let lineage: Lineage
    let time: Int64
    let comesLater: Bool
  }

  struct Hooks {
    var onEvent: (@Sendable (TaskEvent) -> Void)?
    var onEnter: (@Sendable (TaskRecord) -> Void)?
    var onExit: (@Sendable (TaskRecord) -> Void)?
    var onUnexpectedUse: (@Sendable (CallSite) -> Void)?
  }

  struct ThrownError {
    let record: TaskRecord
    let item: WorkItem
    let error: any Error
  }

  /// A call of `flush`, and those tasks of its queue, as of the call, that have not ended.
  struct Flush {
    var remaining: Set<UInt64>
    let wake: @Sendable () -> Void
  }

  private struct WeakView {
    weak var view: RecordingView?
  }

  init(_ configuration: RecordingDispatcher.Configuration) {
    configuration.validate()
    self.configuration = configuration
    let agingStep = configuration.agingStep.clampedNanoseconds
    foreground = ForegroundOrder(agingStep: agingStep, relocated: Self.relocate)
    pool = PoolOrder(
      width: configuration.width, agingStep: agingStep, relocated: Self.relocate)
    keepsHistory = configuration.recordsHistory
    hasListeners = configuration.observer != nil
    tells = keepsHistory || hasListeners
    foregroundLimit = CountedLimit(configuration.overflow)
    backgroundLimit = CountedLimit(configuration.overflow)
    hasLimits = configuration.overflow.limit != nil
  }

  mutating func setOnEvent(_ hook: (@Sendable (TaskEvent) -> Void)?) {
    hooks.onEvent = hook
    hasListeners = hook != nil || configuration.observer != nil
    tells = keepsHistory || hasListeners
  }

  /// A new task, under a new number.
  mutating func makeEntry(
    _ work: consuming Entry.Work, on lane: Lane, _ view: RecordingView?, at site: CallSite,
    parent: Lineage?, enqueuedAt time: Int64? = nil, swiftTask: String? = nil
  ) -> Entry {
    lastID += 1
    if leftoverAllowances > 0 { allowedLeftovers.insert(lastID) }
    let entry = Entry(
      work, id: lastID, lane: lane, view: view, site: site, at: time ?? now, parent: parent,
      dispatcher: dispatcher, shutdown: shutdownFlag)
    decisions?.created(entry, swiftTask: swiftTask)
    return entry
  }

  /// Tells an entry that can be removed by position where compaction has put it.
  static func relocate(_ entry: inout Entry, _ position: Int) {
    switch entry.work {
    case .item(let item): item.place.position = position
    case .caller(let caller): caller.position = position
    case .event(let event): event.position = position
    case .plain, .job, .registration, .body: break
    }
  }

  // MARK: Telling others

  /// Callbacks to be made once the lock is released.
  struct DeferredCallbacks {
    /// Resume waiting Tasks, before the first callback. That calls the executors of those Tasks, and no other user
    /// code.
    var wakes: [@Sendable () -> Void] = []
    var events: [TaskEvent] = []
    /// Items that have their outcomes, and whose ends have to be told.
    var endings: [(item: WorkItem, outcome: Outcome, telling: WorkItem.Telling)] = []
    var calls: [@Sendable () -> Void] = []
  }

  /// Records an event, if the history, an observer or a hook needs it.
  @inline(__always)
  mutating func emit(_ kind: TaskEvent.Kind, _ entry: Entry) {
    if tells { tell(kind, entry) }
  }

  private mutating func tell(_ kind: TaskEvent.Kind, _ entry: Entry) {
    if keepsHistory {
      moments.append(
        Moment(
          kind: kind, lineage: entry.lineage, time: now, comesLater: entry.item?.comesLater ?? false
        )
      )
    }
    guard hasListeners else { return }
    let event = TaskEvent(kind, entry.record, at: DispatcherInstant(nanoseconds: now))
    withCallbacks { $0.events.append(event) }
  }

  var history: [TaskEvent] { recordedMoments.map(\.event) }

  /// The history, and whether the task of each comes into its queue later: see ``WorkItem/comesLater``.
  var recordedMoments: [(event: TaskEvent, comesLater: Bool)] {
    moments.map {
      (
        TaskEvent($0.kind, $0.lineage.record, at: DispatcherInstant(nanoseconds: $0.time)),
        $0.comesLater
      )
    }
  }

  /// The newest task with this label that has started, as far as a history is kept.
  func lastStarted(_ label: String) -> TaskRecord? {
    moments.last { $0.kind == .started && $0.lineage.record.label == label }?.lineage.record
  }

  mutating func end(_ item: WorkItem, _ outcome: Outcome) {
    guard let telling = item.setOutcome(outcome), !telling.isNothing else { return }
    withCallbacks { $0.endings.append((item, outcome, telling)) }
  }

  mutating func later(_ call: @escaping @Sendable () -> Void) {
    withCallbacks { $0.calls.append(call) }
  }

  /// - Parameter wake: Resumes a Task. That calls the executor of the Task, and no other user code.
  mutating func wakeLater(_ wake: @escaping @Sendable () -> Void) {
    withCallbacks { $0.wakes.append(wake) }
  }

  /// Releases the plain body of an entry that will not run. This waits until the lock is released, since it may run a
  /// `deinit` of user code. Does nothing for other entries.
  mutating func letGo(of entry: Entry) {
    if let body = entry.waitingBody { later { withExtendedLifetime(body) {} } }
  }

  private mutating func withCallbacks(_ body: (inout DeferredCallbacks) -> Void) {
    var box = callbacks.take() ?? DeferredCallbacks()
    body(&box)
    callbacks = box
  }

  // MARK: Views and bodies

  /// The views that are still referenced, by the test or by their own work, in the order in which they were made.
  var views: [RecordingView] { weakViews.compactMap(\.view) }

  mutating func add(_ view: RecordingView) {
    if view.limit != nil { hasLimits = true }
    if weakViews.count >= 16, weakViews.count == weakViews.capacity {
      weakViews.removeAll { $0.view == nil }
    }
    weakViews.append(WeakView(view: view))
  }

  func view(_ view: QueueView?) -> RecordingView? {
    guard let view else { return nil }
    guard let mine = view as? RecordingView, mine.owner == name else {
      refuse("the queue \"\(view.label)\" belongs to another dispatcher")
    }
    return mine
  }

  func poolView(_ view: RecordingView?) -> PoolView<Entry> { view?.pool ?? pool.background }

  /// The innermost body of this dispatcher on this thread, if any.
  var bodyOfThisThread: Entry? {
    guard !running.isEmpty else { return nil }
    if let mine = mine(TaskContext.current) { return mine }
    for context in TaskContext.stack { if let mine = mine(context) { return mine } }
    return nil
  }

  /// The body of this dispatcher that the calling code belongs to. Nil in a callback after the end of a task, also if
  /// that callback runs on top of other bodies.
  var currentBody: Entry? { TaskContext.isOutsideTasks ? nil : bodyOfThisThread }

  private func mine(_ context: TaskContext?) -> Entry? {
    guard let entry = context as? Entry, entry.queue.dispatcher == dispatcher else { return nil }
    return entry
  }

  var foregroundIsBusy: Bool { running.contains { $0.queue.lane == .foreground } }
}
