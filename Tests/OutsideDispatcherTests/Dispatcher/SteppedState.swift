import TaskDispatch

/// Everything that a ``SteppedDispatcher`` knows, under one lock.
struct SteppedState: ~Copyable {
  let configuration: SteppedDispatcher.Configuration
  /// Which dispatcher this is the state of. Set once, before any other thread sees it.
  var dispatcher = ObjectIdentifier(SteppedState.self)

  var now = DispatcherInstant.start
  private var lastNumber: UInt64 = 0
  /// How many tasks have begun.
  var begun = 0
  var ledger = Ledger()
  /// What is to be told once the lock is free. Nil for nothing.
  var news: News?

  private let foreground: Line
  private let background: Line
  /// The lines of views that have tasks, in the order in which they got them.
  private var viewLines: [Line] = []
  /// The lane that the next step prefers, so that neither starves the other.
  var preferredLane = Lane.foreground

  /// Timers that wait for their time.
  var timers: [SteppedTimer] = []
  /// Repeating timers that have a run, in no list else.
  var timersWithRun: [SteppedTask] = []
  /// Notifications whose group is not empty.
  var held: [SteppedTask] = []
  /// Items that wait for room in their queue, in order.
  var waitingForRoom: [SteppedTask] = []
  var flushes: [Flush] = []

  // The shutdown.
  var phase = ShutdownPhase.none
  var drainUntil = DispatcherInstant.distantFuture
  var cancelUntil = DispatcherInstant.distantFuture
  let shutdownFlag = ShutdownFlag()
  var unfinished: [ShutdownReport.Unfinished] = []
  var report: ShutdownReport?
  /// Resume the Tasks that await the report.
  var reportWaiters: [@Sendable (ShutdownReport) -> Void] = []

  /// A call of `flush`, and the tasks of its queue, as of the call, that have not ended.
  struct Flush {
    var left: Set<UInt64>
    let resume: @Sendable () -> Void
  }

  /// A timer, and the time that it waits for.
  struct SteppedTimer {
    let task: SteppedTask
    let due: DispatcherInstant
  }

  enum ShutdownPhase { case none, draining, cancelling, over }

  init(_ configuration: SteppedDispatcher.Configuration) {
    self.configuration = configuration
    foreground = Line(.foreground, width: 1, label: "foreground", configuration.overflow)
    background = Line(
      .background, width: configuration.width, label: "background", configuration.overflow)
  }

  // MARK: Lines

  func line(of lane: Lane) -> Line { lane == .foreground ? foreground : background }

  /// Every line that has tasks.
  var lines: [Line] { [foreground, background] + viewLines }

  /// Puts a task into the line of its queue.
  mutating func line(up task: SteppedTask) {
    task.line.append(task)
    if !lines.contains(where: { $0 === task.line }) { viewLines.append(task.line) }
  }

  /// Forgets the lines of views that have no tasks any more.
  mutating func forgetEmptyLines() { viewLines.removeAll { $0.isEmpty } }

  var running: [SteppedTask] { lines.flatMap(\.running) }
  var freeWorkers: Int { configuration.width - running.count { $0.needsWorker } }

  /// Lets in the items that wait for room, if there is room now.
  mutating func letInThoseWithRoom() {
    let waiting = waitingForRoom
    waitingForRoom = []
    for task in waiting {
      if task.line.isFull { waitingForRoom.append(task) } else { line(up: task) }
    }
  }

  // MARK: Submitting

  /// Makes a new task, which the task that the calling code is in has submitted.
  mutating func makeTask(
    _ taken: TakenItem, _ role: SteppedTask.Role, on lane: Lane, _ view: SteppedView?
  ) -> SteppedTask {
    makeTask(
      taken, role, in: view?.line ?? line(of: lane), parent: innermost.map { TaskID($0.number) },
      at: now)
  }

  mutating func makeTask(
    _ taken: TakenItem, _ role: SteppedTask.Role, in line: Line, parent: TaskID?,
    at time: DispatcherInstant
  ) -> SteppedTask {
    lastNumber += 1
    return SteppedTask(
      taken, role, number: lastNumber, in: line, parent: parent, at: time, dispatcher: dispatcher,
      shutdown: shutdownFlag)
  }

  /// The task of this dispatcher that the calling code is in.
  var innermost: SteppedTask? {
    TaskContext.current == nil ? nil : stack.first
  }

  /// The tasks of this dispatcher on the calling thread, the innermost first.
  var stack: [SteppedTask] {
    TaskContext.stack.filter { $0.queue.dispatcher == dispatcher }.compactMap { $0 as? SteppedTask }
  }

  /// Why an item is refused, whatever room there is. Nil if it is not.
  func refusal(of item: WorkItem) -> Refusal? {
    if phase == .none { return nil }
    let isTimer = item.kind == .timer || item.kind == .repeating || item.kind == .sleep
    // What a body or a callback of this dispatcher submits drains with it. A timer would outlive the drain.
    let isOwn = innermost != nil || TaskContext.deliveries(for: dispatcher) > 0
    return phase == .draining && isOwn && !isTimer ? nil : .shutDown
  }

  mutating func accept(_ task: SteppedTask) {
    ledger.accepted += 1
    ledger.waiting += 1
    tell(.enqueued, task)
  }

  mutating func refuse(_ task: SteppedTask, _ refusal: Refusal) {
    ledger.refused += 1
    tell(.refused(refusal), task)
    end(task.taken, .refused(refusal))
  }

  /// Puts an accepted task where it waits: among the timers, until its group is empty, or into its line.
  mutating func put(_ task: SteppedTask) {
    let item = task.taken.item
    if let due = item.due {
      timers.append(SteppedTimer(task: task, due: due))
      moveDueTimers()
    } else if item.kind == .notification {
      held.append(task)
    } else {
      line(up: task)
    }
  }

  // MARK: Telling

  mutating func tell(_ kind: TaskEvent.Kind, _ task: SteppedTask) {
    if configuration.observer == nil { return }
    withNews { [event = TaskEvent(kind, task.record, at: now)] in $0.events.append(event) }
  }

  mutating func end(_ taken: TakenItem, _ outcome: Outcome) {
    withNews { $0.endings.end(taken, outcome) }
  }

  mutating func resumeLater(_ resume: @escaping @Sendable () -> Void) {
    withNews { $0.resumes.append(resume) }
  }

  private mutating func withNews(_ body: (inout News) -> Void) {
    var news = self.news.take() ?? News()
    body(&news)
    self.news = consume news
  }
}
