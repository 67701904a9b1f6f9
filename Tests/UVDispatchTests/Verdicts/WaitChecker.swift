import TaskDispatch

/// Says what the dispatcher still owes in a state, and which refusals and which help are right.
///
/// It knows the text of the rule for waits and nothing of any dispatcher.
struct WaitChecker {
  /// Something that a dispatcher owes.
  enum Due: Sendable, Equatable {
    /// Something goes on by itself, and the record has to show it.
    case event(String)
    /// A worker has to run the first task of the queue for which its frame waits.
    case help(String)
    /// One of these waits has to be refused.
    case refusal(String)

    var text: String {
      switch self {
      case .event(let text), .help(let text), .refusal(let text): text
      }
    }
  }

  let state: WaitState
  /// Whether more is owed than the text of the rule says: a refusal where a suspended view or a group entered
  /// by hand is on the chain, but to resume or to leave it would not help; timers while a wait blocks the
  /// loop; and what has to wait for callbacks that still run.
  let isStrict: Bool

  init(_ state: WaitState, isStrict: Bool = environment("VERDICT_STRICT") != nil) {
    self.state = state
    self.isStrict = isStrict
  }

  var hopes: Outlook.Hopes {
    isStrict ? .everything : [.everything, .held]
  }

  private var waiting: [WaitState.Frame] {
    state.contexts.filter { context in
      if case .waiting(_, isTimed: false) = context.activity { true } else { false }
    }
  }

  func isSync(_ context: WaitState.Frame) -> Bool {
    if case .waiting(.sync, _) = context.activity { true } else { false }
  }

  /// Whether a body or a callback on the dispatcher's threads, or in a `sync` body, goes on or is held at
  /// a gate.
  var runs: Bool {
    state.tops.contains { top in
      if case .waiting = top.activity { false } else { state.isRefusable(top) }
    }
  }

  /// Whether a time may come that needs no body: a time-out, or a timer that could start in this state.
  var awaitsTime: Bool { timeDue != nil }

  // MARK: What is owed

  /// What the dispatcher owes, whether or not anything is held at a gate, and what it owes at a standstill. Nil
  /// if nothing happens until the driver acts or time passes.
  var due: Due? { eventDue ?? circleDue ?? standstillDue }

  private var eventDue: Due? {
    for top in state.tops {
      switch top.activity {
      case .held: continue
      case .moving: return .event("\(state.name(of: top)) goes on to its next gate")
      case .waiting(let target, _)
      where state.hasComeAbout(target):
        return .event(
          "the wait of \(state.name(of: top)) for \(state.name(of: target)) ends")
      case .waiting: continue
      }
    }
    if let callback = state.nextCallback { return .event("callback \(callback) begins") }
    for queue in state.queues.indices where state.queues[queue].suspensions == 0 {
      // A timer whose time has passed may stand before what was submitted later.
      let mayBeBehindATimer = state.timers.contains { $0.queue == queue }
      if !mayBeBehindATimer, state.canStartFirst(of: queue, helps: false) {
        return .event("the first of \(WaitProgram.name(ofQueue: queue)) starts")
      }
    }
    return nil
  }

  /// A circle of bodies and blocked callers of `sync` is refused at once, or broken by help.
  private var circleDue: Due? {
    let callers = waiting.filter {
      isSync($0) && state.isRefusable($0) && !state.isInCallback($0)
    }
    guard !callers.isEmpty else { return nil }
    return due(callers, hopes.union(.waits), "a circle of callers of sync")
  }

  /// A wait without a way out is refused once nothing runs or can start.
  private var standstillDue: Due? {
    guard !runs, !awaitsTime else { return nil }
    return due(waiting.filter(state.isRefusable), hopes, "nothing runs or can start")
  }

  private func due(_ contexts: [WaitState.Frame], _ hopes: Outlook.Hopes, _ reason: String) -> Due?
  {
    let outlooks = state.withTimersLate.map { Outlook(of: $0, hopes: hopes) }
    let hopeless = contexts.filter { context in outlooks.allSatisfy { !$0.ends(context) } }
    if !hopeless.isEmpty {
      let names = hopeless.map { "\(state.name(of: $0))'s" }.joined(separator: " or ")
      return .refusal("the wait is refused, \(names) (\(reason))")
    }
    let alone = Outlook(of: state, hopes: hopes.subtracting(.help))
    let helpless = contexts.filter { !alone.ends($0) }
    // Help may be needed only later, when something else has come about. That may be the end of a task that a
    // worker already helps with: the question is asked again then.
    guard state.timers.isEmpty, !isHelping,
      state.queues.indices.contains(where: { mayBeHelpedNow($0, helpless) })
    else {
      return nil
    }
    let names = helpless.map(state.name).joined(separator: " or ")
    return .help("a worker helps, so that \(names) can go on (\(reason))")
  }

  /// Whether a worker runs a task on top of its `sync`, and that task has not come to a wait of its own.
  private var isHelping: Bool {
    state.tops.contains { top in
      guard case .worker = top.place, case .task = top.work, !top.isWaiting else { return false }
      return state.contexts.contains { $0.place == top.place && $0.number != top.number }
    }
  }

  private func mayBeHelpedNow(_ queue: Int, _ helpless: [WaitState.Frame]) -> Bool {
    guard state.queues[queue].suspensions == 0,
      state.canStartFirst(of: queue, helps: true)
    else { return false }
    return helpless.contains { context in
      guard case .worker = context.place, state.isOnTop(context) else { return false }
      if case .waiting(.sync(queue, _), _) = context.activity { return true }
      return false
    }
  }

  /// What time will bring by itself; nil if nothing.
  var timeDue: Due? {
    for top in state.tops {
      if case .waiting(_, isTimed: true) = top.activity {
        return .event("the wait of \(state.name(of: top)) ends by its time-out")
      }
    }
    // A timer needs an iteration of the loop. A strict checker wants timers to come due while a wait blocks the
    // loop.
    let loopIsBlocked = state.tops.contains { top in
      top.place == .loop && !(isStrict && top.isWaiting)
    }
    if loopIsBlocked { return nil }
    for queue in state.queues.indices where state.queues[queue].suspensions == 0 {
      // The record does not know which of these timers comes first, and so stands before the others.
      let timers = state.timers.filter { $0.queue == queue }
      guard let first = timers.first, timers.allSatisfy(couldStart) else { continue }
      return .event("the timer t\(first.task) starts, or another of its queue")
    }
    return nil
  }

  private func couldStart(_ timer: WaitState.Timer) -> Bool {
    var later = state
    later.queues[timer.queue].items.append(
      .init(content: .task(timer.task), isBarrier: timer.isBarrier))
    return later.queues[timer.queue].items.count == 1
      && later.canStartFirst(of: timer.queue, helps: false)
  }
}
