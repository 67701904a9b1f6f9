internal import TaskDispatch

/// Callers of `sync` before which nothing stands. They enter no queue. Most often such a caller uses the running-task
/// context of an earlier one.
extension Core {
  /// Admits a caller of `sync` at once, if nothing stands before it.
  ///
  /// - Returns: The context of its body, which ``leave(_:)`` ends. Nil if something stands before the caller, or a
  ///   shutdown may have to refuse it: then the caller was neither counted nor queued.
  @inline(__always) func enterAtOnce(
    _ view: UVView?, asBarrier isBarrier: Bool, at site: CallSite, parent: UInt64?
  ) -> QueuedTask? {
    guard shutdown == nil else { return nil }
    collectWhatPrecedes(on: .background, in: view)
    guard pool.enter(poolView(view), asBarrier: isBarrier) else { return nil }
    lastID += 1
    let frame = callers.take() ?? makeCaller()
    frame.holdCaller(
      on: TaskQueue.Identity(
        dispatcher: dispatcher, view: view.map { ObjectIdentifier($0) }, lane: .background),
      view, isBarrier: isBarrier, site: site, id: lastID, parent: parent, at: timeOfSubmission())
    accept(1)
    countStart(of: frame)
    if isObserved {
      tell(.enqueued, frame)
      tellStart(of: frame)
    }
    return frame
  }

  /// The body of a caller that was admitted at once has run to its end.
  @inline(__always) func leave(_ frame: consuming QueuedTask) {
    giveBackShare(of: frame)
    // The caller's thread is in no worker run, which would tell the loop.
    if leavesWhenIdle { loop.isWanted = true }
    leaveRunning(frame)
    if frame.isAbandoned { return }
    ledger.running -= 1
    ledger.completed += 1
    tell(.finished(.completed), frame)
    endedPlain(frame)
    if callers.count < Spares.most, isKnownUniquelyReferenced(&frame) {
      frame.leaveView()
      callers.add(frame)
    }
  }

  /// The body of a `sync` begins on top of the calling task, which waits for it.
  ///
  /// - Returns: Whether ``endNested(in:)`` has to be called after it.
  @inline(__always) func beginNested(_ frame: QueuedTask, in caller: QueuedTask?) -> Bool {
    guard let caller, !caller.isBlocked else { return false }
    caller.beginWait(for: frame)
    blocked.tasks += 1
    return true
  }

  @inline(__always) func endNested(in caller: QueuedTask?) {
    caller?.endWait()
    blocked.tasks -= 1
  }

  @inline(never) private func makeCaller() -> QueuedTask {
    QueuedTask(
      .caller(nil), id: 0,
      queue: TaskQueue.Identity(dispatcher: dispatcher, view: nil, lane: .background), view: nil,
      isBarrier: false, site: CallSite(fileID: "", line: 0), parent: nil, at: nil,
      shutdown: shutdownFlag)
  }
}
