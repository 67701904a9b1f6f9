internal import TaskDispatch

/// Batches: the next task on a thread that has just run one.
extension Core {
  /// Takes the plain task that comes next on the thread of `context`, which has just run a plain task. It does what
  /// ``finish(_:_:)`` and then ``takeForeground(_:)`` or ``startOnWorker(_:)`` do, for a task whose end only has to be
  /// counted.
  ///
  /// The invariants hold after it without ``reconcile()``. The loop's thread is in an iteration. A worker keeps its
  /// share for the next task. More tasks may start only if this has drained a notified inbox: then one of the four
  /// cases of invariant **I** holds, and none of them has ended here. See "Sections that do not reconcile" in
  /// `Engine/README.md`.
  ///
  /// Never inlined: in the loop of its caller, the compiler would read the `let`s of this object once, before the
  /// thread takes the lock. That is sound. But ThreadSanitizer takes each change of an object that a `let` refers to
  /// for a change of the `let` itself, and would report a race.
  ///
  /// - Returns: Nil if what comes next is decided elsewhere: then no task has ended or begun.
  @inline(never) func takeNextOfBatch(in context: BatchContext, at time: Int64) -> PlainTask? {
    guard case .plain(let plain) = chooseNextOfBatch(of: context, if: Entry.isPlain) else {
      return nil
    }
    noteTaken(plain, in: context)
    accounts.passOn()
    context.counts.value.completed += 1
    context.goOn(at: plain.site, id: accounts.next(), since: time)
    if let recorded = context.recorded {
      Recorder.noteStart(
        ofPlain: context.id, in: recorded, from: plain.site, follows: true)
    }
    return plain
  }

  /// Takes the plain task that comes next on the thread of `context`, which has just run an item. The item has its
  /// outcome, of which nothing is to be told. Nil also if deferred callbacks are pending: those come before the next
  /// task.
  ///
  /// - Parameter outcome: The item's outcome. The caller holds the item: else this would release it.
  @inline(never) func takeNextOfBatch(
    ofItemIn context: BatchContext, at time: Int64, ending outcome: Outcome
  ) -> PlainTask? {
    guard callbacks.isEmpty, context.holdsItem, context.mayGoOn,
      case .plain(let plain) = chooseNextOfBatch(of: context, if: Entry.isPlain)
    else { return nil }
    let ended = context.id
    noteTaken(plain, in: context)
    context.forgetInItem()
    accounts.passOn(ending: outcome)
    context.counts.value.count(outcome)
    context.goOn(at: plain.site, id: accounts.next(), since: time)
    if let recorded = context.recorded {
      Recorder.noteEnd(of: ended, in: recorded.value.index, outcome)
      Recorder.noteStart(
        ofPlain: context.id, in: recorded, from: plain.site, follows: false)
    }
    context.leaveItem()
    return plain
  }

  /// Makes `context` the running-task context of the item that comes next on its thread, behind a plain task or another
  /// item.
  ///
  /// - Returns: False if what comes next is decided elsewhere: then the first task has not ended.
  @inline(never) func beginNextItem(in context: BatchContext, ending outcome: Outcome) -> Bool {
    guard context.mayGoOn,
      case .item(let next) = chooseNextOfBatch(of: context, if: Entry.isSimpleItem)
    else { return false }
    noteLeft(next)
    if let departures = context.departures, next.countsAgainstLimits { departures.raise() }
    next.beginTaken()
    if let recorded = context.recorded {
      Recorder.noteEnd(of: context.id, in: recorded.value.index, outcome)
      Recorder.noteStart(of: next, in: recorded.value.index)
    }
    if context.holdsItem { context.forgetInItem() }
    accounts.passOn(ending: outcome)
    context.counts.value.count(outcome)
    context.goOn(with: next)
    return true
  }

  /// A plain task has left its queue. No submission waits for room, or it would have been taken elsewhere.
  @inline(__always) private func noteTaken(_ plain: borrowing PlainTask, in context: BatchContext) {
    if let departures = context.departures, plain.counts { departures.raise() }
  }

  @inline(__always) private func chooseNextOfBatch(
    of context: BatchContext, if isWanted: (inout Entry) -> Bool
  ) -> Entry? {
    if running.hasFlushes || context.mustEndAlone { return nil }
    if context.lane == .foreground {
      // Due and posted tasks alternate: see ``ForegroundOrder``.
      return takeNextOfForeground(if: isWanted)
    }
    let next: Entry?
    if context.poolView != nil {
      drainForNext(in: context)
      next = takeNextInView(of: context, if: isWanted)
    } else {
      if doors.background.mayHoldViews { drainReadyViews() }
      if !background.pool.hasMedium, doors.background.mayHoldEntries { drainBackground() }
      next = ownedBackground.update { $0.pool.takeOver(if: isWanted) }
    }
    if workers.areSearching { hintToSearchers() }
    return next
  }

  @inline(__always) private func takeNextInView(
    of context: BatchContext, if isWanted: (inout Entry) -> Bool
  ) -> Entry? {
    // What was posted to the background counts in the choice of what is next.
    if doors.background.mayHoldEntries { return nil }
    guard let pool = context.poolView else { return nil }
    let next = ownedBackground.update { $0.pool.takeOver(of: pool, if: isWanted) }
    letGoIfEmpty(pool)
    return next
  }

  @inline(never) private func drainForNext(in context: BatchContext) {
    if doors.background.mayHoldEntries { return }
    guard let pool = context.poolView else { return }
    // Entries in the view's own inbox are medium, and come behind the medium entries of its queue.
    if doors.background.mayHoldViews(otherThan: context.queue.view) { drainReadyViews() }
    if !pool.mayTakeBetweenTokens || !pool.hasMedium {
      if doors.background.mayHoldViews { drainReadyViews() }
      if let view = context.view, view.isDrainedOnCompletion { drain(view) }
    }
  }
}
