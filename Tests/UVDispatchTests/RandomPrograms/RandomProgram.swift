import RandomTesting
import Synchronization
import TaskDispatch
import TaskDispatchTesting
import TestSupport

/// A small program of several threads. What each thread and each body does depends on the seed, and how they
/// meet depends on the machine. Each notes what it sees.
final class RandomProgram: Sendable {
  /// A thread or a body that acts.
  struct Actor {
    var dice: Dice
    /// The submission whose body it is; nil for a thread of the program.
    let parent: Slip?
    let depth: Int
    /// Whether it may wait for others.
    var mayWait: Bool
    var slips: [Slip] = []
    /// The views that it keeps suspended, and the index of the note about each.
    var held: [(queue: Int, note: Int)] = []
  }

  struct Notes {
    var suspensions: [Trial.Interval] = []
    var shutdowns: [Trial.ShutdownCall] = []
    var flushes: [Trial.Interval] = []
    var slips: [Slip] = []
  }

  let plan: Plan
  let dispatcher: any DispatcherImplementation
  let queues: [TaskQueue]
  let plots: [Plot]
  /// The history is written here; nil if there is no observer.
  let book: HistoryBook?
  let notes = Locked(Notes())
  let group = WorkGroup()
  let tasks = WorkGroup()
  /// Submissions that any thread and any body may cancel.
  let board = Locked<[Slip]>([])
  /// Open when every thread has done half of its actions.
  let halfTime: Latch
  private let tickets = Atomic(1)

  init(_ plan: Plan, on dispatcher: any DispatcherImplementation, writing book: HistoryBook? = nil)
  {
    self.book = book
    self.plan = plan
    self.dispatcher = dispatcher
    let views = plan.views.enumerated().map { number, width in
      dispatcher.makeQueue(label: "view \(number)", width: width)
    }
    queues = [dispatcher.foreground, dispatcher.background] + views
    plots = queues.map { _ in Plot() }
    halfTime = Latch(plan.threads)
  }

  /// Draws the next ticket.
  func ticket() -> Int {
    // Under ThreadSanitizer the counter must not order the threads, since that would hide races.
    Self.isSanitized
      ? tickets.wrappingAdd(1, ordering: .relaxed).oldValue
      : tickets.wrappingAdd(1, ordering: .sequentiallyConsistent).oldValue
  }

  static let isSanitized = ThisProcess.isSanitized

  func mark(_ line: History.Line) { book?.mark(line, at: dispatcher.now) }

  // MARK: Acting

  /// Acts as the thread of this number does.
  func act(asThread thread: Int) {
    var actor = Actor(
      dice: Dice(seed: plan.seed << 8 + thread), parent: nil, depth: 0, mayWait: !plan.isHeld)
    if thread == 0, plan.isHeld { holdEveryThread(&actor) }
    let end = 1 + actor.dice.roll(plan.actions)
    for action in 0..<plan.actions {
      if action == plan.actions / 2 {
        halfTime.open()
        actor.mayWait = true
      }
      if action == end, thread == 0 { endEarly() }
      act(&actor)
    }
    for held in actor.held { resume(held) }
    notes.withLock { $0.slips += actor.slips }
  }

  func endEarly() {
    switch plan.ending {
    case .atLast: break
    case .early: shutDown(.init(drain: .seconds(3600)))
    case .abrupt: shutDown(.init(drain: .zero, cancel: .seconds(3600)))
    }
  }

  func shutDown(_ policy: ShutdownPolicy) {
    let called = ticket()
    mark(.shuttingDown)
    dispatcher.beginShutdown(policy)
    mark(.shutDown(drainsNothing: policy.drain == .zero))
    let returned = ticket()
    notes.withLock {
      $0.shutdowns.append(
        .init(called: called, returned: returned, drainsNothing: policy.drain == .zero))
    }
  }

  /// Acts as the body of `slip` does.
  func perform(_ slip: Slip) {
    let began = ticket()
    let time = dispatcher.now.nanoseconds
    let thread = CurrentThread.id
    var run = 0
    var isBarrier = false
    var acts = slip.depth < 3
    slip.note {
      run = $0.runs.count
      isBarrier = $0.isBarrier
      acts = acts && $0.form != .repeating
      $0.runs.append(.init(began: began, time: time, thread: thread))
    }
    if isBarrier || width(of: slip.queue) == 1 { plots[slip.queue].countUp() }
    var actor = Actor(dice: slip.dice, parent: slip, depth: slip.depth, mayWait: !plan.repeats)
    if acts, actor.dice.once(in: 3) {
      for _ in 0...actor.dice.roll(2) { act(&actor) }
      slip.add(actor.slips)
    }
    let ended = ticket()
    slip.note { $0.runs[run].ended = ended }
  }

  func width(of queue: Int) -> Int {
    queue == 0 ? 1 : queue == 1 ? plan.workers : plan.views[queue - 2]
  }

  func act(_ actor: inout Actor) {
    switch actor.dice.roll(24) {
    case 0..<9: post(&actor)
    case 9..<14: submit(&actor)
    case 14: delay(&actor)
    case 15: plan.repeats ? `repeat`(&actor) : delay(&actor)
    case 16, 17: cancel(&actor)
    case 18, 19: sync(&actor)
    case 20: suspendOrResume(&actor)
    case 21: actor.dice.once(in: 2) ? notify(&actor) : askAndAnswer(&actor)
    case 22: wait(&actor)
    default: plan.hasTasks ? `await`(&actor) : post(&actor)
    }
  }

  // MARK: What came of it

  func history(_ trial: Trial, _ report: ShutdownReport?) -> History {
    History(
      book?.all ?? [], isInOrder: plan.isStepped,
      declared: Dictionary(
        trial.submissions.map { ($0.called, $0) }, uniquingKeysWith: { first, _ in first }),
      queues: trial.queues, workers: plan.workers,
      agingStep: plan.agingStep.clampedNanoseconds, ledger: trial.ledger, report: report)
  }

  func trial(over: Int, _ report: ShutdownReport?) -> Trial {
    let notes = notes.withLock { $0 }
    var trial = Trial(
      queues: queues.enumerated().map { .init(label: $1.label, width: width(of: $0)) },
      workers: plan.workers, bandsAreStrict: plan.bandsAreStrict)
    trial.submissions = notes.slips.flatMap(\.everything).sorted { $0.called < $1.called }
    trial.suspensions = notes.suspensions
    trial.shutdowns = notes.shutdowns
    trial.flushes = notes.flushes
    trial.over = over
    trial.ledger = dispatcher.ledger
    trial.neverStarted = (report?.unfinished ?? []).filter { $0.state == .neverStarted }
      .map { Int($0.site.line) }
    trial.counts = plots.map(\.count)
    return trial
  }
}
