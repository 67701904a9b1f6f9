import TaskDispatch
import TaskDispatchTesting
import Testing

@testable import UVDispatch

/// A core without a dispatcher: no thread runs what is put there, and the calling thread plays all the others.
struct BareCore {
  let core: Core
  let view: UVView
  /// Items take their lane and their view from a queue, and a queue has a dispatcher.
  private let queueOwner = RecordingDispatcher()
  private let ending: Ending

  /// Unblocks the threads that a test has left blocked: such a thread and its task hold each other.
  private final class Ending {
    let core: Core

    init(_ core: Core) { self.core = core }

    deinit { for thread in core.blocked.threads { core.blocked.end(thread) } }
  }

  /// - Parameter agingStep: The aging step of the view. Nothing ages before the core forgets the time that it
  ///   has read.
  init(
    width: Int = 1, viewWidth: Int = 1, overflow: Overflow = .unbounded,
    agingStep: Int64 = 100_000_000, threads: Int? = nil
  ) {
    core = Core(
      UVDispatcher.Configuration(overflow: overflow), observer: nil, width: width,
      threads: threads ?? width,
      origin: 0)
    view = UVView(
      label: "view", width: viewWidth, workerWidth: width, agingStep: agingStep)
    core.add(view)
    ending = Ending(core)
  }

  func task(
    _ work: consuming QueuedTask.Work = .plain {}, on lane: Lane = .background,
    _ view: UVView? = nil
  ) -> QueuedTask {
    core.makeTask(work, on: lane, view, site: .here(), parent: nil)
  }

  /// A submission with options, numbered and accepted.
  func item(
    _ kind: WorkItem.Kind = .task, on lane: Lane = .background, _ view: UVView? = nil,
    band: PriorityBand = .medium, due: DispatcherInstant? = nil, timeToLive: Duration? = nil,
    group: WorkGroup? = nil
  ) -> WorkItem {
    let item = WorkItem.make(
      kind: kind, queue: TaskQueue(dispatcher: queueOwner, view: view, lane: lane), label: nil,
      site: CallSite(fileID: #fileID, line: #line), band: band, due: due, timeToLive: timeToLive,
      group: group
    ) {}
    core.number(item, parent: nil)
    core.accept(item)
    return item
  }

  /// A submission that was not posted yet.
  func fresh(
    _ kind: WorkItem.Kind = .task, on lane: Lane = .background, _ view: UVView? = nil,
    isBarrier: Bool = false, band: PriorityBand = .medium, timeToLive: Duration? = nil,
    body: @escaping @Sendable () throws -> Void = {}
  ) -> WorkItem {
    let queue = TaskQueue(dispatcher: queueOwner, view: view, lane: lane)
    return WorkItem.make(
      kind: kind, queue: isBarrier ? queue.barrier : queue, label: nil,
      site: CallSite(fileID: #fileID, line: #line), band: band, timeToLive: timeToLive, body: body)
  }

  /// Posts a submission with options.
  func posted(
    on lane: Lane = .background, _ view: UVView? = nil,
    body: @escaping @Sendable () throws -> Void = {}
  ) -> WorkItem {
    let item = fresh(.task, on: lane, view, body: body)
    _ = core.doors.post(item, to: view, parent: nil)
    return item
  }

  /// Runs the deferred callbacks. No thread takes the lock here.
  func deliver() {
    guard !core.callbacks.isEmpty else { return }
    switch core.callbacks.take() {
    case .one(let note): note.deliver()
    case .several(let notes): for note in notes { note.deliver() }
    }
  }

  /// Lets an item wait for room in its queue.
  func putWithoutRoom(_ item: WorkItem) { core.standby.addWithoutRoom(item) }

  /// The task of a call of `sync`.
  func caller(on view: UVView?) -> QueuedTask {
    core.makeTask(
      .caller(nil), on: .background, view,
      site: CallSite(fileID: #fileID, line: #line), parent: nil)
  }

  /// The task of a call of `sync` that waits in a band. By itself, a call waits in the medium one.
  func queuedCaller(on view: UVView, in band: PriorityBand) -> QueuedTask {
    let caller = caller(on: view)
    core.accept(caller)
    caller.position = core.pushBackground(.task(caller), to: view, in: band, isBarrier: false)
    return caller
  }

  /// Begins a call of `sync` at once, if nothing stands before it.
  func entering(
    _ view: UVView?, asBarrier isBarrier: Bool = false, line: UInt = #line, parent: UInt64? = nil
  ) -> QueuedTask? {
    core.enterAtOnce(
      view, asBarrier: isBarrier, at: CallSite(fileID: "File.swift", line: line), parent: parent)
  }

  /// Puts a task into its queue.
  @discardableResult
  func queued(on lane: Lane = .background, _ view: UVView? = nil) -> QueuedTask {
    let task = task(on: lane, view)
    core.accept(task)
    core.enqueue(task)
    return task
  }

  /// A task that counts as running, although no thread runs it.
  @discardableResult
  func running(on lane: Lane = .background, _ view: UVView? = nil) -> QueuedTask {
    let task = task(on: lane, view)
    core.accept(task)
    core.begin(task)
    return task
  }

  func inbox(of lane: Lane) -> LaneInbox { LaneInbox(core: core, lane: lane) }

  var background: LaneInbox { inbox(of: .background) }

  /// Whether a worker may start something.
  var canStart: Bool { core.background.pool.canStart(now: { 0 }) }

  /// Posts a plain body, as any thread may.
  func post(on lane: Lane = .background) {
    _ = inbox(of: lane).beginPost()
    _ = inbox(of: lane).post(.plainOne {})
  }

  /// Posts a plain body to a view, and returns what the submitting thread would have to do.
  @discardableResult
  func post(to view: UVView, line: UInt = #line, _ body: @escaping @Sendable () -> Void = {})
    -> ViewInbox.Begun
  {
    let begun = view.inbox.beginPost {
      core.doors.background.markReady(view)
    } notifyForMore: {
      core.doors.background.notifyForMore()
    }
    if begun != .isRefused {
      view.inbox.post(
        .plain(PlainTask(body: body, site: CallSite(fileID: "File.swift", line: line))))
    }
    return begun
  }

  /// Starts a body of the view, and drains a second one. If workers may run only one body of the view, it is
  /// full then.
  func full() -> BatchContext {
    post(to: view)
    let context = core.makeContext(on: .background)
    _ = core.startOnWorker(context)
    _ = context.takePlain()
    post(to: view)
    core.drainAll()
    return context
  }

  private func task(_ work: consuming QueuedTask.Work, _ view: UVView?) -> QueuedTask {
    task(work, on: .background, view)
  }
}

/// The inbox of a lane, for a test that plays the submitting thread.
struct LaneInbox {
  let core: Core
  let lane: Lane

  var isNotified: Bool {
    lane == .foreground ? core.doors.foreground.isNotified : core.doors.background.isNotified
  }

  var mayHoldEntries: Bool {
    lane == .foreground
      ? core.doors.foreground.mayHoldEntries : core.doors.background.mayHoldEntries
  }

  var mayHoldViews: Bool { core.doors.background.mayHoldViews }

  var isNotifying: Bool { core.doors.background.isNotifying }

  func mayHoldViews(otherThan view: ObjectIdentifier?) -> Bool {
    core.doors.background.mayHoldViews(otherThan: view)
  }

  func tryGoIdle() -> Bool { core.doors.background.tryGoIdle() }

  func beginPost() -> Bool {
    lane == .foreground
      ? core.doors.foreground.beginPost() == .open
      : core.doors.background.beginPost() == .open
  }

  func post(_ entry: UVDispatch.Entry) -> Bool {
    lane == .foreground ? core.doors.foreground.post(entry) : core.doors.background.post(entry)
  }
}

extension LoopWakeups {
  /// Lets an iteration pass in which nothing comes.
  mutating func forgetWish() {
    _ = beginIteration()
    endIteration(again: false)
  }
}

extension UVDispatcher {
  func inbox(of lane: Lane) -> LaneInbox { LaneInbox(core: engine.core, lane: lane) }
}

extension CallSite {
  static func here(_ fileID: StaticString = #fileID, _ line: UInt = #line) -> CallSite {
    CallSite(fileID: fileID, line: line)
  }
}

extension Entry {
  /// What a post of `body` puts into an inbox.
  static func plainOne(_ body: @escaping @Sendable () -> Void) -> Entry {
    .plain(PlainTask(body: body, site: .here()))
  }
}

/// What runs, whether it has an object of its own or runs in the context of a thread.
extension Core {
  /// Begins what a worker runs next.
  ///
  /// - Parameter context: The context of its thread. Nil for a new one.
  func beginOnWorker(in context: BatchContext? = nil) -> RunningTask? {
    let context = context ?? makeContext(on: .background)
    return startOnWorker(context).map { $0.task(in: context) }
  }

  /// Begins what the loop's thread runs next.
  func beginOnLoop(in context: BatchContext? = nil) -> RunningTask? {
    let context = context ?? makeContext(on: .foreground)
    return takeForeground(context).map { $0.task(in: context) }
  }

  /// The body of a caller of `sync` has run to its end.
  func leaveAndKeep(_ context: consuming QueuedTask) {
    if leave(context) { running.keep(caller: consume context) }
  }

  func finish(_ task: RunningTask, _ outcome: Outcome) {
    switch task {
    case let context as BatchContext: finish(context, outcome, nil)
    case let task as QueuedTask: finish(task, outcome)
    default: Issue.record("a task of no known class")
    }
  }
}

extension Begun {
  fileprivate func task(in context: BatchContext) -> RunningTask {
    switch self {
    case .inContext: context
    case .task(let task): task
    }
  }
}

extension RunningTask {
  /// The context of the thread that runs it. Nil if it has an object of its own.
  var batch: BatchContext? { self as? BatchContext }
}
