internal import TaskDispatch

extension Core {
  func makeTask(
    _ work: consuming QueuedTask.Work, on lane: Lane, _ view: consuming UVView?,
    isBarrier: Bool = false, site: CallSite, parent: UInt64?
  ) -> QueuedTask {
    numberWhatPrecedes(on: lane, in: view)
    return makeTask(
      work, id: accounts.next(), on: lane, view, isBarrier: isBarrier, site: site, parent: parent,
      at: timeOfSubmission())
  }

  func makeTask(
    _ work: consuming QueuedTask.Work, id: UInt64, on lane: Lane, _ view: consuming UVView?,
    isBarrier: Bool, site: CallSite, parent: UInt64?, at time: Int64
  ) -> QueuedTask {
    let queue = TaskQueue.Identity(
      dispatcher: doors.dispatcher, view: view.map { ObjectIdentifier($0) }, lane: lane)
    if let spare = running.takeFreeTask() {
      spare.adopt(
        work, id: id, queue: queue, view: view, isBarrier: isBarrier, site: site,
        parent: parent, at: time)
      return spare
    }
    return QueuedTask(
      work, id: id, queue: queue, view: view, isBarrier: isBarrier, site: site,
      parent: parent, at: time, shutdown: doors.shutdownFlag)
  }

  /// Keeps the object of an ended task for a later one, unless other code still refers to it.
  ///
  /// The next submission that needs an object takes it. So its memory is allocated once, and not for each of them.
  func reuse(_ task: consuming QueuedTask) { running.keep(consume task) }

  /// Makes a running-task context for a thread that will run plain tasks of a lane.
  func makeContext(on lane: Lane) -> BatchContext {
    BatchContext(
      of: TaskQueue.Identity(dispatcher: doors.dispatcher, view: nil, lane: lane),
      doors.flow(of: lane, nil), accounts.counts(of: lane),
      accounts.statistics(of: lane).recorded, shutdown: doors.shutdownFlag)
  }

  /// Gives a thread a new context, if other code may still look at what ran in this one.
  @inline(__always) func renewIfKnown(_ context: inout BatchContext) {
    if context.isKnown { context = makeContext(on: context.lane) }
  }

  // MARK: The gate

  /// Why a submission is refused; nil if it is accepted. While a shutdown drains, it accepts what running bodies, other
  /// code on the loop's thread and deferred callbacks submit. It accepts no timer, which would outlive the drain.
  @inline(__always) func refusal(isTimer: Bool, isFromOwnWork: Bool) -> Refusal? {
    !closing.hasBegun ? nil : refusalInShutdown(isTimer: isTimer, isFromOwnWork: isFromOwnWork)
  }

  @inline(never) private func refusalInShutdown(isTimer: Bool, isFromOwnWork: Bool) -> Refusal? {
    let isTaken =
      closing.isDraining && !isTimer
      && (isFromOwnWork || loopThread.isCalling
        || TaskContext.deliveries(for: doors.dispatcher) > 0)
    return isTaken ? nil : .shutDown
  }

  func refuse(_ task: QueuedTask, _ refusal: Refusal) {
    accounts.refuse()
    count(.refused(refusal), on: task.lane, task.view)
    tell(.refused(refusal), task)
    release(task, .refused(refusal))
  }

  func accept(_ task: QueuedTask) {
    accounts.accept()
    tell(.enqueued, task)
  }

  // MARK: Limits

  /// A task has left its queue: gives its room to another submission.
  @inline(__always) func noteTaken(_ task: QueuedTask) {
    if let flow = doors.flow(of: task.lane, task.view), task.countsAgainstLimits {
      passOnRoom(of: flow, task.lane, task.view)
    }
  }

  /// An item has left its queue: gives its room to another submission.
  func noteTaken(_ item: WorkItem) {
    guard item.countsAgainstLimits else { return }
    let view = item.view as? UVView
    if let flow = doors.flow(of: item.lane, view) { passOnRoom(of: flow, item.lane, view) }
  }

  /// A task has left its queue, and runs in `context`.
  @inline(__always) func noteDeparture(_ departures: PaddedCount.Link, in context: BatchContext) {
    departures.isMarked ? passOnRoom(of: context) : departures.raise()
  }

  @inline(never) private func passOnRoom(of context: BatchContext) {
    if let flow = doors.flow(of: context.lane, context.view) {
      passOnRoom(of: flow, context.lane, context.view)
    }
  }

  /// A task that leaves its queue has room to give: to the submission that has waited for it the longest, or else to any
  /// that comes.
  @inline(never) func passOnRoom(of flow: FlowControl, _ lane: Lane, _ view: UVView?) {
    if flow.waiting == 0 { return flow.noteDeparture() }
    flow.removeWaiting()
    let thread = blocked.firstWithoutRoom(in: lane, view)
    let first = standby.firstWithoutRoom(in: lane, view)
    if let thread, first.map({ thread.orderOfSubmission < $0 }) ?? true {
      blocked.giveRoom(to: thread)
    } else if let item = standby.takeFirst(in: lane, view) {
      enqueue(item)
    }
  }

  /// An item that waited for room does so no more.
  func leaveRoomLine(_ item: WorkItem) {
    doors.flow(of: item.lane, item.view as? UVView)?.removeWaiting()
  }

  // MARK: Into the queues

  /// Puts a task that is no item into its queue.
  func enqueue(_ task: QueuedTask) {
    task.position =
      task.lane == .foreground
      ? pushForeground(.task(task))
      : pushBackground(.task(task), to: task.view, in: task.band, isBarrier: task.isBarrier)
  }
}
