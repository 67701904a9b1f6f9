internal import Synchronization
internal import TaskDispatch

/// What is owed before the lock is free: leases, and a wake of the loop.
extension Core {
  /// Restores the invariants: says which wakes and leases are owed.
  @inline(__always) func settle() {
    if searching > 0 {
      hintToSearchers()
      if arriving == 1, pool.twoMayStart { fetchAnother() }
    } else if pool.busyWorkers < width,
      inbox.isAttended || pool.canStart(now: { [clock] in clock.now })
    {
      oweLease()
    }
    if !turnIsDue, !loopIsOver, turnIsWanted || hasForeground {
      turnIsDue = true
      if loopSearches {
        turnBecameDue.store(true, ordering: .relaxed)
      } else {
        oweWake()
      }
    }
  }

  @inline(never) private func oweWake() {
    loopPatience.learn(at: now)
    wakeIsOwed = true
    wakesInFlight += 1
  }

  /// Unless it turns out that nobody has to look for anything.
  @inline(never) private func oweLease() {
    guard canStartOnWorker else { return }
    mayStart.store(true, ordering: .relaxed)
    patience.learn(at: now)
    oweSearchingLease()
    if pool.twoMayStart { fetchAnother() }
  }

  private func oweSearchingLease() {
    searching += 1
    arriving += 1
    leasesOwed += 1
  }

  /// There are two tasks to start, or somebody who posts has been told to fetch a thread. That a lease is
  /// on its way is enough for the invariants, but not for two, unless somebody works who would go on with
  /// the other.
  func fetchAnother() {
    guard searching == 1, arriving == 1, pool.busyWorkers == 0, width > 1 else { return }
    oweSearchingLease()
  }

  func hintToSearchers() {
    mayStart.store(pool.canStart(now: { [clock] in clock.now }), ordering: .relaxed)
  }

  /// Whether a task may start on a worker. If not, nobody attends to the inbox any more.
  private var canStartOnWorker: Bool {
    while true {
      collectBackground()
      if pool.canStart(now: { [clock] in clock.now }) { return true }
      if !inbox.isAttended || inbox.rest() { return false }
    }
  }

  /// How many leases may search at a time: one is too few if two threads post, and more keep each
  /// other from the processors.
  static let mostSearching = 2

  var hasForeground: Bool { due.hasStartable || foreground.hasStartable }

  /// Whether the loop may look for tasks before it sleeps: nothing else has to be done meanwhile.
  var loopMaySearch: Bool {
    !leavesWhenIdle && shutdown == nil
      && nextDeadline >= now.addingClamped(loopPatience.length)
  }

  /// When the loop has to look again, in nanoseconds; `max` for never.
  var nextDeadline: Int64 {
    min(timers.nextWakeUp ?? .max, shutdown?.nextDeadline(after: now) ?? .max)
  }
}
