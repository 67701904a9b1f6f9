internal import TaskDispatch

/// The operations on the foreground's order. They drain the foreground's inbox wherever that is needed.
extension Core {
  var hasForeground: Bool { !foreground.isEmpty }

  /// Moves what the inbox holds into the queue.
  func drainForeground() {
    guard doors.foreground.mayHoldEntries else { return }
    doors.foreground.drain { entries, holdsItems, since in
      accounts.accept(entries.slotCount)
      // By a closure and not by the property: with that, Swift 6.3.1 makes a broken module for ThreadSanitizer.
      ownedForeground.update {
        let before = $0.posted.positions(in: .medium)
        $0.posted.absorb(&entries, alive: entries.slotCount, in: .medium, isUnindexed: holdsItems)
        accounts.statistics(of: .foreground)
          .noteArrival(
            since: since, before, $0.posted.positions(in: .medium),
            $0.posted.compactions(in: .medium))
      }
    }
  }

  /// Puts a posted entry into the queue, behind what was posted before.
  ///
  /// - Returns: Its position.
  func pushForeground(_ entry: consuming Entry) -> Int {
    drainForeground()
    return foreground.posted.push(entry, in: .medium)
  }

  /// Puts a timer that is due, or the call of an event handler, into the queue of due tasks.
  ///
  /// - Returns: Its position.
  func pushDue(_ entry: consuming Entry) -> Int { foreground.due.push(entry, in: .medium) }

  func removeForeground(at position: Int) -> Entry? {
    foreground.posted.remove(at: position, in: .medium)
  }

  func removeDue(at position: Int) -> Entry? { foreground.due.remove(at: position, in: .medium) }

  /// Removes a posted item without a look at its slot. The item is known to stand there.
  func leaveTombstoneInForeground(_ item: WorkItem) -> Bool {
    let position = item.place.position
    assert(foreground.posted.holds(at: position, in: .medium) { $0.isItem(item) })
    return foreground.posted.leaveTombstone(at: position, in: .medium)
  }

  /// Begins the task that the loop's thread runs next. Nil also if deferred callbacks have to be made first.
  ///
  /// - Parameter context: The running-task context for it, if it is a plain task or a simple item. Nothing runs in it.
  func takeForeground(_ context: BatchContext) -> Begun? {
    if !foreground.posted.hasStartable { drainForeground() }
    while let entry = foreground.take(now: { [clock] in clock.now }) {
      switch consume entry {
      case .plain(let plain):
        begin(plain, in: context)
        return .inContext
      case .item(let item):
        if doors.isSimple(item), !item.isQueuedAsTask {
          begin(item, in: context)
          return .inContext
        }
        let task = leaveQueue(item)
        if begin(task) { return .task(task) }
      case .task(let task): if begin(task) { return .task(task) }
      }
      if !callbacks.isEmpty { return nil }
    }
    return nil
  }

  /// Takes the posted entry that comes next, behind another one on the loop's thread. Nil if something else comes
  /// next, or the entry is none that `isWanted`.
  @inline(__always) func takeNextOfForeground(if isWanted: (inout Entry) -> Bool) -> Entry? {
    if foreground.due.hasStartable { return nil }
    if !foreground.posted.hasStartable { drainForeground() }
    return ownedForeground.update { $0.posted.takeOnly(if: isWanted) }
  }

  /// Gives every posted item that stands in the queue its number and its position.
  func assignPositionsInForeground() {
    ownedForeground.update {
      if $0.posted.isUnindexed(in: .medium) {
        $0.posted.assignPositions(in: .medium) { place(&$0, at: $1) }
      }
    }
  }

  /// Lets `body` change every posted entry in place.
  func updateForeground(_ body: (inout Entry, _ position: Int) -> Void) {
    ownedForeground.update { $0.posted.updateEach(body) }
  }
}
