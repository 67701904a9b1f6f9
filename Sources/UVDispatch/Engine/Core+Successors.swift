internal import TaskDispatch

/// Batches: the next task on a thread that has just run one.
extension Core {
  /// Takes the plain task that comes next on the thread of `frame`, which has just run a plain task. It does what
  /// ``finish(_:_:)`` and then ``takeForeground(_:)`` or ``startOnWorker(_:)`` do, for a task whose end only has to be
  /// counted.
  ///
  /// The invariants hold after it without ``settle()``. The loop's thread is in an iteration. A worker keeps its share
  /// for the next task. More tasks may start only if this has drained a notified inbox. Then a worker run is
  /// searching, or the thread that posted is on its way to the lock.
  ///
  /// Never inlined: in the loop of its caller, the compiler would read the `let`s of this object once, before the
  /// thread takes the lock. That is sound. But ThreadSanitizer takes each change of an object that a `let` refers to
  /// for a change of the `let` itself, and would report a race.
  ///
  /// - Returns: Nil if what comes next is decided elsewhere: then no task has ended or begun.
  @inline(never) func takeSuccessor(in frame: QueuedTask, at time: Int64) -> PlainTask? {
    guard case .plain(let plain) = chooseSuccessor(of: frame, if: Entry.isPlain) else {
      return nil
    }
    ledger.completed += 1
    ledger.waiting -= 1
    lastID += 1
    frame.goOn(at: plain.site, id: lastID, since: time)
    return plain
  }

  /// Takes the plain task that comes next on the thread of `frame`, which has just run an item. The item has its
  /// outcome, of which nothing is to be told. Nil also if deferred callbacks are pending: those come before the next
  /// task.
  ///
  /// - Parameter outcome: The item's outcome. The caller holds the item: else this would release it.
  @inline(never) func takeSuccessor(
    ofItemIn frame: QueuedTask, at time: Int64, ending outcome: Outcome
  ) -> PlainTask? {
    guard outbox.isEmpty, frame.holdsItem, frame.mayGoOn,
      let next = takeSuccessor(in: frame, at: time)
    else { return nil }
    // That call has counted the item as a plain task.
    ledger.completed -= 1
    noteEnd(ofItemIn: frame, outcome)
    frame.leaveItem()
    return next
  }

  /// Makes `frame` the running-task context of the item that comes next on its thread, behind a plain task or another
  /// item.
  ///
  /// - Returns: False if what comes next is decided elsewhere: then the first task has not ended.
  @inline(never) func goOnWithItem(in frame: QueuedTask, ending outcome: Outcome) -> Bool {
    guard frame.mayGoOn,
      case .item(let next) = chooseSuccessor(of: frame, if: Entry.isSimpleItem)
    else { return false }
    ledger.waiting -= 1
    noteLeft(next)
    guard next.begin() else {
      letGo(of: outcome, next)
      return false
    }
    if frame.holdsItem { noteEnd(ofItemIn: frame, outcome) } else { ledger.completed += 1 }
    frame.goOn(with: next)
    return true
  }

  @inline(__always) private func noteEnd(ofItemIn frame: QueuedTask, _ outcome: Outcome) {
    frame.forgetInItem()
    ledger.count(outcome)
  }

  @inline(__always) private func chooseSuccessor(
    of frame: QueuedTask, if isWanted: (inout Entry) -> Bool
  ) -> Entry? {
    guard flushes.isEmpty else { return nil }
    if frame.lane == .foreground {
      // Due and posted tasks alternate: see ``takeForeground(_:)``.
      if due.hasStartable { return nil }
      if !foreground.hasStartable { collectForeground() }
      return ownedForeground.update { $0.takeOnly(if: isWanted) }
    }
    let next: Entry?
    if frame.poolView != nil {
      collectForSuccessor(in: frame)
      next = takeSuccessorInView(of: frame, if: isWanted)
    } else {
      if inbox.mayHoldViews { collectViews() }
      if !pool.hasMedium, inbox.mayHoldEntries { collectBackground() }
      next = ownedPool.update { $0.takeOver(if: isWanted) }
    }
    if workers.searching > 0 { hintToSearchers() }
    return next
  }

  @inline(__always) private func takeSuccessorInView(
    of frame: QueuedTask, if isWanted: (inout Entry) -> Bool
  ) -> Entry? {
    // What was posted to the background counts in the choice of what is next.
    if inbox.mayHoldEntries { return nil }
    guard let pool = frame.poolView else { return nil }
    let next = ownedPool.update { $0.takeOver(of: pool, if: isWanted) }
    letGoIfEmpty(pool)
    return next
  }

  @inline(never) private func collectForSuccessor(in frame: QueuedTask) {
    if inbox.mayHoldEntries { return }
    guard let pool = frame.poolView else { return }
    // Entries in the view's own inbox are medium, and come behind the medium entries of its queue.
    if inbox.mayHoldViews(otherThan: frame.queue.view) { collectViews() }
    if !pool.mayTakeBetweenTurns || !pool.hasMedium {
      if inbox.mayHoldViews { collectViews() }
      if let view = frame.view, view.attendsItself { collect(view) }
    }
  }
}
