internal import TaskDispatch

/// A call that waits. On a thread of its own it would go on as soon as it can, whatever runs on top of it here.
final class WaitingCall {
  enum Reason {
    case admission(SyncCaller)
    /// For a group, the target says how often the group had emptied before.
    case target(WaitTarget)
    case room(Lane, RecordingView?)
    /// For nothing: an exploration lets other tasks run first.
    case courtesy
  }

  let reason: Reason
  /// How many bodies may run on top of the call.
  let budget: StepBudget
  /// The thread that waits.
  let thread: ExecutionIdentity
  /// How many calls wait on the same thread, this one included.
  let depth: Int
  /// The number of the submission that it waits with, if it waits for room.
  let number: UInt64
  /// It waits for room, and the queue keeps some for it.
  var hasRoom = false

  init(
    for reason: Reason, _ budget: StepBudget, on thread: ExecutionIdentity, depth: Int,
    number: UInt64
  ) {
    (self.reason, self.budget, self.thread, self.depth) = (reason, budget, thread, depth)
    self.number = number
  }

  /// Whether it waits for room in a queue, and has none yet.
  func waitsForRoom(in lane: Lane, _ view: RecordingView?) -> Bool {
    guard !hasRoom, case .room(lane, let mine) = reason else { return false }
    return mine === view
  }

  /// Whether it is a caller of `sync` that has been admitted and has not noticed it yet.
  var isAdmitted: Bool {
    if case .admission(let caller) = reason { caller.admission != nil } else { false }
  }
}

extension State {
  /// Describes a call that is about to wait on this thread.
  func makeWaitingCall(for reason: WaitingCall.Reason, limit: Int) -> WaitingCall {
    let thread = ExecutionIdentity.ofThread
    let below = waitingCalls.last { $0.thread == thread }
    let outer = below?.budget ?? (isStepper ? stepBudget : nil)
    return WaitingCall(
      for: reason, StepBudget(limit, inside: outer), on: thread,
      depth: (below?.depth ?? 0) + 1, number: lastID + 1)
  }

  /// Whether a waiting call would go on now if it had a thread of its own.
  func canGoOn(_ call: WaitingCall) -> Bool {
    switch call.reason {
    case .admission(let caller): caller.hasRun || caller.isRejected
    case .target(let target): hasComeAbout(target)
    case .room(let lane, let view): call.hasRoom || !isFull(lane, view)
    case .courtesy: true
    }
  }

  /// The next body to run on top of `mine`, when no other body would help `mine`.
  ///
  /// It is the body of another blocked `sync` that has been admitted, or else any body that can run: it may bring what
  /// `mine` waits for.
  mutating func nextForOthers(than mine: WaitingCall) -> Entry? {
    for other in waitingCalls.reversed() where other !== mine {
      guard case .admission(let caller) = other.reason, let admission = caller.admission.take()
      else {
        continue
      }
      let entry = admission.taken.entry
      entry.runsAboveItsCaller = true
      return enter(entry, of: caller, .init(admission.taken), hidesOuter: false)
    }
    if !foregroundIsBusy, let next = takeForeground(hidesOuter: true) { return next }
    return takeBackground(hidesOuter: true)
  }

  /// What `mine` is refused with if another waiting call on this stack could go on, had it a thread of its own. That
  /// call might bring what `mine` waits for. Nil if no other call could.
  func refusalIfOthersCanGoOn(than mine: WaitingCall, _ wait: String) -> WaitRefusal? {
    let oneCan = waitingCalls.contains { $0 !== mine && canGoOn($0) }
    return oneCan ? .cannotBeOrdered(chain: chain(to: wait)) : nil
  }

  func noteIfOthersCanGoOn(than mine: WaitingCall, _ wait: String) {
    guard let decisions, let refusal = refusalIfOthersCanGoOn(than: mine, wait) else { return }
    decisions.noteDeadlock(refusal)
  }
}
