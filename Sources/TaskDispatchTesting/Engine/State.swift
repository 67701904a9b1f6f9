internal import TaskDispatch

/// Everything a recording dispatcher knows, under one lock.
///
/// The lock is never held while a body, a hook or an observer runs: what has to be told to others
/// is put in ``outbox`` and delivered after the lock is free.
struct State: ~Copyable {
  let configuration: RecordingDispatcher.Configuration
  /// Which dispatcher this is the state of. Set once, before anybody else sees it.
  var dispatcher = ObjectIdentifier(State.self)

  /// Virtual time, in nanoseconds since the dispatcher was made.
  var now: Int64 = 0
  /// The number of the newest submission.
  var lastID: UInt64 = 0
  /// Posted foreground tasks. One band: the foreground is strictly first in first out.
  var foreground: ReadyQueue<Entry>
  /// Foreground timers whose time has come, by deadline.
  var due: ReadyQueue<Entry>
  /// Signals and descriptors that wait for the foreground.
  var events: ReadyQueue<Entry>
  /// The background and its views.
  var pool: PoolOrder<Entry>
  private var weakViews: [WeakView] = []
  var timers = DeadlineQueue<Timed>()
  /// Accepted notifications whose group is not empty.
  var held: [Entry] = []
  /// Items that wait for room in their queue, in order.
  var waitingForRoom: [Entry] = []
  /// Whether an item with a time to live was ever submitted. Until then nobody looks for one.
  var itemsMayExpire = false
  /// Repeating timers that have a run, and so stand nowhere themselves.
  var timersWithRun: [ObjectIdentifier: Timed] = [:]
  /// Background tasks whose slot is taken and whose body has not run, the oldest first.
  var started: [Entry] = []
  /// Bodies that are running: more than one if they wait and others run meanwhile.
  var running: [Entry] = []
  /// Those who stand still, the innermost last.
  var standing: [Standing] = []
  /// Whether a thread is stepping. Only that thread changes `running`, inline bodies aside.
  var isStepping = false {
    didSet { if isStepping { stepper = .ofThread } else { stepBudget = nil } }
  }
  /// Of the call that makes many steps, while one does.
  var stepBudget: StepBudget?
  /// The thread that steps, while one does.
  private var stepper: ExecutionIdentity?

  /// Whether the calling thread steps: in a body, or in a callback after one.
  var isStepper: Bool { isStepping && stepper == .ofThread }
  /// Who used the dispatcher from outside a body last: the test.
  var driver = ExecutionIdentity.thread(0)
  /// Makes the choices that an exploration has to make; nil if nobody explores.
  var decisions: Decisions?
  /// Until when time may pass ahead of work.
  var horizon = Int64.max
  /// Whether Swift Tasks can come here: only then it matters who the test is.
  var hasExecutors = false

  /// Waiting tasks that the limit counts, by lane; views count their own.
  var limitedForeground = 0
  var limitedBackground = 0
  var flushes: [Flush] = []

  var ledger = Ledger()
  private var moments: [Moment] = []
  var hooks = Hooks()
  /// Whether anybody wants to know what happens: the history, or somebody who listens.
  private var tells: Bool
  private let keepsHistory: Bool
  private var hasListeners: Bool
  /// Whether queues have a limit.
  let isLimited: Bool
  var outbox: Outbox?

  var registrations: [EventRegistration] = []
  var shutdown: ShutdownProgress?
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

  /// An event as it is kept: one that does not keep the task's body, and is made into a `TaskEvent`
  /// when somebody reads it.
  private struct Moment {
    let kind: TaskEvent.Kind
    let lineage: Lineage
    let time: Int64
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

  /// Somebody who waits for what a queue had when they asked.
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
    foreground = ReadyQueue(agingStep: agingStep, relocated: Self.relocate)
    due = ReadyQueue(agingStep: agingStep, relocated: Self.relocate)
    events = ReadyQueue(agingStep: agingStep, relocated: Self.relocate)
    pool = PoolOrder(
      width: configuration.width, agingStep: agingStep, relocated: Self.relocate)
    keepsHistory = configuration.recordsHistory
    hasListeners = configuration.observer != nil
    tells = keepsHistory || hasListeners
    isLimited = configuration.overflow != .unbounded
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

  /// Tells what can be removed later where compaction has put it.
  static func relocate(_ entry: inout Entry, _ position: Int) {
    switch entry.work {
    case .item(let item): item.place.position = position
    case .caller(let caller): caller.position = position
    case .event(let event): event.position = position
    case .plain, .job, .registration, .ran: break
    }
  }

  // MARK: Telling others

  /// Things to be done once the lock is free.
  struct Outbox {
    /// Let something go on, before the first callback: they run no user code, and return at once.
    var wakes: [@Sendable () -> Void] = []
    var events: [TaskEvent] = []
    /// Items that have their outcomes.
    var endings: [(item: WorkItem, outcome: Outcome, telling: WorkItem.Telling)] = []
    var calls: [@Sendable () -> Void] = []
  }

  /// Notes an event.
  @inline(__always)
  mutating func emit(_ kind: TaskEvent.Kind, _ entry: Entry) {
    if tells { tell(kind, entry) }
  }

  private mutating func tell(_ kind: TaskEvent.Kind, _ entry: Entry) {
    if keepsHistory { moments.append(Moment(kind: kind, lineage: entry.lineage, time: now)) }
    guard hasListeners else { return }
    let event = TaskEvent(kind, entry.record, at: DispatcherInstant(nanoseconds: now))
    withOutbox { $0.events.append(event) }
  }

  var history: [TaskEvent] {
    moments.map {
      TaskEvent($0.kind, $0.lineage.record, at: DispatcherInstant(nanoseconds: $0.time))
    }
  }

  /// The newest task with this label that has started, as far as a history is kept.
  func lastStarted(_ label: String) -> TaskRecord? {
    moments.last { $0.kind == .started && $0.lineage.record.label == label }?.lineage.record
  }

  mutating func end(_ item: WorkItem, _ outcome: Outcome) {
    guard let telling = item.setOutcome(outcome), !telling.isNothing else { return }
    withOutbox { $0.endings.append((item, outcome, telling)) }
  }

  mutating func later(_ call: @escaping @Sendable () -> Void) {
    withOutbox { $0.calls.append(call) }
  }

  /// - Parameter wake: Lets something go on. It runs no user code, and returns at once.
  mutating func wakeLater(_ wake: @escaping @Sendable () -> Void) {
    withOutbox { $0.wakes.append(wake) }
  }

  /// Lets go of the body of an entry that will not run, if that is plain: without the lock, since that may
  /// run anybody's `deinit`.
  mutating func letGo(of entry: Entry) {
    if case .plain(let body) = entry.work { later { withExtendedLifetime(body) {} } }
  }

  private mutating func withOutbox(_ body: (inout Outbox) -> Void) {
    var box = outbox.take() ?? Outbox()
    body(&box)
    outbox = box
  }

  // MARK: Who is who

  /// The views that somebody holds or that hold work, in the order in which they were made.
  var views: [RecordingView] { weakViews.compactMap(\.view) }

  mutating func add(_ view: RecordingView) {
    if weakViews.count >= 16, weakViews.count == weakViews.capacity {
      weakViews.removeAll { $0.view == nil }
    }
    weakViews.append(WeakView(view: view))
  }

  func view(_ view: QueueView?) -> RecordingView? {
    guard let view else { return nil }
    guard let mine = view as? RecordingView else {
      refuse("the queue \"\(view.label)\" belongs to another dispatcher")
    }
    return mine
  }

  func poolView(_ view: RecordingView?) -> PoolView<Entry> { view?.pool ?? pool.background }

  /// The body of this dispatcher that is innermost on this thread, if any.
  var bodyOfThisThread: Entry? {
    guard !running.isEmpty else { return nil }
    if let mine = mine(TaskFrame.current) { return mine }
    for frame in TaskFrame.stack { if let mine = mine(frame) { return mine } }
    return nil
  }

  /// The body of this dispatcher that the calling code is in, or nil: also if it is called back after the
  /// end of a task, on top of others.
  var currentBody: Entry? { TaskFrame.isOutsideTasks ? nil : bodyOfThisThread }

  private func mine(_ frame: TaskFrame?) -> Entry? {
    guard let entry = frame as? Entry, entry.queue.dispatcher == dispatcher else { return nil }
    return entry
  }

  var foregroundIsBusy: Bool { running.contains { $0.queue.lane == .foreground } }
}
