/// The report at the deadline, whatever has not ended by then, and what happens to that.
let deadlineBugs: [Bug] = [
  Bug(
    "deadline.asker-exempt",
    breaks: "a body whose own thread brings the deadline is not in the report",
    in: "UVDispatch/Engine/Core/Core+Concluding.swift",
    .expression(
      "{ _ in true }", becomes: "{ task in TaskContext.first { $0 === task } == nil }",
      within: "abandonRunning { _ in true }"),
    suites: ["ReportAtTheDeadlineTests"]),
  Bug(
    "deadline.loop-not-woken", breaks: "rule 13: no report while a job of a Task does not end",
    in: "UVDispatch/Engine/Parts/Closing.swift",
    .expression(
      "[progress.drainUntil, progress.cancelUntil, endsAt]",
      becomes: "[progress.drainUntil, progress.cancelUntil]"),
    suites: ["ShutdownValueTests"]),
  Bug(
    "deadline.not-kept", breaks: "rule 13: no report while the body of a sync does not end",
    in: "UVDispatch/Engine/Core/Core+Shutdown.swift",
    .without("if let end = closing.endsAt, now >= end { return concludeAtDeadline() }"),
    suites: ["ReportAtTheDeadlineTests"]),
  Bug(
    "deadline.no-grace", breaks: "rule 13: a body that is about to end is given up",
    in: "UVDispatch/Engine/Parts/Closing.swift",
    .expression("$0.cancelUntil.addingClamped(Self.grace)", becomes: "$0.cancelUntil"),
    suites: ["ShutdownValueTests"]),
  Bug(
    "deadline.no-thread", breaks: "rule 13: no report while a body of the foreground does not end",
    in: "UVDispatch/UVDispatcher+Shutdown.swift",
    .expression(
      "core.closing.deadline", becomes: "Optional<ShutdownDeadline>.none",
      within: "guard let deadline = core.closing.deadline, let time"),
    suites: ["ReportAtTheDeadlineTests"]),
  Bug(
    "deadline.not-shortened",
    breaks: "rule 13: the thread waits for the deadline of an earlier call",
    in: "UVDispatch/Engine/ShutdownDeadline.swift",
    .without("state.time = min(state.time, time)"),
    suites: ["ReportAtTheDeadlineTests"]),
  Bug(
    "deadline.not-moved",
    breaks: "rule 13: a later call does not tell the thread of its nearer deadline",
    in: "UVDispatch/UVDispatcher+Shutdown.swift",
    .without("core.callbacks.appendWake { deadline.move(to: time) }"),
    suites: ["ReportAtTheDeadlineTests"]),
  Bug(
    "deadline.thread-stays", breaks: "a thread is left behind when a shutdown is over",
    in: "UVDispatch/Engine/Core/Core+Concluding.swift",
    .without("if let deadline = closing.deadline { callbacks.appendWake { deadline.end() } }"),
    suites: ["LeakTests"]),
  Bug(
    "deadline.thread-of-the-dropped-stays",
    breaks: "a thread is left behind by a dispatcher that is gone",
    in: "UVDispatch/Engine/Engine.swift",
    .without("core.closing.endDeadline()"),
    suites: ["LeakTests"]),
  Bug(
    "deadline.jobs-not-given-up",
    breaks: "rule 13: a job of a Task is counted as running at the end",
    in: "UVDispatch/Engine/Core/Core+Concluding.swift",
    .expression("{ _ in true }", becomes: "{ !$0.isJob }", within: "abandonRunning { _ in true }"),
    suites: ["ReportAtTheDeadlineTests"]),
  Bug(
    "deadline.callers-not-given-up",
    breaks: "rule 13: the body of a sync is counted as running at the end",
    in: "UVDispatch/Engine/Core/Core+Concluding.swift",
    .expression(
      "{ _ in true }", becomes: "{ !$0.isCaller }", within: "abandonRunning { _ in true }"),
    suites: ["ReportAtTheDeadlineTests"]),
  Bug(
    "deadline.admitted-left", breaks: "rule 13: the body of a sync begins after the report",
    in: "UVDispatch/Engine/Core/Core+Concluding.swift",
    .without("rejectAdmitted()", within: "rejectAdmitted()\n    conclude()"),
    suites: ["ReportAtTheDeadlineTests"]),
  Bug(
    "deadline.caller-counted-twice",
    breaks: "rule 2: the body of a sync that was given up is counted again",
    in: "UVDispatch/Engine/Core/Core+Callers.swift",
    .without("if context.isAbandoned { return false }"),
    suites: ["ReportAtTheDeadlineTests"]),
  Bug(
    "deadline.loop-stays-for-callbacks",
    breaks: "rule 13: run() does not return while a callback does not",
    in: "UVDispatch/Engine/Core/Core+Ending.swift",
    .expression("closing.isPastDeadline(at: now)", becomes: "false"),
    suites: ["ReportAtTheDeadlineTests"]),
  Bug(
    "deadline.loop-stays-for-jobs",
    breaks: "rule 13: run() does not return while a Task yields for ever",
    in: "UVDispatch/Engine/Engine+Iteration.swift",
    .expression("!again || core.closing.isPastDeadline(at: core.now)", becomes: "!again"),
    suites: ["ReportAtTheDeadlineTests"]),
  Bug(
    "strand.foreground-jobs-lost",
    breaks: "rule 13: a job of the foreground is lost at the deadline",
    in: "UVDispatch/Engine/Engine+Iteration.swift",
    .without("core.strandLateJobs()"),
    suites: ["ReportAtTheDeadlineTests"]),
  Bug(
    "strand.view-goes-on",
    breaks: "rule 4: a stranded job of an actor and a later one run at a time",
    in: "UVDispatch/Engine/Core/Core+Concluding.swift",
    .without("task.view?.isStranded = true"),
    suites: ["StrandedJobTests"]),
  Bug(
    "fake-late.started-last",
    breaks:
      "rule 4: once a fake is finished, a job of an actor runs behind those that came after it",
    in: "TaskDispatchTesting/Engine/State+Shutdown.swift",
    .expression(
      "started + waiting", becomes: "waiting + started", within: "let jobs = started + waiting"),
    suites: ["ActorTests"]),
  Bug(
    "fake-late.started-last-in-one-gone",
    breaks: "rule 4: once a fake is gone, a job of an actor runs behind those that came after it",
    in: "TaskDispatchTesting/Engine/State+Shutdown.swift",
    .expression(
      "started + waiting", becomes: "waiting + started",
      within: "return started + waiting + held"),
    suites: ["ActorTests"]),
  Bug(
    "fake-late.at-once",
    breaks: "rule 4: two jobs of an actor run at a time once a fake is finished",
    in: "TaskDispatchTesting/Engine/RecordingExecutors.swift",
    .expression("!state.isRunning", becomes: "true", within: "return !state.isRunning"),
    .expression("self.runAll()", becomes: "executor.run(job)"),
    suites: ["ActorTests"]),
  Bug(
    "fake-late.foreground-apart",
    breaks: "rule 4: two jobs of the foreground run at a time once a fake is finished",
    in: "TaskDispatchTesting/Engine/RecordingExecutors.swift",
    .expression(
      "queue.lane == .foreground ? executors.lateForeground : nil", becomes: "nil"),
    suites: ["ActorTests"]),
  Bug(
    "strand.waiting-stay",
    breaks: "rule 4: a job that waits in a stranded view runs beside one that came later",
    in: "UVDispatch/Engine/Core/Core+Concluding.swift",
    .expression("$0.view === view", becomes: "false", within: "where: { $0.view === view }"),
    suites: ["StrandedJobTests"]),
  Bug(
    "late.beside-main-queue",
    breaks: "rule 4: a block of the main queue runs beside a late job of the foreground",
    in: "UVDispatch/Engine/Engine+Iteration.swift",
    .expression(
      "core.mayServeMainQueue", becomes: "true",
      within: "loop.hasMainQueueWork(looks: core.closing.hasBegun), core.mayServeMainQueue"),
    suites: ["MainQueueTests"]),
  Bug(
    "strand.suspended-view-takes-jobs",
    breaks: "rule 13: a job that comes to a suspended view is lost",
    in: "UVDispatch/Engine/Core/Core+Concluding.swift",
    .expression(
      "closing.strandsAll || view.pool.queue.isSuspended", becomes: "closing.strandsAll"),
    suites: ["StrandedJobTests"]),
  Bug(
    "strand.background-goes-on", breaks: "rule 13: a Task that yields for ever keeps the pool busy",
    in: "UVDispatch/Engine/Parts/Closing.swift",
    .without("strandsAll = true"),
    suites: ["ReportAtTheDeadlineTests"]),
  Bug(
    "late.beside-a-body",
    breaks: "rule 4: a late job of an actor runs beside one that was given up",
    in: "UVDispatch/Engine/Core/Core+Concluding.swift",
    .expression(
      "!running.contains { $0.lane == job.lane && $0.view === job.view }", becomes: "true"),
    suites: ["StrandedJobTests"]),
  Bug(
    "report.wait-inside", breaks: "rule 14: a body waits for the end that waits for it",
    in: "UVDispatch/UVDispatcher+Shutdown.swift",
    .expression("engine.innermostTask == nil", becomes: "true"),
    suites: ["WaitForReportTests"]),
  Bug(
    "report.wait-in-callback", breaks: "rule 14: a callback waits for the end that waits for it",
    in: "UVDispatch/UVDispatcher+Shutdown.swift",
    .expression("TaskContext.deliveries(for: ObjectIdentifier(self)) == 0", becomes: "true"),
    suites: ["WaitForReportTests"]),
  Bug(
    "report.waiter-left", breaks: "each wait for a report that timed out leaves an object behind",
    in: "UVDispatch/UVDispatcher+Shutdown.swift",
    .without("engine.withCore { $0.closing.remove(thread: number) }"),
    suites: ["WaitForReportTests"]),
  Bug(
    "deadline.behind-callbacks",
    breaks: "rule 13: the deadline waits for a callback of the call that began the shutdown",
    in: "UVDispatch/Engine/Parts/DeferredCallbacks.swift",
    .statement("notes.append(.wake(call))", becomes: "notes.append(.call(call))"),
    suites: ["StuckCallbackTests"]),
  Bug(
    "deadline.moved-behind-callbacks",
    breaks: "rule 13: a deadline that is brought forward waits for a callback",
    in: "UVDispatch/UVDispatcher+Shutdown.swift",
    .statement(
      "core.callbacks.appendWake { deadline.move(to: time) }",
      becomes: "core.callbacks.append { deadline.move(to: time) }"),
    suites: ["StuckCallbackTests"]),
  Bug(
    "deadline.of-the-drain-last",
    breaks: "rule 13: after the drain no thread sees to the deadline of the report",
    in: "UVDispatch/UVDispatcher+Shutdown.swift",
    .without("engine.dispatcher.startDeadline(core)"),
    suites: ["StuckCallbackTests"]),
  Bug(
    "deadline.not-of-the-drain",
    breaks: "rule 13: only the loop cancels when the drain is over",
    in: "UVDispatch/UVDispatcher+Shutdown.swift",
    .expression("shutdown.drainIsOver(at: core.now) ? end : shutdown.drainUntil", becomes: "end"),
    suites: ["StuckCallbackTests"]),
  Bug(
    "end.report-behind-callbacks",
    breaks: "rule 13: the report is there, and awaiters wait for a callback",
    in: "UVDispatch/Engine/Core/Core+Concluding.swift",
    .statement("callbacks.prependResume(goOn)", becomes: "callbacks.append(goOn)"),
    suites: ["StuckCallbackTests"]),
  Bug(
    "end.report-behind-tasks",
    breaks: "rule 13: the executor of a Task that awaits a task keeps the report from other Tasks",
    in: "UVDispatch/Engine/Core/Core+Concluding.swift",
    .statement("callbacks.prependResume(goOn)", becomes: "callbacks.appendResume(goOn)"),
    suites: ["ExecutorsThatWaitTests"]),
  Bug(
    "end.jobs-behind-callbacks",
    breaks: "rule 13: a job that goes on elsewhere waits for a callback",
    in: "UVDispatch/Engine/Core/Core+Concluding.swift",
    .statement(
      "callbacks.appendResume { executor.enqueueAgain(job) }",
      becomes: "callbacks.append { executor.enqueueAgain(job) }"),
    suites: ["StuckCallbackTests"]),
  Bug(
    "telling.awaiters-behind-callbacks",
    breaks: "rule 20: a Task that awaits one outcome waits for the callback of another",
    in: "TaskDispatch/Work/WorkItem+Observing.swift",
    .expression(
      "watch(Phase.hasAwaiters, ItemLock.Observer(isAwaiter: true, call: resume))",
      becomes: "watch(Phase.isObserved, ItemLock.Observer(isAwaiter: false, call: resume))"),
    suites: ["StuckCallbackTests"]),
  Bug(
    "telling.group-behind-callbacks",
    breaks: "rule 20: a notification waits for a callback of its group",
    in: "TaskDispatch/Work/WorkGroup.swift",
    .expression("true", becomes: "false", within: "call(wake, isWake: true)"),
    suites: ["StuckCallbackTests", "ContractFakeTests"]),
  Bug(
    "telling.dropped-unwoken",
    breaks: "rule 2: a Task awaits a group for ever whose dispatcher is gone",
    in: "UVDispatch/Engine/Tasks/Leftovers.swift",
    .without("item.resume(.cancelled, telling)"),
    suites: ["DroppedTests"]),
  Bug(
    "telling.dropped-threads-unwoken",
    breaks: "rule 2: a thread waits for a group for ever of which a dispatcher is gone",
    in: "UVDispatch/Engine/Tasks/Leftovers.swift",
    .expression(
      "item.wakeThreads(telling)", becomes: "_ = (item, telling)",
      within: "in zip(work, tellings) { item.wakeThreads(telling) }"),
    suites: ["DroppedTests"]),
  Bug(
    "dropped.told-anywhere",
    breaks: "rule 12: what a dispatcher held keeps a thread of the pool that counts as free",
    in: "UVDispatch/Engine/Tasks/Leftovers.swift",
    .expression("TaskContext.threadReleases", becomes: "false"),
    suites: ["DroppedTests", "TakingTurnsTests"]),
  Bug(
    "dropped.handlers-here",
    breaks: "rule 12: what a handler held keeps a thread of the pool that counts as free",
    in: "UVDispatch/Engine/Engine.swift",
    .expression("core.callbacks.isEmpty ? nil : core.callbacks.take()", becomes: "nil"),
    suites: ["DroppedTests"]),
  Bug(
    "dropped.observer-here",
    breaks: "rule 12: what an observer held keeps a thread of the pool that counts as free",
    in: "UVDispatch/Engine/Engine.swift",
    .expression("core.observation.takeAll()", becomes: "[]"),
    suites: ["DroppedTests"]),
  Bug(
    "dropped.run-unmarked",
    breaks: "rule 12: what a dispatcher held keeps a thread of the pool that counts as free",
    in: "UVDispatch/Engine/Engine+Worker.swift",
    .without("TaskContext.threadReleases = true"), suites: ["DroppedTests"]),
  Bug(
    "dropped.mark-stays",
    breaks: "what a body lets go of is told of on another thread, after it",
    in: "UVDispatch/Engine/Engine+Worker.swift",
    .without("TaskContext.threadReleases = false"), suites: ["DroppedTests"]),
  Bug(
    "dropped.call-unmarked",
    breaks: "rule 12: what a dispatcher held keeps a thread that has others to call",
    in: "UVDispatch/Engine/PoolShares.swift",
    .without("TaskContext.threadReleases = true"), suites: ["TakingTurnsTests"]),
  Bug(
    "dropped.call-marks-on",
    breaks: "what a thread lets go of is told of on another thread, after it",
    in: "UVDispatch/Engine/PoolShares.swift",
    .expression(
      "releases", becomes: "true", within: "defer { TaskContext.threadReleases = releases }"),
    suites: ["PoolSharesTests"]),
  Bug(
    "end.report-on-one-thread",
    breaks: "rule 13: the executor of a Task keeps the report from another Task",
    in: "UVDispatch/Engine/Core/Core+Concluding.swift",
    .expression("tasks.count == 1", becomes: "true"), suites: ["ExecutorsThatWaitTests"]),
  Bug(
    "fake.dropped-threads-unwoken",
    breaks: "rule 2: a thread waits for a group for ever of which a fake is gone",
    in: "TaskDispatchTesting/RecordingDispatcher.swift",
    .without("entry.item?.wakeThreads(telling)"),
    suites: ["DroppedTests"]),
  Bug(
    "fake.dropped-untold",
    breaks: "rule 2: what a fake had not run when it was let go of is not told",
    in: "TaskDispatchTesting/RecordingDispatcher.swift",
    .without("if let telling { entry.item?.tell(outcome, telling) }"),
    suites: ["DroppedFakeTests"]),
  Bug(
    "fake.dropped-unwoken",
    breaks: "rule 2: a Task awaits a group for ever whose fake is gone",
    in: "TaskDispatchTesting/RecordingDispatcher.swift",
    .without("entry.item?.resume(outcome, telling)"),
    suites: ["DroppedFakeTests"]),
  Bug(
    "fake.dropped-jobs-lost",
    breaks: "rule 4: a Task whose fake is gone never goes on",
    in: "TaskDispatchTesting/RecordingDispatcher.swift",
    .without("if case .job(let job) = entry.work { job.executor.runElsewhere(job.job) }"),
    suites: ["DroppedFakeTests"]),
  Bug(
    "fake.dropped-timers",
    breaks: "rule 2: timers of a fake that is gone have no outcome",
    in: "TaskDispatchTesting/Engine/State+Shutdown.swift",
    .expression(
      "timers.removeAll().map(\\.entry)", becomes: "[]"),
    suites: ["DroppedFakeTests"]),
  Bug(
    "explore.run-goes-on",
    breaks: "a Task that is left over changes the next schedule",
    in: "TaskDispatchTesting/RecordingDispatcher.swift",
    .without("state.withLock { $0.decisions = nil }"),
    suites: ["FailingRunTests"]),
  Bug(
    "end.notification-overtaken",
    breaks: "rule 13: a notification is cancelled whose group the shutdown has emptied",
    in: "UVDispatch/Engine/Core/Core+Shutdown.swift",
    .expression("!callbacks.isEmpty", becomes: "false", within: "if !callbacks.isEmpty ||"),
    suites: ["UVContractTests"]),
  Bug(
    "end.wakes-uncounted",
    breaks: "rule 13: the loop cancels a notification that another thread is about to let in",
    in: "UVDispatch/Engine/Core/Core+Shutdown.swift",
    .expression("doors.callbackCounts.areWakingAtTheEnd", becomes: "false"),
    suites: ["NotificationAtTheEndTests"]),
]
