internal import TaskDispatch

/// One body after the other, on a thread that has just run one.
extension Core {
  /// The plain body that comes next on the thread of `frame`, which has just run one. What
  /// ``finish(_:_:)`` and ``takeForeground(_:)`` or ``startOnWorker(_:)`` do one after the other, where
  /// all that anybody wants of the end of the one is that it be counted.
  ///
  /// The invariants stand after it without ``settle()``. The loop is in its turn. The worker's share
  /// has gone from one body to the next; more may start only if this has emptied an attended inbox,
  /// and then somebody searches, or is on the way to.
  ///
  /// Never inlined: in the loop of its caller, the compiler would read the `let`s of this object once,
  /// before the lock is taken. That is sound, but ThreadSanitizer takes every modification of what one
  /// refers to for one of the `let` itself, and would report a race.
  ///
  /// - Returns: Nil if it is not for this to decide what comes next: then nothing has changed.
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

  /// The same behind an item that has its outcome, and of which nothing is to be told. Nil as well if anything
  /// else is to be told: that comes before the next task.
  ///
  /// - Parameter outcome: Of the item, which the caller holds: else it would be released here.
  @inline(never) func takeSuccessor(
    ofItemIn frame: QueuedTask, at time: Int64, ending outcome: Outcome
  ) -> PlainTask? {
    guard outbox.isEmpty, frame.holdsItem, frame.mayGoOn,
      let next = takeSuccessor(in: frame, at: time)
    else { return nil }
    // Which has counted it as a plain body.
    ledger.completed -= 1
    noteEnd(ofItemIn: frame, outcome)
    frame.leaveItem()
    return next
  }

  /// Makes `frame` that of the item that comes next, behind a plain body or another item: as the others.
  ///
  /// - Returns: False if it is not for this to decide what comes next: then nothing has changed.
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
      // They take turns with what was posted.
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
    // What came in meanwhile has a say in who is next.
    if inbox.mayHoldEntries { return nil }
    guard let pool = frame.poolView else { return nil }
    let next = ownedPool.update { $0.takeOver(of: pool, if: isWanted) }
    letGoIfEmpty(pool)
    return next
  }

  @inline(never) private func collectForSuccessor(in frame: QueuedTask) {
    if inbox.mayHoldEntries { return }
    guard let pool = frame.poolView else { return }
    // What its own has got is medium, and comes behind what that has of the medium ones.
    if inbox.mayHoldViews(otherThan: frame.queue.view) { collectViews() }
    if !pool.mayTakeBetweenTurns || !pool.hasMedium {
      if inbox.mayHoldViews { collectViews() }
      if let view = frame.view, view.attendsItself { collect(view) }
    }
  }
}
