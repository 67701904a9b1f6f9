internal import TaskDispatch

/// Whether anything still goes on.
extension Core {
  /// Whether a thread makes deferred callbacks now. For parties: see ``CallbackCounts/addParty()``.
  var isDelivering: Bool { doors.callbackCounts.count > 0 }

  /// Whether the loop can end for good: nothing is queued but in suspended views, nothing runs, and no thread makes a
  /// callback that may still bring work. Or a shutdown's deadline has passed.
  var hasNothingLeft: Bool {
    closing.isPastDeadline(at: now)
      || !isDelivering && callbacks.isEmpty && stalls.ended.isEmpty && !hasForeground
        && !running.contains { !$0.isAbandoned } && !hasBackground
  }

  /// Whether nothing is left that could run now, on any thread.
  var isIdle: Bool {
    drainAll()
    return running.isEmpty && !blocked.hasAdmitted && !isDelivering && callbacks.isEmpty
      && stalls.ended.isEmpty
      && !hasForeground && !mayStart
      && (timers.nextDeadline ?? .max) > now
  }

  /// Whether the loop ends when nothing can go on.
  func leaveWhenIdle(_ leaves: Bool) {
    if loopThread.leavesWhenIdle == leaves { return }
    loopThread.leavesWhenIdle = leaves
    leaves ? doors.callbackCounts.addParty() : doors.callbackCounts.removeParty()
  }
}
