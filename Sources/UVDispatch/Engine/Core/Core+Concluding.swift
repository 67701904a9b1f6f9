internal import TaskDispatch

/// How a shutdown ends: what it gives up, and its report.
extension Core {
  /// Makes the report, and gives it to the threads and the Tasks that wait for it.
  func conclude() {
    closing.end()
    strandJobs()
    removeAllHandlers()
    events.dropSet()
    let facts = closing.isUnclean ? snapshotFacts() : nil
    guard let report = closing.makeReport(ledger, facts) else { return }
    for wake in closing.takeThreads() { callbacks.appendWake { wake(report) } }
    // The executor that a Task prefers may keep this thread. That must not delay the other Tasks that await the report.
    let tasks = closing.takeTasks()
    let isOne = tasks.count == 1
    for resume in tasks.reversed() {
      let goOn = { if isOne { resume(report) } else { _ = Task.detached { resume(report) } } }
      callbacks.prependResume(goOn)
    }
    if let deadline = closing.deadline { callbacks.appendWake { deadline.end() } }
    loop.want()
  }

  /// Gives up everything that still runs, callbacks included, and makes the report. Any thread may do it: the loop's
  /// thread may be in a body.
  func concludeAtDeadline() {
    closing.strand(foregroundToo: !loopRuns)
    abandonRunning { _ in true }
    rejectAdmitted()
    conclude()
  }

  /// Takes jobs of Swift Tasks out of their queues, and lets them go on elsewhere: a job cannot be refused.
  private func strandJobs() {
    for task in takeWaitingJobs() {
      task.view?.isStranded = true
      note(task, .abandoned)
      goOnElsewhere(task)
    }
  }

  /// Lets jobs that came to the loop since the report go on elsewhere: the loop has ended for good.
  func strandLateJobs() {
    for task in takeWaitingJobs() { goOnElsewhere(task) }
  }

  /// Takes the waiting jobs that `isWanted` out of their queues.
  private func takeWaitingJobs(
    where isWanted: (QueuedTask) -> Bool = { _ in true }
  ) -> [QueuedTask] {
    var jobs: [QueuedTask] = []
    forEachReady { if $0.isJob, isWanted($0) { jobs.append($0) } }
    return jobs.filter { takeBack($0) }
  }

  private func goOnElsewhere(_ task: QueuedTask) {
    guard case .job(let job, let executor) = task.release() else { return }
    callbacks.appendResume { executor.enqueueAgain(job) }
    endUnstarted(task, .abandoned)
  }

  /// Whether a job of a Swift Task that comes now can no longer run in its queue.
  func strandsJobs(on lane: Lane, _ view: UVView?) -> Bool {
    if loop.isOver || lane == .foreground && closing.strandsForeground { return true }
    guard lane == .background, closing.report != nil else { return false }
    guard let view else { return closing.strandsAll }
    // A suspended view is not resumed any more. Its later jobs have to follow the first one: with two ways, two jobs
    // of an actor could run at a time.
    if !view.isStranded, closing.strandsAll || view.pool.queue.isSuspended { strand(view) }
    return view.isStranded
  }

  /// Lets the jobs of `view` go on elsewhere from now on. Jobs that wait in it go before those that come later.
  private func strand(_ view: UVView) {
    view.isStranded = true
    for task in takeWaitingJobs(where: { $0.view === view }) {
      if task.isJobOfActor { late.add(task) } else { goOnElsewhere(task) }
    }
  }

  /// Takes out the first late job that may run: no task of its queue runs.
  func takeLateJob() -> QueuedTask? {
    late.takeFirst(where: mayRunLate)
  }

  var hasLateJobToRun: Bool { late.contains(where: mayRunLate) }

  private func mayRunLate(_ job: QueuedTask) -> Bool {
    !running.contains { $0.lane == job.lane && $0.view === job.view }
  }

  /// Whether the loop's thread may run what waits in `DispatchQueue.main`: no late job of the foreground runs.
  var mayServeMainQueue: Bool {
    !closing.strandsForeground || !running.contains { $0.lane == .foreground }
  }

  /// Gives up running tasks: they get their outcome now, and nothing waits for their bodies any more.
  func abandonRunning(_ isWanted: (RunningTask) -> Bool) {
    for task in running.filter({ !$0.isAbandoned && isWanted($0) }) {
      task.isAbandoned = true
      note(task, .abandoned, thread: task.nameOfThread)
      accounts.end(.abandoned)
      count(.abandoned, on: task.lane, task.view)
      tell(.finished(.abandoned), task)
      endedPlain(task)
      guard let item = task.item else { continue }
      forget(item)
      if let run = item as? RunItem { endTimer(of: run) }
      if let telling = item.setOutcome(.abandoned) {
        deferTelling(of: item, .abandoned, telling)
      }
    }
  }

  /// Rejects the callers that still wait in `sync`: what stands before them may never end.
  func rejectCallers() {
    var callers: [QueuedTask] = []
    forEachReady { if $0.isCaller { callers.append($0) } }
    for caller in callers where takeBack(caller) { reject(caller) }
  }

  /// Rejects the callers of `sync` that were admitted, and whose threads have not noticed yet.
  private func rejectAdmitted() {
    for caller in blocked.admittedCallers {
      blocked.noticeAdmission()
      caller.isAdmitted = false
      giveBackShare(of: caller)
      reject(caller)
    }
  }

  private func reject(_ caller: QueuedTask) {
    caller.isRejected = true
    blocked.flag(callerOf: caller)
    endUnstarted(caller, .cancelled)
  }

  /// Adds a task to what the report says is unfinished.
  func note(
    _ task: RunningTask, _ state: ShutdownReport.Unfinished.State, thread: String? = nil
  ) {
    closing.note(
      ShutdownReport.Unfinished(
        label: task.item?.label, queue: task.queueLabel, site: task.site,
        age: task.enqueuedAt.map { .nanoseconds(now - $0) }, thread: thread, state: state),
      number: task.order)
  }
}
