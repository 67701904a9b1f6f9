/// Waits of the fake, and the limit of its steps.
let fakeWaitBugs = [
  Bug(
    "fake-wait.uncounted", breaks: "the step limit: what runs on top of a wait is not counted",
    in: "TaskDispatchTesting/RecordingDispatcher+Waiting.swift",
    .without("waiting.budget.count(next)"),
    suites: ["WaitLimitTests"]),
  Bug(
    "fake-wait.sync-for-ever", breaks: "the step limit: a sync runs bodies for ever",
    in: "TaskDispatchTesting/RecordingDispatcher+Waiting.swift",
    .without(
      "try check(waiting)", within: "if caller.hasRun { break }\n          try check(waiting)"),
    suites: ["WaitLimitTests"]),
  Bug(
    "fake-wait.room-for-ever",
    breaks: "the step limit: a submission that finds no room runs bodies for ever",
    in: "TaskDispatchTesting/RecordingDispatcher+Waiting.swift",
    .without("try check(waiting)", within: "throw .timedOut }\n          try check(waiting)"),
    suites: ["WaitLimitTests"]),
  Bug(
    "fake-wait.limit-per-wait",
    breaks: "the step limit: a wait that moves time gives up although its bodies end",
    in: "TaskDispatchTesting/RecordingDispatcher+Waiting.swift",
    .without("waiting.budget.timeHasMoved()"),
    suites: ["WaitLimitTests"]),
  Bug(
    "fake-wait.inside-uncounted",
    breaks: "the step limit: what runs in a wait inside another is not counted there",
    in: "TaskDispatchTesting/Steps/StepBudget.swift",
    .without("budget.use(body)"), suites: ["WaitLimitTests"]),
  Bug(
    "fake-wait.inside-goes-on", breaks: "the step limit: a wait inside one that gives up goes on",
    in: "TaskDispatchTesting/Steps/StepBudget.swift",
    .statement(
      "while let budget = next, !budget.isSpent { next = budget.outer }",
      becomes: "if !isSpent { next = nil }"),
    suites: ["WaitLimitTests"]),
  Bug(
    "fake-wait.steps-not-around", breaks: "the step limit: waits in a step are not counted for it",
    in: "TaskDispatchTesting/Engine/State+WaitingCalls.swift",
    .expression("isStepper ? stepBudget : nil", becomes: "nil"), suites: ["WaitLimitTests"]),
  Bug(
    "fake-wait.stack-overflows", breaks: "waits inside each other end the process",
    in: "TaskDispatchTesting/RecordingDispatcher+Waiting.swift",
    .expression("ThreadStack.isNearlyUsedUp", becomes: "false"), suites: ["WaitLimitTests"]),
  Bug(
    "fake-wait.depth-of-one", breaks: "the stack is not looked at, however deep waits are",
    in: "TaskDispatchTesting/Engine/State+WaitingCalls.swift",
    .expression("(below?.depth ?? 0) + 1", becomes: "1"), suites: ["WaitLimitTests"]),
  Bug(
    "fake-steps.clock-for-ever", breaks: "the step limit: a clock ticks for centuries",
    in: "TaskDispatchTesting/Steps/StepBudget.swift",
    .expression("used >= limit || usedBefore + used >= mostInAll", becomes: "used >= limit"),
    suites: ["StepBudgetTests"]),
  Bug(
    "fake-steps.time-forgotten",
    breaks: "the step limit: it does not begin anew where time has moved",
    in: "TaskDispatchTesting/Steps/RecordingDispatcher+Time.swift",
    .without("budget.timeHasMoved()"), suites: ["StepLimitTests"]),
  Bug(
    "fake-steps.budget-left", breaks: "the step limit: a wait counts for a call that is over",
    in: "TaskDispatchTesting/Engine/State.swift",
    .without("stepBudget = nil"),
    suites: ["WaitLimitTests"]),
  Bug(
    "fake-wait.time-out-never-ends",
    breaks: "rule 14: in the fake, to wait behind a wait with a time-out is a deadlock",
    in: "TaskDispatchTesting/Engine/State+Waiting.swift",
    .without("if wait.mayTimeOut { return true }"), suites: ["BehindAWaitTests"]),
  Bug(
    "fake-wait.admission-behind-a-wait",
    breaks: "rule 14: in the fake, to wait for a turn behind a wait that may end is a deadlock",
    in: "TaskDispatchTesting/Engine/State+Waiting.swift",
    .expression(
      "mayEndByItself(wait)", becomes: "false",
      within: "othersGoOn && !wait.awaits(body) || mayEndByItself(wait)"),
    suites: ["BehindAWaitTests"]),
  Bug(
    "fake-wait.handle-behind-a-wait",
    breaks: "rule 14: in the fake, to wait behind a wait that may end is a deadlock",
    in: "TaskDispatchTesting/Engine/State+Waiting.swift",
    .expression(
      "mayEndByItself(wait)", becomes: "false",
      within: "if let wait = other.body.wait, mayEndByItself(wait)"),
    suites: ["BehindAWaitTests"]),
  Bug(
    "fake-wait.others-hold-back",
    breaks: "rule 14: in the fake, a wait for a group is a deadlock if anything else waits",
    in: "TaskDispatchTesting/Engine/State+Waiting.swift",
    .expression("$0.handled.group === group && isHeldBack($0)", becomes: "isHeldBack($0)"),
    suites: ["WaitForGroupTests"]),
  Bug(
    "fake-wait.suspended-held-back",
    breaks:
      "rule 14: in the fake, a wait for a group is a deadlock if a queue need only be resumed",
    in: "TaskDispatchTesting/Engine/State+Waiting.swift",
    .expression(
      "!poolView(view(item.view)).queue.isSuspended", becomes: "true",
      within: "running.contains { $0.share != nil } && !poolView(view(item.view)).queue.isSuspended"
    ),
    suites: ["WaitForGroupTests"]),
  Bug(
    "fake-wait.room-beside",
    breaks: "rule 14: in the fake, a sync is refused beside a body that waits",
    in: "TaskDispatchTesting/Engine/State+Waiting.swift",
    .expression("hasRoomBeside(running, queue)", becomes: "false"),
    suites: ["ContractFakeTests"]),
  Bug(
    "fake-wait.members-later",
    breaks:
      "rule 14: in the fake, what waits for a body that waits for a group runs before the group's tasks",
    in: "TaskDispatchTesting/Engine/State+Waiting.swift",
    .expression(
      "$0.item?.handled.group === group", becomes: "false",
      within: "started.firstIndex(where: { $0.item?.handled.group === group })"),
    suites: ["ContractFakeTests"]),
  Bug(
    "fake-wait.help-elsewhere",
    breaks: "rule 14: in the fake, what a worker runs while it waits counts as on another thread",
    in: "TaskDispatchTesting/Engine/State+Run.swift",
    .without("next.taken.entry.isHelped = true"), suites: ["SyncInTasksTests"]),
  Bug(
    "fake-wait.certain-of-others",
    breaks: "rule 14: in the fake, a wait is called a deadlock although other tasks may end it",
    in: "TaskDispatchTesting/Engine/State+Waiting.swift",
    .expression("othersGoOn && !wait.awaits(body)", becomes: "false"),
    suites: ["SyncInTasksTests", "FailureMessageWaitTests"]),
  Bug(
    "fake-wait.certain-of-none",
    breaks: "rule 14: in the fake, a body that waits for what it holds back is not told so",
    in: "TaskDispatchTesting/Engine/State+Waiting.swift",
    .expression("othersGoOn && !wait.awaits(body)", becomes: "othersGoOn"),
    suites: ["SyncInTasksTests", "FailureMessageWaitTests"]),
]
