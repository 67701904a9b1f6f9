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
      shutdown: doors.shutdownFlag)
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
    tell(.refused(refusal), task)
    release(task, .refused(refusal))
  }

  func accept(_ task: QueuedTask) {
    accounts.accept()
    tell(.enqueued, task)
  }

  // MARK: Limits

  func isFull(_ task: QueuedTask) -> Bool { standby.isFull(of: task) }

  /// A task has left its queue: gives its room to another.
  @inline(__always) func noteTaken(_ task: QueuedTask) {
    // Without a limit, no submission waits for room.
    if standby.hasLimit, task.countsAgainstLimits {
      standby.count(-1, of: task)
      giveRoom()
    }
  }

  /// An item has left its queue: gives its room to another.
  @inline(__always) func noteTaken(_ item: WorkItem) {
    if standby.hasLimit, item.countsAgainstLimits {
      standby.count(-1, of: item)
      giveRoom()
    }
  }

  @inline(never) private func giveRoom() {
    if let waiting = standby.takeFirstWithRoom() { return enqueue(waiting) }
    blocked.flagThoseWithoutRoom()
  }

  // MARK: Into the queues

  /// Puts a task that is no item into its queue.
  func enqueue(_ task: QueuedTask) {
    if standby.hasLimit { standby.count(1, of: task) }
    task.position =
      task.lane == .foreground
      ? pushForeground(.task(task))
      : pushBackground(.task(task), to: task.view, in: task.band, isBarrier: task.isBarrier)
  }
}
