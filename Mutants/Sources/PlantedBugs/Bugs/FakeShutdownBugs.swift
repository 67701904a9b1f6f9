/// How the fake takes a shutdown on, and what it gives up.
let fakeShutdownBugs: [Bug] = [
  Bug(
    "shutdown.fake-forgets-callers",
    breaks: "the report of the fake counts a caller of sync as waiting",
    in: "TaskDispatchTesting/Engine/State+Shutdown.swift",
    .without("rejectCallers()", within: "// Those of suspended views.\n    rejectCallers()"),
    suites: ["ShutdownOfCallersTests"]),
  Bug(
    "shutdown.fake-does-not-advance-on-top",
    breaks: "a shutdown that leaves no time waits for the end of a step of the fake",
    in: "TaskDispatchTesting/RecordingDispatcher+Waiting.swift",
    .without("if state.shutdownMayGoOn { state.advanceShutdown() }"),
    suites: ["ShutdownOfCallersTests", "ShutdownDeadlineTests"]),
  Bug(
    "shutdown.fake-forgets-what-waits-for-room",
    breaks: "rule 13: what waits for room in the fake has no outcome after the report",
    in: "TaskDispatchTesting/Engine/State+Shutdown.swift",
    .expression(
      "held.compactMap(\\.item) + waitingForRoom.compactMap(\\.item)",
      becomes: "held.compactMap(\\.item)"),
    suites: ["ContractFakeTests"]),
  Bug(
    "shutdown.fake-forgets-due-timers",
    breaks: "a due timer has no outcome when the fake goes away",
    in: "TaskDispatchTesting/Engine/State+Shutdown.swift",
    .statement(
      "foreground.due.forEachPosition(collect)",
      becomes: """
        foreground.due.forEachPosition { entry, position, isBarrier in
          if entry.isEvent { collect(copy entry, position, isBarrier) }
        }
        """),
    suites: ["LettingGoTests"]),
  Bug(
    "shutdown.fake-reports-before-the-release",
    breaks: "rule 13: the report is there before what was cancelled is released",
    in: "TaskDispatchTesting/Engine/State+Shutdown.swift",
    .expression("callbacks == nil", becomes: "callbacks?.endings.isEmpty != false"),
    suites: ["ShutdownWhileWaitingTests"]),
  Bug(
    "shutdown.fake-gives-up-late",
    breaks: "rule 13: a later shutdown that leaves no time does not end the cancel phase",
    in: "TaskDispatchTesting/Engine/State+Shutdown.swift",
    .expression("drainIsOver || isToGiveUp", becomes: "drainIsOver"),
    suites: ["ShutdownWhileWaitingTests"]),
  Bug(
    "shutdown.fake-flush-waits-for-a-job",
    breaks: "a flush waits for ever for a job that the end of the test has sent elsewhere",
    in: "TaskDispatchTesting/Engine/State+Shutdown.swift",
    .without(
      "if !flushes.isEmpty { noteEnd(entry.id) }",
      within: "if !flushes.isEmpty { noteEnd(entry.id) }\n      wakeLater"),
    suites: ["ShutdownWhileWaitingTests"]),
  Bug(
    "shutdown.fake-jumps-over-a-deadline",
    breaks: "rule 13: a wait of a foreground body moves time past a deadline of a shutdown",
    in: "TaskDispatchTesting/RecordingDispatcher+Waiting.swift",
    .expression(
      "state.foregroundIsBusy ? state.nextShutdownDeadline : state.nextDeadlineInstant",
      becomes: "state.foregroundIsBusy ? nil : state.nextDeadlineInstant"),
    suites: ["ShutdownWhileWaitingTests"]),
  Bug(
    "wait.fake-times-out-too-late",
    breaks: "a wait of the fake says that it timed out, and what it waited for had come about",
    in: "TaskDispatchTesting/RecordingDispatcher+Waiting.swift",
    .expression(
      "!withState({ $0.hasComeAbout(target) })", becomes: "true",
      within: "!moveTime(until: end, waiting), !withState({ $0.hasComeAbout(target) })"),
    suites: ["ShutdownWhileWaitingTests"]),
  Bug(
    "shutdown.fake-inline-body-forgotten",
    breaks: "rule 13: a shutdown that an inline body of the fake began never ends",
    in: "TaskDispatchTesting/RecordingDispatcher+Submitting.swift",
    .without(
      "advanceShutdownToItsEnd()", within: "advanceShutdownToItsEnd()\n      // The body"),
    suites: ["ShutdownWhileWaitingTests"]),
  Bug(
    "shutdown.fake-leaves-the-admitted",
    breaks: "a sync of the fake that was admitted runs after the last deadline",
    in: "TaskDispatchTesting/Engine/State+Shutdown.swift",
    .without("rejectAdmitted()", within: "rejectAdmitted()\n      if hasWork"),
    suites: ["ShutdownOfCallersTests"]),
  Bug(
    "shutdown.fake-leaves-the-admitted-at-its-finish",
    breaks: "a sync of the fake that was admitted runs after the test has finished",
    in: "TaskDispatchTesting/Engine/State+Shutdown.swift",
    .without("rejectAdmitted()", within: "rejectAdmitted()\n    let waiting"),
    suites: ["ShutdownOfCallersTests"]),
  Bug(
    "shutdown.fake-gives-back-what-a-body-holds",
    breaks: "rule 4: a task of the fake runs beside an abandoned body of its queue",
    in: "TaskDispatchTesting/Engine/State+Shutdown.swift",
    .statement(
      "if running.contains(where: { $0 === entry }) { return }",
      becomes: "if running.contains(where: { $0 === entry }) { return giveBackShare(of: entry) }"),
    suites: ["ShutdownDeadlineTests"]),
  Bug(
    "shutdown.fake-keeps-what-an-abandoned-body-held",
    breaks: "a job of the fake waits for ever for the queue of an abandoned body",
    in: "TaskDispatchTesting/Engine/State+Run.swift",
    .statement(
      "giveBackShare(of: body)\n    guard !body.isAbandoned else { return }",
      becomes: "guard !body.isAbandoned else { return }\n    giveBackShare(of: body)"),
    suites: ["ShutdownDeadlineTests"]),
  Bug(
    "shutdown.fake-asked-in-vain",
    breaks: "rule 13: a body of the fake that leaves no time does not see that",
    in: "TaskDispatchTesting/RecordingDispatcher+Shutdown.swift",
    .without(
      "if state.isStepping, state.shutdownMayGoOn { state.advanceShutdown(isAskedFor: true) }"),
    suites: ["ShutdownWhileWaitingTests"]),
  Bug(
    "shutdown.fake-gives-up-the-asking-body",
    breaks: "rule 13: a body that leaves no time is abandoned, although it is about to end",
    in: "TaskDispatchTesting/Engine/State+Shutdown.swift",
    .expression("!isAskedFor || !$0.isOfThisThread", becomes: "true"),
    suites: ["ShutdownWhileWaitingTests"]),
  Bug(
    "shutdown.fake-reports-to-the-asking-body",
    breaks: "rule 13: the report is there in a callback that begins the shutdown",
    in: "TaskDispatchTesting/Engine/State+Shutdown.swift",
    .expression("!isAskedFor", becomes: "true", within: "callbacks == nil, !isAskedFor"),
    suites: ["ShutdownWhileWaitingTests"]),
  Bug(
    "cancel.fake-begun-by-others",
    breaks: "a cancellation says that it asks a body to end that other code runs",
    in: "TaskDispatchTesting/Engine/State+Run.swift",
    .expression(
      ".tooLate", becomes: ".requested",
      within: "guard let entry = startedEntry(of: item) else { return .tooLate }"),
    suites: ["WorkItemTests"]),
  Bug(
    "wait.fake-refuses-while-others-can-run",
    breaks: "the fake refuses a sync that a task of the foreground would free",
    in: "TaskDispatchTesting/Engine/State+WaitingCalls.swift",
    .expression(
      "!foregroundIsBusy", becomes: "decisions != nil && !foregroundIsBusy",
      within: "if !foregroundIsBusy, let next = takeForeground(hidesOuter: true) { return next }"),
    suites: ["SyncTests"]),
]
