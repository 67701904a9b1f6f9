/// What can still come about from a state, if every script that is not written down does its best: a body
/// that runs ends, and so does a task that starts.
///
/// A dispatcher knows no scripts, so this is what it may hope for. Every event in an outlook gives back a
/// thread, a place in a queue or an entry of a group, and takes nothing. So no order of events spoils another.
/// One way, which does whatever it can, reaches everything that any way reaches. ``EveryWay`` checks that
/// claim.
struct Outlook {
  /// What may happen without a body that does it.
  struct Hopes: OptionSet, Sendable {
    let rawValue: Int

    /// Suspended views are resumed.
    static let resumes = Hopes(rawValue: 1)
    /// Groups entered by hand are left.
    static let leaves = Hopes(rawValue: 2)
    /// Timers come due, once no body is on the loop's thread.
    static let timers = Hopes(rawValue: 4)
    /// Workers that wait in `sync` run the first task of that queue.
    static let help = Hopes(rawValue: 8)
    /// Waits for handles and groups end by themselves, and so do callbacks. What is left then is a circle
    /// of bodies and blocked callers of `sync`.
    static let waits = Hopes(rawValue: 16)

    /// Tasks in suspended views end by themselves, even if they would find no thread after a `resume()`. So do
    /// waits for groups that were entered by hand, whatever else is in them.
    static let held = Hopes(rawValue: 32)
    /// Tasks that have not begun end by themselves, as far as waits for handles and groups depend on them. What
    /// is left then is a circle of bodies that run.
    static let queued = Hopes(rawValue: 64)

    static let everything: Hopes = [.resumes, .leaves, .timers, .help]
  }

  private(set) var state: WaitState
  /// The events so far, in order.
  private(set) var way: [String] = []
  /// The frames whose wait has ended without a refusal.
  private(set) var freed: Set<Int> = []
  private let hopes: Hopes

  init(of state: WaitState, hopes: Hopes) {
    self.state = state
    self.hopes = hopes
    while comeDue() || endFrames() || endCallbacks() || startItems() {}
  }

  /// Timers come due on the loop's thread, whatever lane they are for.
  private mutating func comeDue() -> Bool {
    guard hopes.contains(.timers), !state.timers.isEmpty,
      !state.contexts.contains(where: { $0.place == .loop })
    else { return false }
    for timer in state.timers {
      state.queues[timer.queue].items.append(
        .init(content: .task(timer.task), isBarrier: timer.isBarrier))
    }
    state.timers = []
    return true
  }

  func ends(_ context: WaitState.Frame) -> Bool { freed.contains(context.number) }

  private mutating func endFrames() -> Bool {
    for top in state.tops {
      if case .waiting(let target, let isTimed) = top.activity {
        guard mayEnd(target, isTimed, top) else { continue }
        freed.insert(top.number)
        way.append(
          "\(state.name(of: top)) need not wait for \(state.name(of: target)) any more")
        state.withdraw(target, of: top)
      }
      way.append("\(state.name(of: top)) ends")
      state.endFrame(top.number)
      return true
    }
    return false
  }

  private mutating func endCallbacks() -> Bool {
    guard let callback = state.nextCallback else { return false }
    way.append("callback \(callback) begins, and ends")
    state.endCallback(callback)
    return true
  }

  private func mayEnd(
    _ target: WaitState.Target, _ isTimed: Bool, _ context: WaitState.Frame
  ) -> Bool {
    if isTimed || state.hasComeAbout(target) { return true }
    if hopes.contains(.waits), state.isInCallback(context) { return true }
    switch target {
    case .sync: return false
    case .task(let task):
      return hopes.contains(.waits) || hopes.contains(.queued) && !isRunning(task)
    case .group(let group, _):
      let members = state.groups[group].members
      return hopes.contains(.waits)
        || hopes.contains(.queued) && !members.contains(where: isRunning)
        || hopes.contains(.leaves) && members.isEmpty
        || hopes.contains(.held) && state.groups[group].handEntries > 0
    }
  }

  private func isRunning(_ task: Int) -> Bool {
    state.contexts.contains { $0.work == .task(task) }
  }

  private mutating func startItems() -> Bool {
    for queue in state.queues.indices {
      let isHeld = state.queues[queue].suspensions > 0
      let isFree =
        isHeld && hopes.contains(.held) && !state.queues[queue].items.isEmpty
        || (!isHeld || hopes.contains(.resumes))
          && state.canStartFirst(of: queue, helps: hopes.contains(.help))
      guard isFree else { continue }
      let name = WaitProgram.name(ofQueue: queue)
      if isHeld { way.append("\(name) is resumed") }
      switch state.queues[queue].items.removeFirst().content {
      case .task(let task):
        let helper = state.hasWorker ? nil : state.helper(of: queue)
        let place = helper.map { ", on the stack of \(state.name(of: $0))" } ?? ""
        way.append("t\(task) starts on \(name)\(place), and ends")
        state.endTask(task)
      case .caller(let context, let ticket):
        way.append("the sync of \(state.name(ofFrame: context)) runs on \(name)")
        state.endedTickets.insert(ticket)
      }
      return true
    }
    return false
  }
}
