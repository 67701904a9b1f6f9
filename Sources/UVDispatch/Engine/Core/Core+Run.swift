internal import TaskDispatch

/// A task that has begun, and whose body its thread runs next.
enum Begun {
  /// In the ``BatchContext`` of the thread.
  case inContext
  case task(QueuedTask)
}

extension Core {
  // MARK: Taking

  /// Notes that `item` was taken out of its queue, and makes its task object.
  @inline(__always) func leaveQueue(_ item: WorkItem) -> QueuedTask {
    noteLeft(item)
    return task(for: item)
  }

  /// Notes that `item` was taken out of its queue. If it was only posted, it gets its number now.
  @inline(__always) func noteLeft(_ item: WorkItem) {
    if item.stage == .posted { numberPosted(item) }
    item.stage = .nowhere
  }

  @inline(__always) func begin(_ plain: PlainTask, in context: BatchContext) {
    if let departures = context.departures, plain.counts { noteDeparture(departures, in: context) }
    let (id, site) = (accounts.next(), plain.site)
    context.begin(plain, id: id, at: now)
    countStart(of: context)
    if let recorded = context.recorded {
      Recorder.noteStart(ofPlain: id, in: recorded, from: site, follows: false)
    }
  }

  /// Begins a simple item in `context`.
  @inline(__always) func begin(_ item: WorkItem, in context: BatchContext) {
    noteLeft(item)
    if let departures = context.departures, item.countsAgainstLimits {
      noteDeparture(departures, in: context)
    }
    item.beginTaken()
    context.begin(item)
    countStart(of: context)
    if let recorded = context.recorded { Recorder.noteStart(of: item, in: recorded.value.index) }
  }

  @inline(__always) func countStart(of task: RunningTask) {
    accounts.begin()
    running.add(task)
    noteStartForWatchdog()
  }

  /// Counts a task that was taken out of its queue as started. False if it has expired: then it must not run.
  @discardableResult
  func begin(_ task: QueuedTask) -> Bool {
    noteTaken(task)
    if let item = task.item {
      if let timeToLive = item.timeToLive, instant > task.waitsSince.advanced(by: timeToLive) {
        endUnstarted(task, .expired)
        return false
      }
      item.beginTaken()
      if item.kind == .timer { (item as? RunItem)?.beginBody(at: instant) }
    }
    countStart(of: task)
    if isObserved { tellStart(of: task) } else { doors.recorder?.note(.started, task) }
    return true
  }

  /// Tells the observer that a task starts.
  @inline(never) func tellStart(of task: RunningTask) {
    task.startedAt = now
    tell(.started, task)
  }

  // MARK: Ending

  /// Counts an end for the queue of what has ended. Besides, ``Accounts`` counts it for the dispatcher.
  @inline(__always) func count(_ outcome: Outcome, on lane: Lane, _ view: UVView?) {
    (view?.counts ?? accounts.counts(of: lane)).value.count(outcome)
  }

  /// Ends what runs in a thread's context, whose body has returned.
  ///
  /// - Parameter telling: What is left to be told of the end of its item, if the item has its outcome already.
  func finish(_ context: BatchContext, _ outcome: Outcome, _ telling: WorkItem.Telling?) {
    noteEndForWatchdog(of: context)
    if let recorded = context.recorded, !context.isAbandoned {
      Recorder.noteEnd(of: context.id, in: recorded.value.index, outcome)
    }
    giveBackShare(of: context)
    let item = context.takeItem()
    if item != nil { context.leaveItem() }
    if !context.isAbandoned { context.counts.value.count(outcome) }
    // Else the context of an idle thread would keep the view.
    context.enter(nil)
    running.remove(context)
    guard !context.isAbandoned else { return letGo(of: outcome, item) }
    accounts.end(outcome)
    endedPlain(context)
    if let item {
      forget(item)
      if let telling = telling ?? item.setOutcome(outcome) {
        deferTelling(of: item, outcome, telling)
      }
    }
  }

  /// Ends a task whose body has returned.
  func finish(_ task: QueuedTask, _ outcome: Outcome) {
    noteEndForWatchdog(of: task)
    giveBackShare(of: task)
    task.hasRun = true
    if task.isCaller {
      if task.lane == .foreground { blocked.flag(callerOf: task) }
      // On the background, the body ran on the thread that called `sync`: no worker run tells the loop of its end.
      if leavesWhenIdle { loop.want() }
    }
    running.remove(task)
    guard !task.isAbandoned else { return letGo(of: outcome, task.takeItem()) }
    accounts.end(outcome)
    count(outcome, on: task.lane, task.view)
    tell(.finished(outcome), task)
    endedPlain(task)
    if timers.hasRuns, let run = task.item as? RunItem { endRun(of: run.timer) }
    release(task, outcome)
  }

  /// Releases an outcome and an item once the lock is free. This may drop the last references to them, and what a
  /// body made may have a `deinit` that wants the lock.
  @inline(never) func letGo(of outcome: Outcome, _ item: WorkItem?) {
    callbacks.append { withExtendedLifetime((item, outcome)) {} }
  }

  /// Ends a task that never started and that stands in no queue any more.
  func endUnstarted(_ task: QueuedTask, _ outcome: Outcome) {
    accounts.endUnstarted(outcome)
    count(outcome, on: task.lane, task.view)
    tell(.finished(outcome), task)
    endedPlain(task)
    if timers.hasRuns, let run = task.item as? RunItem { endTimer(of: run) }
    release(task, outcome)
  }

  func endUnstarted(_ item: WorkItem, _ outcome: Outcome) {
    if item.isQueuedAsTask {
      let task = task(for: item)
      endUnstarted(task, outcome)
      return reuse(consume task)
    }
    countEnd(of: item, outcome)
    release(item, outcome)
  }

  /// Counts the end of an item that has no task object. Without one, only a shutdown can be waiting for this end.
  @inline(__always) func countEnd(of item: WorkItem, _ outcome: Outcome) {
    accounts.endUnstarted(outcome)
    doors.recorder?.note(Recording.Kind(outcome), item)
    count(outcome, on: item.lane, item.view as? UVView)
    if closing.hasBegun { loop.want() }
  }

  /// Whatever its outcome, `task` has ended: flushes wait for it no more, and a shutdown checks again.
  @inline(__always) func endedPlain(_ task: RunningTask) {
    if running.hasFlushes { resumeFlushes(endedBy: task.id) }
    if closing.hasBegun { loop.want() }
  }

  /// Resumes the callers of `flush` that have no task left to wait for.
  ///
  /// - Parameter number: A task that has ended; nil to look at all callers.
  @inline(never) private func resumeFlushes(endedBy number: UInt64?) {
    for flush in running.endedFlushes(by: number) { callbacks.appendResume(flush.resume) }
  }

  /// Calls `resume` once no task is left of those that wait in `queue` now or run there, except timers that are not
  /// due.
  func addFlush(of queue: TaskQueue.Identity, _ resume: @escaping @Sendable () -> Void) {
    running.add(RunningTasks.Flush(remaining: unfinished(on: queue), resume: resume))
    resumeFlushes(endedBy: nil)
  }

  /// The numbers of all tasks of `queue` that wait in it or run, except timers that are not due. O(what waits in all
  /// queues).
  func unfinished(on queue: TaskQueue.Identity) -> Set<UInt64> {
    materialisePlainTasks()
    var ids = Set<UInt64>()
    func add(_ task: RunningTask) { if task.queue == queue { ids.insert(task.id) } }
    // An abandoned task has its outcome already.
    for task in running.filter({ !$0.isAbandoned }) { add(task) }
    for item in standby.withoutRoom { add(task(for: item)) }
    forEachReady(add)
    return ids
  }

  /// Calls `body` with everything that waits in a queue, except plain tasks: see ``materialisePlainTasks()``.
  func forEachReady(_ body: (QueuedTask) -> Void) {
    forEachEntry { entry in
      switch entry {
      case .plain: break
      case .item(let item): body(task(for: item))
      case .task(let task): body(task)
      }
    }
  }

  /// Calls `body` with every entry of a queue, and makes no task object for it.
  func forEachEntry(_ body: (borrowing Entry) -> Void) {
    // Positions are assigned before: if `body` makes the task object of an item, that must not change the queue.
    assignPositions()
    foreground.forEach(body)
    forEachInBackground(body)
  }
}
