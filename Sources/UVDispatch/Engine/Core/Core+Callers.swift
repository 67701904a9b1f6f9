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
    guard !closing.hasBegun, enter(view, asBarrier: isBarrier) else { return nil }
    // This may have drained an inbox, and its section is not reconciled.
    if workers.areSearching { hintToSearchers() }
    let context = running.takeFreeCaller() ?? makeCaller()
    context.adoptCaller(
      on: TaskQueue.Identity(
        dispatcher: doors.dispatcher, view: view.map { ObjectIdentifier($0) }, lane: .background),
      view, isBarrier: isBarrier, site: site, id: accounts.next(), parent: parent,
      at: timeOfSubmission())
    accounts.accept()
    countStart(of: context)
    if isObserved {
      tell(.enqueued, context)
      tellStart(of: context)
    } else if let recorder = doors.recorder {
      recorder.note(.enqueued, context)
      recorder.note(.started, context)
    }
    return context
  }

  /// The body of a caller that was admitted at once has run to its end.
  ///
  /// - Returns: Whether another caller may have the context. It is passed to ``RunningTasks/keep(caller:)`` by the code
  ///   that holds it: here that would take more references to it.
  @inline(__always) func leave(_ context: QueuedTask) -> Bool {
    noteEndForWatchdog(of: context)
    giveBackShare(of: context)
    // The caller's thread is in no worker run, which would tell the loop.
    if leavesWhenIdle { loop.want() }
    running.remove(context)
    if context.isAbandoned { return false }
    accounts.end(.completed)
    (context.view?.counts ?? accounts.counts(of: .background)).value.completed += 1
    tell(.finished(.completed), context)
    endedPlain(context)
    return true
  }

  /// The body of a `sync` begins on top of the calling task, which waits for it.
  ///
  /// - Returns: Whether ``endNested(in:)`` has to be called after it.
  @inline(__always) func beginNested(_ context: QueuedTask, in caller: RunningTask?) -> Bool {
    guard let caller, !caller.isBlocked else { return false }
    caller.beginWait(for: context)
    blocked.addTask()
    return true
  }

  @inline(__always) func endNested(in caller: RunningTask?) {
    caller?.endWait()
    blocked.removeTask()
  }

  @inline(never) private func makeCaller() -> QueuedTask {
    QueuedTask(
      .caller(nil), id: 0,
      queue: TaskQueue.Identity(dispatcher: doors.dispatcher, view: nil, lane: .background),
      view: nil,
      isBarrier: false, site: CallSite(fileID: "", line: 0), parent: nil, at: nil,
      shutdown: doors.shutdownFlag)
  }
}
