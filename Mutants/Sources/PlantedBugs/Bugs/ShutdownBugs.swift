/// The phases of a shutdown, what it counts, and which waiters it tells.
let shutdownBugs: [Bug] = beginBugs + phaseBugs + abandonBugs + endBugs + fakeShutdownBugs

private let beginBugs = [
  Bug(
    "shutdown.due-timers-cancelled", breaks: "rule 13: a timer that is due is not drained",
    in: "UVDispatch/Engine/Core/Core+Shutdown.swift",
    .without("moveDueTimers()"),
    suites: ["UVContractTests"]),
  Bug(
    "shutdown.timers-left", breaks: "rule 13: a timer that is not due holds the drain",
    in: "UVDispatch/Engine/Core/Core+Shutdown.swift",
    .without("cancelTimers()\n", within: "cancelTimers()\n    for item in standby"),
    suites: ["RunUntilIdleTests", "UVContractTests"]),
  Bug(
    "shutdown.skipped-drained", breaks: "rule 13: skippable work is drained",
    in: "UVDispatch/Engine/Core/Core+Shutdown.swift",
    .without("cancelSkipped()", within: "cancelSkipped()\n    advanceShutdown()"),
    suites: ["UVContractTests"]),
  Bug(
    "shutdown.room-still-awaited", breaks: "rule 13: a thread that waits for room is not refused",
    in: "UVDispatch/Engine/Core/Core+Shutdown.swift",
    .without("refuse(item, .shutDown)"),
    suites: ["UVContractTests"]),
  Bug(
    "shutdown.refused-stays-accepted",
    breaks: "rule 13: the ledger says that what had no room was accepted, and waits",
    in: "UVDispatch/Engine/Core/Core+Shutdown.swift",
    .without("accounts.takeBackAcceptance()"),
    suites: ["ShutdownWhileWaitingTests", "UVContractTests"]),
  Bug(
    "shutdown.later-call-lengthens-the-drain", breaks: "rule 13: a later call lengthens a deadline",
    in: "TaskDispatch/Policy/ShutdownProgress.swift",
    .expression("min(drainUntil, drain)", becomes: "drain"),
    suites: ["UVContractTests"]),
  Bug(
    "shutdown.later-call-lengthens-the-cancel-phase",
    breaks: "rule 13: a later call lengthens a deadline",
    in: "TaskDispatch/Policy/ShutdownProgress.swift",
    .expression("min(cancelUntil, cancel)", becomes: "cancel"),
    suites: ["LaterShutdownTests"]),
]

private let phaseBugs = [
  Bug(
    "shutdown.does-not-drain", breaks: "rule 13: accepted work is cancelled at once",
    in: "UVDispatch/Engine/Core/Core+Shutdown.swift",
    .without("if hasWorkThatCanEnd { return }"),
    suites: ["UVContractTests"]),
  Bug(
    "shutdown.flush-waits-for-the-refused", breaks: "a flush waits for ever for what had no room",
    in: "UVDispatch/Engine/Core/Core+Shutdown.swift",
    .without(
      "endedPlain(task(for: item))", within: "endedPlain(task(for: item))\n      refuse"),
    suites: ["FlushAtTheEndTests"]),
  Bug(
    "shutdown.flush-counts-the-abandoned",
    breaks: "a flush that begins when a body was abandoned waits for ever for it",
    in: "UVDispatch/Engine/Core/Core+Run.swift",
    .expression(
      "!$0.isAbandoned", becomes: "true",
      within: "running.filter({ !$0.isAbandoned }) { add"),
    suites: ["FlushAtTheEndTests"]),
  Bug(
    "shutdown.lets-in-past-the-drain",
    breaks: "rule 13: what waited for room starts after the cut-off",
    in: "UVDispatch/Engine/Core/Core+Shutdown.swift",
    .expression("standby.all", becomes: "standby.held.all", within: "standby.all.map"),
    suites: ["ShutdownWhileWaitingTests"]),
  Bug(
    "fork.taken-item-ended", breaks: "rule 15: a submission in a child ends an item of the parent",
    in: "UVDispatch/UVDispatcher+Submitting.swift",
    .expression("isTaken", becomes: "true", within: "if isTaken { item.finishTaken"),
    suites: ["ForkTests"]),
  Bug(
    "shutdown.abandoned-keeps-its-item",
    breaks: "what an abandoned body has returned may be released under the lock",
    in: "UVDispatch/Engine/Core/Core+Run.swift",
    .expression("task.takeItem()", becomes: "task.item"),
    suites: ["AbandonedResultTests"]),
  Bug(
    "shutdown.flush-waits-for-the-abandoned", breaks: "a flush waits for ever for a stuck body",
    in: "UVDispatch/Engine/Core/Core+Concluding.swift",
    .without("endedPlain(task)"),
    suites: ["FlushAtTheEndTests"]),
  Bug(
    "shutdown.no-drain-deadline", breaks: "rule 13: the loop is not woken when the drain is over",
    in: "UVDispatch/Engine/Parts/Closing.swift",
    .expression(
      "[progress.drainUntil, progress.cancelUntil, endsAt]",
      becomes: "[progress.cancelUntil, endsAt]"),
    suites: ["ShutdownValueTests"]),
  Bug(
    "shutdown.no-cancel-deadline",
    breaks: "rule 13: the loop is not woken when the cancel phase is over",
    in: "UVDispatch/Engine/Parts/Closing.swift",
    .expression(
      "[progress.drainUntil, progress.cancelUntil, endsAt]",
      becomes: "[progress.drainUntil, endsAt]"),
    suites: ["ShutdownValueTests"]),
  Bug(
    "shutdown.flag-not-raised", breaks: "rule 13: running bodies do not see that they should end",
    in: "UVDispatch/Engine/Core/Core+Shutdown.swift",
    .without("doors.shutdownFlag.raise()"),
    suites: ["ShutdownDeadlineTests"]),
  Bug(
    "shutdown.gate-open-in-the-cancel-phase",
    breaks: "rule 13: own work is accepted after the drain",
    in: "UVDispatch/Engine/Core/Core+Shutdown.swift",
    .without("closing.beginCancelling()"),
    suites: ["CancelPhaseTests"]),
  Bug(
    "shutdown.plain-not-cancelled", breaks: "rule 13: plain bodies start after the drain",
    in: "UVDispatch/Engine/Core/Core+Shutdown.swift",
    .without("materialisePlainTasks()"),
    suites: ["CancelPhaseTests"]),
  Bug(
    "shutdown.jobs-cancelled", breaks: "rule 13: a job of a Task is lost",
    in: "UVDispatch/Engine/Core/Core+Shutdown.swift",
    .expression(
      "!$0.isJob", becomes: "true", within: "!$0.isJob && !$0.isCaller && !outlivesDrain($0)"),
    suites: ["StrandedJobTests"]),
  Bug(
    "shutdown.callers-left-standing",
    breaks: "rule 13: a caller of sync behind a stuck body waits for ever",
    in: "UVDispatch/Engine/Core/Core+Shutdown.swift",
    .without("rejectCallers()", within: "rejectCallers()\n    } else if"),
    suites: ["ShutdownWhileWaitingTests"]),
  Bug(
    "shutdown.suspended-callers-left-standing",
    breaks: "rule 13: a caller of sync on a suspended view waits for ever",
    in: "UVDispatch/Engine/Core/Core+Shutdown.swift",
    .without("rejectCallers()", within: "// Those of suspended views.\n      rejectCallers()"),
    suites: ["ShutdownWhileWaitingTests", "UVContractTests"]),
  Bug(
    "shutdown.suspended-views-hold-the-drain",
    breaks: "rule 13: what only an outsider can free holds the drain",
    in: "UVDispatch/Engine/Core/Core+Background.swift",
    .expression(
      "views.contains { !$0.queue.isSuspended && !$0.queue.ready.isEmpty }",
      becomes: "views.contains { !$0.queue.ready.isEmpty }"),
    suites: ["StrandedJobTests", "UVContractTests"]),
  Bug(
    "shutdown.admitted-ignored", breaks: "rule 13: concluded while a caller was admitted",
    in: "UVDispatch/Engine/Core/Core+Shutdown.swift",
    .expression("blocked.hasAdmitted", becomes: "false"),
    suites: ["CancelPhaseTests"]),
  Bug(
    "shutdown.running-ignored", breaks: "rule 13: concluded while a body runs",
    in: "UVDispatch/Engine/Core/Core+Shutdown.swift",
    .expression("running.contains { !$0.isAbandoned }", becomes: "false"),
    suites: ["UVContractTests"]),
  Bug(
    "shutdown.background-ignored", breaks: "rule 13: concluded while the background has work",
    in: "UVDispatch/Engine/Core/Core+Background.swift",
    .expression("!background.pool.background.queue.ready.isEmpty", becomes: "false"),
    suites: ["UVContractTests", "ForkTests"]),
]

private let abandonBugs = [
  Bug(
    "abandon.counted-twice", breaks: "rule 2: a body that was abandoned gets a second outcome",
    in: "UVDispatch/Engine/Core/Core+Run.swift",
    .expression("!task.isAbandoned", becomes: "true", within: "guard !task.isAbandoned else"),
    suites: ["ShutdownDeadlineTests"]),
  Bug(
    "abandon.still-running", breaks: "rule 13: the ledger of the report does not balance",
    in: "UVDispatch/Engine/Parts/Accounts.swift",
    .without("ledger.running -= 1"),
    suites: ["ShutdownDeadlineTests"]),
  Bug(
    "abandon.runs-for-ever",
    breaks: "rule 13: a late job waits for ever for an abandoned body that has ended",
    in: "UVDispatch/Engine/Core/Core+Run.swift",
    .statement(
      "running.remove(context)",
      becomes: "if !context.isAbandoned { running.remove(context) }"),
    suites: ["ShutdownDeadlineTests"]),
  Bug(
    "abandon.not-named", breaks: "rule 13: the report does not name what was abandoned",
    in: "UVDispatch/Engine/Core/Core+Concluding.swift",
    .without("note(task, .abandoned, thread: task.nameOfThread)"),
    suites: ["UVContractTests", "ShutdownDeadlineTests"]),
  Bug(
    "report.never-started-not-named",
    breaks: "rule 13: the report does not name what never started",
    in: "UVDispatch/Engine/Core/Core+Shutdown.swift",
    .without("note(task, .neverStarted)"),
    suites: ["UVContractTests", "ShutdownDeadlineTests"]),
]

private let endBugs = [
  Bug(
    "shutdown.spins", breaks: "rule 16: the loop does not rest while a job holds up its end",
    in: "UVDispatch/Engine/Engine+Iteration.swift",
    .expression(
      "isOver(core)", becomes: "true",
      within: "core.closing.isPastDeadline(at: core.now), isOver(core)"),
    suites: ["JobAfterReportTests"]),
  Bug(
    "end.before-everybody-was-told", breaks: "rule 13: the report comes before an outcome was told",
    in: "UVDispatch/Engine/Core/Core+Shutdown.swift",
    .expression("!isDelivering", becomes: "true"),
    .expression("callbacks.isEmpty", becomes: "true", within: ", callbacks.isEmpty else"),
    suites: ["CancelPhaseTests"]),
  Bug(
    "end.tasks-not-told", breaks: "rule 13: a Task that awaits the report waits on",
    in: "UVDispatch/Engine/Core/Core+Concluding.swift",
    .expression("tasks", becomes: "[]", within: "for resume in tasks.reversed()"),
    suites: ["UVContractTests"]),
  Bug(
    "end.threads-not-told", breaks: "rule 13: a thread that waits for the report waits on",
    in: "UVDispatch/Engine/Core/Core+Concluding.swift",
    .without("for wake in closing.takeThreads() { callbacks.appendWake { wake(report) } }"),
    suites: ["WaitForReportTests"]),
  Bug(
    "end.threads-behind-tasks",
    breaks: "rule 13: the executor of a Task keeps the report from a thread",
    in: "UVDispatch/Engine/Core/Core+Concluding.swift",
    .statement(
      "for wake in closing.takeThreads() { callbacks.appendWake { wake(report) } }",
      becomes: "for wake in closing.takeThreads() { callbacks.appendResume { wake(report) } }"),
    suites: ["ExecutorsThatWaitTests"]),
  Bug(
    "end.later-awaiter-lost", breaks: "rule 13: a Task that awaits a report that is there waits on",
    in: "UVDispatch/UVDispatcher+Shutdown.swift",
    .without("core.callbacks.appendResume { resume(report) }"),
    suites: ["ActorTests", "UVContractTests"]),
  Bug(
    "end.stranded-jobs-lost", breaks: "rule 13: a job in a suspended view is lost",
    in: "UVDispatch/Engine/Core/Core+Concluding.swift",
    .without("strandJobs()\n", within: "closing.end()\n    strandJobs()\n"),
    suites: ["StrandedJobTests"]),
  Bug(
    "end.with-work-left", breaks: "rule 13: the loop ends while an awaiter's job is queued",
    in: "UVDispatch/Engine/Engine+Iteration.swift",
    .expression("core.hasNothingLeft", becomes: "true"),
    suites: ["AwaitedShutdownTests"]),
  Bug(
    "end.deliveries-ignored", breaks: "rule 13: the loop ends while a waiter is told of the end",
    in: "UVDispatch/Engine/Core/Core+Ending.swift",
    .expression(
      "!isDelivering && callbacks.isEmpty", becomes: "true",
      within: "|| !isDelivering && callbacks.isEmpty && stalls.ended.isEmpty"),
    suites: ["IdleTests"]),
  Bug(
    "end.views-ignored", breaks: "rule 13: the loop ends while a view has work",
    in: "UVDispatch/Engine/Core/Core+Background.swift",
    .expression(
      "views.contains { !$0.queue.isSuspended && !$0.queue.ready.isEmpty }", becomes: "false"),
    suites: ["IdleTests"]),
  Bug(
    "end.closed-under-a-post", breaks: "a wake meets a loop that is closed",
    in: "UVDispatch/Engine/Engine+Iteration.swift",
    .expression("doors.foreground.isNotifying", becomes: "false"),
    suites: ["ClosingTests"]),
  Bug(
    "late.job-into-a-dead-queue", breaks: "rule 13: a job that comes after the end never runs",
    in: "UVDispatch/Engine/Core/Core+Concluding.swift",
    .without("if loop.isOver || lane == .foreground && closing.strandsForeground { return true }"),
    suites: ["LateJobTests"]),
  Bug(
    "late.foreground-without-loop",
    breaks: "rule 13: a job of the foreground waits for ever where no loop runs",
    in: "UVDispatch/Engine/Core/Core+Concluding.swift",
    .expression("!loopRuns", becomes: "false"),
    suites: ["StuckCallbackTests"]),
  Bug(
    "late.thread-for-each", breaks: "each late job starts a thread, and all but one wait",
    in: "UVDispatch/Engine/Engine+LateJobs.swift",
    .expression("core.late.freeThreads == 0", becomes: "true"),
    suites: ["LateJobTests"]),
  Bug(
    "late.thread-never-again", breaks: "rule 13: the next late job never runs",
    in: "UVDispatch/Engine/Engine+LateJobs.swift",
    .without("core.late.removeThread()"),
    suites: ["LateJobTests"]),
  Bug(
    "late.thread-never-free-again", breaks: "rule 13: no thread is started for the next late job",
    in: "UVDispatch/Engine/Engine+LateJobs.swift",
    .without("core.late.endJob()"),
    suites: ["LateJobTests"]),
  Bug(
    "late.one-thread", breaks: "rule 5: a late job of one queue waits for that of another",
    in: "UVDispatch/Engine/Engine+LateJobs.swift",
    .without("if !core.late.isEmpty { startLateThread(core) }"), suites: ["LateJobTests"]),
  Bug(
    "late.one-thread-then", breaks: "rule 5: a late job waits for one of another queue that runs",
    in: "UVDispatch/Engine/Engine+LateJobs.swift",
    .without("core.late.beginJob()"),
    suites: ["LateJobTests"]),
  Bug(
    "dropped.held-forgotten", breaks: "rule 17: a notification is never released",
    in: "UVDispatch/Engine/Parts/Standby.swift",
    .expression("held.all + withoutRoom", becomes: "withoutRoom"),
    suites: ["DroppedTests"]),
  Bug(
    "dropped.timers-forgotten", breaks: "rule 2: a timer of a dropped dispatcher gets no outcome",
    in: "UVDispatch/Engine/Core/Core+Telling.swift",
    .expression("timers.removeAll()", becomes: "[WorkItem]()"),
    suites: ["ReleaseEverythingTests"]),
  Bug(
    "dropped.queues-forgotten",
    breaks: "rule 17: a view and what waits in it hold each other for ever",
    in: "UVDispatch/Engine/Core/Core+Telling.swift",
    .without("for task in left { _ = takeBack(task) }"),
    suites: ["ReleaseEverythingTests"]),
  Bug(
    "dropped.without-room-forgotten", breaks: "rule 2: what awaited room gets no outcome",
    in: "UVDispatch/Engine/Parts/Standby.swift",
    .expression("held.all + withoutRoom", becomes: "held.all"),
    suites: ["ReleaseEverythingTests"]),
  Bug(
    "dropped.late-jobs-forgotten", breaks: "rule 13: a job that came after the end is lost",
    in: "UVDispatch/Engine/Core/Core+Telling.swift",
    .expression("late.takeAll()", becomes: "[]"),
    suites: ["ReleaseEverythingTests"]),
  Bug(
    "held.wrong-place", breaks: "a notification that leaves takes another's place with it",
    in: "UVDispatch/Engine/Parts/HeldItems.swift",
    .without("last.place.position = index"),
    suites: ["HeldItemsTests"]),
  Bug(
    "held.let-in-when-gone",
    breaks: "rule 2: a notification that a shutdown has cancelled stands in a queue",
    in: "UVDispatch/Engine/Core/Core+Items.swift",
    .expression("standby.takeHeld(item)", becomes: "standby.takeHeld(item) || true"),
    suites: ["UVContractTests"]),
  Bug(
    "shutdown.drain-below-zero", breaks: "rule 13: a negative drain takes away the cancel phase",
    in: "TaskDispatch/Outcome/Shutdown.swift",
    .without("drain = max(.zero, drain)", within: "didSet { drain = max(.zero, drain) }"),
    suites: ["ShutdownDeadlineTests"]),
  Bug(
    "shutdown.cancel-below-zero", breaks: "rule 13: a negative cancel phase takes from the drain",
    in: "TaskDispatch/Outcome/Shutdown.swift",
    .without("cancel = max(.zero, cancel)", within: "didSet { cancel = max(.zero, cancel) }"),
    suites: ["ShutdownDeadlineTests"]),
]
