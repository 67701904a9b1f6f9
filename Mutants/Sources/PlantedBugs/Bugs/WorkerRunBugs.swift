/// When worker runs start, how they learn of work, and when they end.
let workerRunBugs: [Bug] = startingBugs + secondBugs + patienceBugs

private let startingBugs = [
  Bug(
    "worker-run.inbox-ignored", breaks: "invariant I: a notified inbox without a worker run",
    in: "UVDispatch/Engine/Core/Core+Reconciling.swift",
    .expression(
      "doors.background.isNotified", becomes: "false",
      within: "doors.background.isNotified || mayStart"),
    suites: ["HelpedDeadlockTests", "GoingIdleTests"]),
  Bug(
    "worker-run.queue-ignored", breaks: "invariant L: a task may start, and no worker run searches",
    in: "UVDispatch/Engine/Core/Core+Reconciling.swift",
    .expression(
      "mayStart", becomes: "false",
      within: "doors.background.isNotified || mayStart"),
    suites: ["UVContractTests"]),
  Bug(
    "worker-run.not-counted", breaks: "invariant L: it is not known that a worker searches",
    in: "UVDispatch/Engine/Parts/WorkerWakeups.swift",
    .without("searching += 1", within: "searching += 1\n    arriving += 1"),
    suites: ["HintTests"]),
  Bug(
    "worker-run.not-counted-down", breaks: "rule 5: no worker run is started any more",
    in: "UVDispatch/Engine/Engine+Worker.swift",
    .without("core.workers.endSearch()"),
    suites: ["UVContractTests"]),
  Bug(
    "worker-run.leaves-without-collecting", breaks: "rule 2: the last look misses what was posted",
    in: "UVDispatch/Engine/Core/Core+Reconciling.swift",
    .without("drainBackground()", within: "while true {\n      drainBackground()"),
    suites: ["GoingIdleTests", "WakingTests"]),
  Bug(
    "worker-run.leaves-without-resting",
    breaks: "rule 2: the next post finds the inbox still notified",
    in: "UVDispatch/Engine/Core/Core+Reconciling.swift",
    .expression("doors.background.tryGoIdle()", becomes: "true"),
    suites: ["GoingIdleTests", "WakingTests"]),
  Bug(
    "worker-run.leaves-without-second-look",
    breaks: "rule 2: what came between the look and the going idle is lost",
    in: "UVDispatch/Engine/Core/Core+Reconciling.swift",
    .expression("doors.background.tryGoIdle()", becomes: "doors.background.tryGoIdle() || true"),
    suites: ["GoingIdleTests", "WakingTests"]),
  Bug(
    "worker-run.keeps-its-thread", breaks: "rule 12: a worker run does not return its thread",
    in: "UVDispatch/Engine/Engine+Worker.swift",
    .expression(
      "run(consume next, in: context, core, within: &slice.budget, left: &left)",
      becomes: "(run(consume next, in: context, core, within: &slice.budget, left: &left) && false)"
    ),
    suites: ["GoodCitizenTests"]),
  Bug(
    "worker-run.started-at-exit", breaks: "rule 13: libuv aborts a process that leaves",
    in: "UVDispatch/LibUV/WorkerRuns.swift",
    .expression("!state.isOver", becomes: "true"),
    suites: ["PostingAtExitTests"]),
  Bug(
    "worker-run.drained-by-a-search",
    breaks: "invariant L: a run looks on while a search for deadlocks has drained the inbox",
    in: "UVDispatch/Engine/Core/Core+Reconciling.swift",
    .without("if workers.areSearching { hintToSearchers() }"),
    suites: ["HintTests"]),
  Bug(
    "worker-run.drained-by-a-caller",
    breaks: "invariant L: a run looks on while a caller of sync has drained the inbox",
    in: "UVDispatch/Engine/Core/Core+Callers.swift",
    .without("if workers.areSearching { hintToSearchers() }"),
    suites: ["HintTests"]),
  Bug(
    "worker-run.no-hint-for-searchers",
    breaks: "rule 5: a searching worker is not told of what may start",
    in: "UVDispatch/Engine/Core/Core+Reconciling.swift",
    .without("hintToSearchers()", within: "if workers.searching > 0 {\n      hintToSearchers()"),
    suites: ["HintTests"]),
  Bug(
    "worker-run.end-unnoticed",
    breaks: "rule 13: the loop is not told that the last lease has ended",
    in: "UVDispatch/Engine/Engine+Worker.swift",
    .without("if core.leavesWhenIdle || core.closing.hasBegun { core.loop.want() }"),
    suites: ["RunUntilIdleTests"]),
]

private let secondBugs = [
  Bug(
    "second.never-called", breaks: "a burst runs on one processor while another is idle",
    in: "UVDispatch/Engine/Doors/Inbox.swift",
    .expression("isForTwo ? 2 : 1", becomes: "1"),
    suites: ["InboxTests"]),
  Bug(
    "second.called-for-one", breaks: "a worker run more is started than bodies may run",
    in: "UVDispatch/Engine/Doors/Doors.swift",
    .expression("width > 1", becomes: "true", within: "isForTwo: width > 1"),
    suites: ["ViewInboxTests", "SecondRunTests"]),
  Bug(
    "second.never-started", breaks: "a burst runs on one processor while another is idle",
    in: "UVDispatch/Engine/Engine.swift",
    .statement("lock().startAnother()", becomes: "lock()"),
    suites: ["TwoPostsTests"]),
  Bug(
    "second.while-first-is-here", breaks: "a worker run more is started than bodies wait",
    in: "UVDispatch/Engine/Parts/WorkerWakeups.swift",
    .expression("arriving == 1", becomes: "true", within: "arriving == 1 && busy == 0"),
    suites: ["WorkerWakeupsTests"]),
  Bug(
    "second.while-two-come", breaks: "a worker run is started for each body that is posted",
    in: "UVDispatch/Engine/Parts/WorkerWakeups.swift",
    .expression(
      "searching == 1", becomes: "searching > 0", within: "searching == 1 && arriving == 1"),
    suites: ["WorkerWakeupsTests", "TwoPostsTests"]),
  Bug(
    "second.while-somebody-works",
    breaks: "a worker run is started for a body that another goes on with",
    in: "UVDispatch/Engine/Parts/WorkerWakeups.swift",
    .expression("busy == 0", becomes: "true"),
    suites: ["WorkerWakeupsTests"]),
  Bug(
    "second.where-one-may-run", breaks: "a worker run more is started than bodies may run",
    in: "UVDispatch/Engine/Parts/WorkerWakeups.swift",
    .expression("width > 1", becomes: "true", within: "busy == 0 && width > 1"),
    suites: ["WorkerWakeupsTests"]),
  Bug(
    "second.not-counted", breaks: "worker runs are started one by one while two are on their way",
    in: "UVDispatch/Engine/Parts/WorkerWakeups.swift",
    .without("arriving += 1"),
    suites: ["WorkerWakeupsTests", "TwoPostsTests"]),
  Bug(
    "second.arrival-unseen", breaks: "a burst runs on one processor while another is idle",
    in: "UVDispatch/Engine/Engine+Worker.swift",
    .without("core.workers.arrive()"),
    suites: ["TwoPostsTests"]),
  Bug(
    "second.not-of-tasks",
    breaks: "a burst of tasks with a priority runs on one processor while another is idle",
    in: "UVDispatch/Engine/Core/Core+Reconciling.swift",
    .without("if workers.arriving == 1, twoMayStart { startAnother() }"),
    suites: ["SecondRunTests", "TwoPostsTests"]),
  Bug(
    "second.not-at-once", breaks: "a queue that goes on has one thread fetched for two tasks",
    in: "UVDispatch/Engine/Core/Core+Reconciling.swift",
    .without("    if twoMayStart { startAnother() }\n"),
    suites: ["SecondRunTests", "TwoPostsTests"]),
  Bug(
    "second.one-of-two-started",
    breaks: "a worker run that is counted never comes, and tasks are lost",
    in: "UVDispatch/Engine/Engine.swift",
    .expression("0..<count", becomes: "0..<min(count, 1)"),
    suites: ["TwoPostsTests"]),
  Bug(
    "second.for-one-task", breaks: "a worker run more is started than tasks wait",
    in: "TaskDispatch/Policy/ViewQueue.swift",
    .expression("ready.startableCount >= 2", becomes: "ready.startableCount >= 1"),
    suites: ["PoolOrderTests", "SecondRunTests"]),
  Bug(
    "second.in-full-view", breaks: "a worker run more is started than tasks may run",
    in: "TaskDispatch/Policy/ViewQueue.swift",
    .expression("workerRoom >= 2", becomes: "workerRoom >= 1"),
    suites: ["PoolOrderTests"]),
  Bug(
    "second.for-one-token", breaks: "a worker run more is started than tasks of queues may run",
    in: "TaskDispatch/Policy/PoolOrder.swift",
    .expression("tokens.startableCount >= 2", becomes: "tokens.startableCount >= 1"),
    suites: ["PoolOrderTests", "SecondRunTests"]),
  Bug(
    "second.for-one-worker", breaks: "a worker run more is started than workers are free",
    in: "TaskDispatch/Policy/PoolOrder.swift",
    .expression("width - busyWorkers >= 2", becomes: "width - busyWorkers >= 1"),
    suites: ["PoolOrderTests"]),
]

private let patienceBugs = [
  Bug(
    "spin-limit.not-learned",
    breaks: "a worker run is started for each of tasks that come one by one",
    in: "UVDispatch/Engine/Core/Core+Reconciling.swift",
    .without("workers.spinLimit.learn(at: now)"),
    suites: ["LearnedSpinLimitTests"]),
  Bug(
    "spin-limit.refusal-forgotten",
    breaks: "a worker run is started for each of tasks that come one by one",
    in: "UVDispatch/Engine/Parts/SpinLimit.swift",
    .without("vainSince = now"),
    suites: ["SpinLimitTests", "LeaseEndTests"]),
  Bug(
    "spin-limit.search-forgotten",
    breaks: "a worker run is started for each of tasks that come one by one",
    in: "UVDispatch/Engine/Engine+Worker.swift",
    .without("if !search.hasFound { core.workers.spinLimit.noteInVain(since: began) }"),
    suites: ["LeaseEndTests"]),
  Bug(
    "spin-limit.for-ever", breaks: "rule 12: worker runs that find nothing keep looking",
    in: "UVDispatch/Engine/Parts/SpinLimit.swift",
    .expression("length / 2", becomes: "length"),
    suites: ["SpinLimitTests"]),
  Bug(
    "spin-limit.none", breaks: "a worker run is started for each of tasks that come one by one",
    in: "UVDispatch/Engine/Parts/SpinLimit.swift",
    .expression("now - vainSince < Self.longest", becomes: "false"),
    suites: ["SpinLimitTests"]),
  Bug(
    "spin-limit.asked-for-nothing", breaks: "rule 12: a worker run looks that has no patience",
    in: "UVDispatch/Engine/Parts/SpinLimit.swift",
    .expression("length > 0", becomes: "true"),
    suites: ["SpinLimitTests"]),
  Bug(
    "spin-limit.stays",
    breaks: "a worker keeps a processor that it shares with a submitting thread",
    in: "UVDispatch/Engine/Parts/SpinLimit.swift",
    .expression("!leaves", becomes: "true"),
    suites: ["SpinLimitTests"]),
  Bug(
    "spin-limit.leaves-for-nothing",
    breaks: "a worker run leaves a processor that it has for itself",
    in: "UVDispatch/Engine/Parts/SpinLimit.swift",
    .expression("away > Self.longestAway", becomes: "away >= Self.longestAway"),
    suites: ["SpinLimitTests"]),
  Bug(
    "spin-limit.leaves-again",
    breaks: "a worker run is started for each task where all processors are busy",
    in: "UVDispatch/Engine/Parts/SpinLimit.swift",
    .expression(
      "now >= leftAt.addingClamped(Self.betweenLeaving)", becomes: "true"),
    suites: ["SpinLimitTests"]),
  Bug(
    "spin-limit.leaves-once", breaks: "a worker run that shares its processor again keeps it",
    in: "UVDispatch/Engine/Parts/SpinLimit.swift",
    .expression(
      "now >= leftAt.addingClamped(Self.betweenLeaving)", becomes: "leftAt == .min"),
    suites: ["SpinLimitTests"]),
  Bug(
    "spin-limit.unheard", breaks: "a worker run does not notice that it shares its processor",
    in: "UVDispatch/Engine/Engine+Worker.swift",
    .statement("away = lookForWork(core)", becomes: "_ = lookForWork(core)"),
    suites: ["LeaseEndTests"]),
  Bug(
    "spin.last-away-only", breaks: "a worker run does not notice that it shares its processor",
    in: "TaskDispatch/Platform/Spin.swift",
    .expression("max(away, now() - time)", becomes: "now() - time"),
    suites: ["SpinTests"]),
  Bug(
    "spin.keeps-processor",
    breaks: "rule 12: others wait for a processor on which a thread only spins",
    in: "TaskDispatch/Platform/Spin.swift",
    .without("giveWay()", within: "giveWay()\n    away = max"),
    suites: ["SpinTests"]),
  Bug(
    "spin.gives-way-at-the-end",
    breaks: "a worker run that has found nothing ends later than it has to",
    in: "TaskDispatch/Platform/Spin.swift",
    .expression("time >= end", becomes: "time > end"),
    suites: ["SpinTests"]),
]
