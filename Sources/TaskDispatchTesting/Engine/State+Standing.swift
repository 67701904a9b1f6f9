internal import TaskDispatch

/// Somebody who stands still. On a thread of its own it would go on as soon as it can, whatever runs
/// on top of it here.
final class Standing {
  enum Reason {
    case turn(SyncCaller)
    /// And how often it had emptied before, if it is a group.
    case target(WaitTarget)
    case room(Lane, RecordingView?)
    /// None: an exploration lets others run first.
    case courtesy
  }

  let reason: Reason
  /// How many bodies may run on top of it.
  let budget: StepBudget
  /// The thread that stands still.
  let thread: ExecutionIdentity
  /// How many calls stand still on the same thread, this one included.
  let depth: Int

  init(for reason: Reason, _ budget: StepBudget, on thread: ExecutionIdentity, depth: Int) {
    (self.reason, self.budget, self.thread, self.depth) = (reason, budget, thread, depth)
  }

  /// Whether it is a caller of `sync` that was admitted, and has not noticed yet.
  var hasItsTurn: Bool {
    if case .turn(let caller) = reason { caller.granted != nil } else { false }
  }
}

extension State {
  /// A call that is about to stand still on this thread.
  func makeStanding(for reason: Standing.Reason, limit: Int) -> Standing {
    let thread = ExecutionIdentity.ofThread
    let below = standing.last { $0.thread == thread }
    let outer = below?.budget ?? (isStepper ? stepBudget : nil)
    return Standing(
      for: reason, StepBudget(limit, inside: outer), on: thread,
      depth: (below?.depth ?? 0) + 1)
  }

  /// Whether somebody who stands still would go on now, on a thread of its own.
  func canGoOn(_ standing: Standing) -> Bool {
    switch standing.reason {
    case .turn(let caller): caller.hasRun || caller.isTurnedAway
    case .target(let target): hasComeAbout(target)
    case .room(let lane, let view): !isFull(lane, view)
    case .courtesy: true
    }
  }

  /// What runs on threads while `mine` stands still, and finds nothing that would bring it on:
  /// the body of another whose turn has come, and in an exploration, which lets tasks stand on others
  /// that do not need them, whatever may run.
  mutating func nextForOthers(than mine: Standing) -> Entry? {
    for other in standing.reversed() where other !== mine {
      guard case .turn(let caller) = other.reason, let granted = caller.granted.take() else {
        continue
      }
      let entry = granted.taken.entry
      entry.standsOnItsCaller = true
      return enter(entry, of: caller, .init(granted.taken), hidesOuter: false)
    }
    guard decisions != nil else { return nil }
    if !foregroundIsBusy, let next = takeForeground(hidesOuter: true) { return next }
    return takeBackground(hidesOuter: true)
  }

  /// What `mine` is told if somebody below would go on, on a thread of its own, and might bring what it
  /// waits for.
  func refusalIfOthersCanGoOn(than mine: Standing, _ wait: String) -> WaitRefusal? {
    let oneCan = standing.contains { $0 !== mine && canGoOn($0) }
    return oneCan ? .cannotBeOrdered(chain: chain(to: wait)) : nil
  }

  func noteIfOthersCanGoOn(than mine: Standing, _ wait: String) {
    guard let decisions, let refusal = refusalIfOthersCanGoOn(than: mine, wait) else { return }
    decisions.noteDeadlock(refusal)
  }
}
