/// Standing in `sync`, in `wait` and before a full queue, and who is told that it is in vain.
let waitingBugs: [Bug] = syncBugs + deadlockBugs + patienceBugs + circleBugs

private let syncBugs = [
  Bug(
    "sync.granted-stays-counted", breaks: "rule 13: the drain waits for a caller that has gone on",
    in: "UVDispatch/UVDispatcher+Waiting.swift",
    .without("core.blocked.admitted -= 1"),
    suites: ["ActorTests", "UVContractTests"]),
  Bug(
    "sync.does-not-help", breaks: "rule 14: a worker in sync does not run what stands before it",
    in: "UVDispatch/UVDispatcher+Waiting.swift",
    .expression("mayHelp", becomes: "false", within: "else if mayHelp"),
    suites: ["HelpedDeadlockTests"]),
  Bug(
    "sync.helper-counts-as-free", breaks: "rule 14: who helps is taken for one who goes on",
    in: "UVDispatch/UVDispatcher+Waiting.swift",
    .without("if task.isGranted { core.blocked.admittedWhileHelping += 1 }"),
    suites: ["HelpedDeadlockTests"]),
  Bug(
    "sync.helper-stays-counted",
    breaks: "rule 14: told of a deadlock although a caller's turn has come",
    in: "UVDispatch/UVDispatcher+Waiting.swift",
    .without("if task.isGranted { core.blocked.admittedWhileHelping -= 1 }"),
    suites: ["HelpingTests"]),
  Bug(
    "sync.helped-stays", breaks: "rule 14: who has helped once is taken for one who does for ever",
    in: "UVDispatch/UVDispatcher+Waiting.swift",
    .without("task.helped = nil"),
    suites: ["HelpingTests"]),
  Bug(
    "sync.helper-tells-nobody", breaks: "rule 14: those who wait do not look when a helper is done",
    in: "UVDispatch/UVDispatcher+Waiting.swift",
    .without("core.blocked.mustCheck = true"),
    suites: ["HelpingTests"]),
  Bug(
    "sync.outer-visible", breaks: "rule 4: what a helper runs believes to be on the helper's queue",
    in: "UVDispatch/UVDispatcher+Waiting.swift",
    .expression("true", becomes: "false", within: "hidesOuter: true"),
    suites: ["HelperFrameTests"]),
  Bug(
    "sync.refused-stays-queued",
    breaks: "rule 2: who was told of a deadlock still stands in the queue",
    in: "UVDispatch/UVDispatcher+Waiting.swift",
    .expression("core.takeBack(task)", becomes: "true"),
    suites: ["HeartbeatTests"]),
  Bug(
    "sync.own-stack-ignored", breaks: "rule 14: sync on the queue of the caller waits for ever",
    in: "UVDispatch/UVDispatcher+Waiting.swift",
    .expression("isOnStack", becomes: "false", within: "if isOnStack ||"),
    suites: ["UVContractTests"]),
  Bug(
    "sync.turned-away-unnoticed",
    breaks: "rule 13: a caller waits on after a shutdown has refused it",
    in: "UVDispatch/UVDispatcher+Waiting.swift",
    .expression("task.isTurnedAway", becomes: "false"),
    suites: ["ShutdownWhileWaitingTests"]),
  Bug(
    "sync.share-not-given-back", breaks: "rule 4: a view of width 1 runs nothing more",
    in: "UVDispatch/Engine/Core+Run.swift",
    .without("giveBackShare(of: task)", within: "giveBackShare(of: task)\n    var item: WorkItem?"),
    suites: ["UVContractTests"]),
  Bug(
    "wait.not-noted", breaks: "rule 14: who waits is taken for one who runs",
    in: "UVDispatch/UVDispatcher.swift",
    .without("caller?.beginWait(for: task)"),
    suites: ["HelpedDeadlockTests"]),
  Bug(
    "wait.end-not-noted", breaks: "rule 14: who goes on is taken for one who waits",
    in: "UVDispatch/Engine/QueuedTask.swift",
    .without("isBlocked = false\n    waitsFor = nil"),
    suites: ["HeartbeatTests"]),
  Bug(
    "wait.others-not-told", breaks: "rule 14: those who wait do not look when one more does",
    in: "UVDispatch/UVDispatcher.swift",
    .without(
      "monitor.tellOthers()",
      within: "core.blocked.loopWaitsInCallback = true }\n      monitor.tellOthers()"),
    suites: ["LastToGoOnTests"]),
  Bug(
    "wait.time-out-ignored", breaks: "rule 2: who waits is not told that the time is over",
    in: "UVDispatch/UVDispatcher+Waiting.swift",
    .expression("core.instant >= end", becomes: "false"),
    suites: ["UVContractTests"]),
  Bug(
    "wait.group-unnoticed", breaks: "rule 2: who waits for a group sleeps over its end",
    in: "TaskDispatch/Work/WorkGroup.swift",
    .without("for monitor in told.monitors { monitor.tell() }"),
    suites: ["WaitForOthersTests"]),
  Bug(
    "wait.item-unnoticed", breaks: "rule 2: who waits for an item sleeps over its end",
    in: "UVDispatch/UVDispatcher+Waiting.swift",
    .without("item.whenFinished(tell: monitor)"),
    suites: ["UndisturbedTests", "UVContractTests"]),
  Bug(
    "wait.item-watched-often", breaks: "rule 17: an item holds something of each wait that gave up",
    in: "TaskDispatch/Work/WorkItem.swift",
    .expression("before & Phase.isAwaited == 0", becomes: "true"),
    suites: ["UndisturbedTests"]),
  Bug(
    "wait.group-watched-often",
    breaks: "rule 17: a group holds something of each wait that gave up",
    in: "TaskDispatch/Work/WorkGroup.swift",
    .expression("!state.monitors.contains(where: { $0 === monitor })", becomes: "true"),
    suites: ["UndisturbedTests"]),
  Bug(
    "wait.group-entered-again",
    breaks: "rule 2: who waits for a group sleeps over a short emptiness",
    in: "TaskDispatch/Work/WorkGroup.swift",
    .expression("$0.timesEmptied != time", becomes: "$0.count == 0"),
    suites: ["UndisturbedTests"]),
  Bug(
    "wait.fake-group-entered-again", breaks: "rule 2: in the fake, a wait misses a short emptiness",
    in: "TaskDispatchTesting/Engine/State+Waiting.swift",
    .expression("group.hasEmptied(since: time)", becomes: "false"),
    suites: ["WaitForGroupTests"]),
  Bug(
    "wait.no-room-after-the-drain",
    breaks: "rule 13: a body that waits for room sleeps after the drain",
    in: "UVDispatch/Engine/Core+Shutdown.swift",
    .without(
      "blocked.mustCheck = true",
      within: "// Nor do bodies any more.\n      blocked.mustCheck = true"),
    suites: ["WaitersMustLookTests"]),
  Bug(
    "wait.disturbed", breaks: "who waits is woken by each task that comes or goes",
    in: "UVDispatch/UVDispatcher.swift",
    .expression(
      "core.waitersMustLook", becomes: "true", within: "monitor.isAwaited && core.waitersMustLook"),
    suites: ["UndisturbedTests"]),
  Bug(
    "wait.room-unnoticed", breaks: "rule 10: who waits for room sleeps while there is some",
    in: "UVDispatch/Engine/Core+Submit.swift",
    .without(
      "blocked.mustCheck = true",
      within: "return enqueue(waiting)\n    }\n    blocked.mustCheck = true"),
    suites: ["UVContractTests", "FullQueueTests"]),
  Bug(
    "wait.sync-unnoticed",
    breaks: "rule 2: who stands in sync sleeps when the loop has run the body",
    in: "UVDispatch/Engine/Core+Run.swift",
    .without("if task.lane == .foreground { blocked.mustCheck = true }"),
    suites: ["UVContractTests"]),
  Bug(
    "wait.turned-away-unnoticed",
    breaks: "rule 13: who stands in sync sleeps when it is turned away",
    in: "UVDispatch/Engine/Core+Shutdown.swift",
    .without(
      "blocked.mustCheck = true",
      within: "caller.isTurnedAway = true\n      blocked.mustCheck = true"),
    suites: ["ShutdownWhileWaitingTests"]),
  Bug(
    "wait.no-room-any-more", breaks: "rule 13: who waits for room sleeps when none will come",
    in: "UVDispatch/Engine/Core+Shutdown.swift",
    .without("blocked.mustCheck = true", within: "blocked.mustCheck = true\n    closeInboxes()"),
    suites: ["ShutdownWhileWaitingTests", "FullQueueTests", "UVContractTests"]),
  Bug(
    "wait.alone-and-asleep", breaks: "rule 14: a body that waits sleeps when the last other ends",
    in: "UVDispatch/Engine/Core+Waiting.swift",
    .expression("standing == 1 && !somethingRuns", becomes: "false"),
    suites: ["WaitersMustLookTests"]),
  Bug(
    "wait.circle-unseen", breaks: "rule 14: bodies that wait for each other hang while others run",
    in: "UVDispatch/Engine/Core+Waiting.swift",
    .expression("standing > 1", becomes: "false"),
    suites: ["WaitersMustLookTests"]),
  Bug(
    "wait.callback-unseen", breaks: "rule 14: a callback that waits hangs when the last body ends",
    in: "UVDispatch/Engine/Core+Waiting.swift",
    .expression("blocked.loopWaitsInCallback ? 1 : 0", becomes: "0"),
    suites: ["WaitersMustLookTests"]),
  Bug(
    "wait.helper-asleep", breaks: "rule 14: who could help its own queue does not look",
    in: "UVDispatch/UVDispatcher.swift",
    .expression("looksAtAll ? 1 : 0", becomes: "0"),
    suites: ["LooksAtAllTests", "ShutdownWhileWaitingTests"]),
  Bug(
    "wait.helper-undisturbed", breaks: "rule 14: who could help its own queue sleeps on",
    in: "UVDispatch/UVDispatcher+Waiting.swift",
    .expression("mayHelp", becomes: "false", within: "park(looksAtAll: mayHelp)"),
    suites: ["HelpingTests"]),
  Bug(
    "wait.looker-asleep", breaks: "who looks at each change misses those of who begins to wait",
    in: "UVDispatch/UVDispatcher.swift",
    .without("if core.blocked.checkingAlways > 0 { monitor.tellOthers() }"),
    suites: ["LooksAtAllTests"]),
  Bug(
    "waiting.members-unknown", breaks: "rule 14: a wait for a group's own tasks never ends",
    in: "UVDispatch/Engine/Core+Waiting.swift",
    .without("forEachReady(look)"),
    suites: ["GroupMemberTests"]),
  Bug(
    "waiting.members-run", breaks: "rule 14: bodies that wait for their group wait for ever",
    in: "UVDispatch/Engine/Core+Waiting.swift",
    .without("running.forEach(look)"),
    suites: ["GroupMemberTests"]),
  Bug(
    "waiting.members-without-room",
    breaks: "rule 14: who waits for those without room hangs",
    in: "UVDispatch/Engine/Core+Waiting.swift",
    .without("for item in withoutRoom { look(task(for: item)) }"),
    suites: ["GroupMemberTests"]),
  Bug(
    "waiting.members-abandoned", breaks: "rule 14: a deadlock is told of that is none",
    in: "UVDispatch/Engine/Core+Waiting.swift",
    .expression("!task.isAbandoned", becomes: "true", within: "=== group, !task.isAbandoned"),
    suites: ["GroupMemberTests"]),
  Bug(
    "waiting.members-suspended", breaks: "rule 14: told of a deadlock that a resume would end",
    in: "UVDispatch/Engine/Core+Waiting.swift",
    .expression(
      "!poolView(task.view).queue.isSuspended", becomes: "true",
      within: "!task.isAbandoned, !poolView(task.view).queue.isSuspended"),
    suites: ["GroupMemberTests"]),
]

private let deadlockBugs = [
  Bug(
    "deadlock.granted-ignored",
    breaks: "rule 14: told of a deadlock although a caller's turn has come",
    in: "UVDispatch/Engine/Core+Waiting.swift",
    .expression("blocked.admitted > blocked.admittedWhileHelping", becomes: "false"),
    suites: ["ActorTests"]),
  Bug(
    "deadlock.helpers-count", breaks: "rule 14: not told of a deadlock that waits for itself below",
    in: "UVDispatch/Engine/Core+Waiting.swift",
    .expression("blocked.admitted > blocked.admittedWhileHelping", becomes: "blocked.admitted > 0"),
    suites: ["HelpedDeadlockTests"]),
  Bug(
    "deadlock.idle-loop-ignored",
    breaks: "rule 14: told of a deadlock although nobody runs the loop yet",
    in: "UVDispatch/Engine/Core+Waiting.swift",
    .expression("!loopRuns", becomes: "false"),
    suites: ["WayOutTests"]),
  Bug(
    "deadlock.running-ignored", breaks: "rule 14: told of a deadlock although a body runs",
    in: "UVDispatch/Engine/Core+Waiting.swift",
    .expression("running.contains(where: { !$0.isBlocked })", becomes: "false"),
    suites: ["ProgressTests"]),
  Bug(
    "deadlock.pool-ignored", breaks: "rule 14: told of a deadlock although a worker is free",
    in: "UVDispatch/Engine/Core+Waiting.swift",
    .expression("pool.canStart(now: { [clock] in clock.now })", becomes: "false"),
    suites: ["ProgressTests"]),
  Bug(
    "deadlock.helper-asleep",
    breaks: "rule 14: told of a deadlock although a helper is about to wake",
    in: "UVDispatch/Engine/Core+Waiting.swift",
    .expression("running.contains(where: mayHelp)", becomes: "false"),
    suites: ["HelperAsleepTests"]),
  Bug(
    "deadlock.foreground-ignored", breaks: "rule 14: told of a deadlock although the loop has work",
    in: "UVDispatch/Engine/Core+Waiting.swift",
    .expression("hasForeground", becomes: "false"),
    suites: ["ProgressTests"]),
  Bug(
    "deadlock.hidden-by-timers", breaks: "rule 14: not told of a deadlock while a timer is pending",
    in: "UVDispatch/Engine/Core+Waiting.swift",
    .expression("hasForeground", becomes: "hasForeground || !timers.isEmpty"),
    suites: ["StandstillTests"]),
  Bug(
    "deadlock.loop-taken-for-free", breaks: "rule 14: the loop waits for itself for ever",
    in: "UVDispatch/Engine/Core+Waiting.swift",
    .expression("!running.contains { $0.lane == .foreground && !$0.isAbandoned }", becomes: "true"),
    suites: ["ProgressTests"]),
  Bug(
    "deadlock.suspended-counts", breaks: "rule 14: told of a deadlock that an outsider may resume",
    in: "UVDispatch/Engine/Core+Waiting.swift",
    .expression("poolView(caller.view).queue.isSuspended", becomes: "false"),
    suites: ["HelperAsleepTests", "HeartbeatTests"]),
  Bug(
    "deadlock.circles-only", breaks: "rule 14: not told of a deadlock in which no circle shows",
    in: "UVDispatch/Engine/Core+Waiting.swift",
    .expression(
      "!canProgress", becomes: "false", within: "return !canProgress || canNeverEnd(caller)"),
    suites: ["WayOutTests"]),
  Bug(
    "deadlock.wait-for-itself", breaks: "rule 14: a body waits for its own outcome for ever",
    in: "UVDispatch/Engine/Core+Waiting.swift",
    .expression("TaskFrame.stack.contains(where: { $0.item === item })", becomes: "false"),
    suites: ["WayOutTests"]),
  Bug(
    "deadlock.own-group", breaks: "rule 14: a body waits for its own group for ever",
    in: "UVDispatch/Engine/Core+Waiting.swift",
    .expression("TaskFrame.stack.contains(where: { $0.item?.group === group })", becomes: "false"),
    suites: ["WayOutTests"]),
  Bug(
    "deadlock.limit-unnoticed",
    breaks: "rule 14: a body waits for ever for room that only it could make",
    in: "UVDispatch/UVDispatcher+Submitting.swift",
    .expression("!core.canProgress", becomes: "false"),
    suites: ["FullQueueTests"]),
]

private let patienceBugs = [
  Bug(
    "deadlock.time-out-ignored", breaks: "rule 14: told of a deadlock that a time-out would end",
    in: "UVDispatch/UVDispatcher.swift",
    .expression("!mayTimeOut", becomes: "true"),
    suites: ["WayOutTests"]),
  Bug(
    "deadlock.group-without-timers",
    breaks: "rule 14: told of a deadlock although a timer's body may leave the group",
    in: "UVDispatch/Engine/Core+Waiting.swift",
    .expression("timers.isEmpty", becomes: "true", within: "&& timers.isEmpty"),
    suites: ["WayOutTests"]),
  Bug(
    "deadlock.item-in-a-suspended-view",
    breaks: "rule 14: told of a deadlock that an outsider may resume",
    in: "UVDispatch/Engine/Core+Waiting.swift",
    .expression(
      "!poolView(task.view).queue.isSuspended", becomes: "true",
      within: "!canProgress && !poolView(task.view).queue.isSuspended"),
    suites: ["WayOutTests"]),
]

private let circleBugs = [
  Bug(
    "circle.unseen", breaks: "rule 14: a circle waits for ever while a timer ticks",
    in: "UVDispatch/Engine/Core+Waiting.swift",
    .expression(
      "canNeverEnd(caller)", becomes: "false", within: "return !canProgress || canNeverEnd(caller)"),
    suites: ["HeartbeatTests"]),
  Bug(
    "circle.room-ignored", breaks: "rule 14: told of a circle although the view has room",
    in: "UVDispatch/Engine/Core+Waiting.swift",
    .expression("before.count >= view.queue.width", becomes: "true"),
    suites: ["CircleTests"]),
  Bug(
    "circle.one-is-enough", breaks: "rule 14: told of a circle although one of the view goes on",
    in: "UVDispatch/Engine/Core+Waiting.swift",
    .expression(
      "before.allSatisfy(isStuck)", becomes: "before.contains(where: isStuck)",
      within: "&& before.allSatisfy(isStuck)"),
    suites: ["CircleTests"]),
  Bug(
    "circle.waiting-barrier-ignored",
    breaks: "rule 14: a circle that a waiting barrier closes is not seen",
    in: "UVDispatch/Engine/Core+Waiting.swift",
    .expression("isFenced", becomes: "false", within: "if isFenced, before"),
    suites: ["CircleTests"]),
  Bug(
    "circle.cancellable-barrier-counts",
    breaks: "rule 14: told of a circle through a barrier that may be cancelled",
    in: "UVDispatch/Engine/Core+Waiting.swift",
    .expression("!$0.isItem", becomes: "true"),
    suites: ["StandstillTests"]),
  Bug(
    "circle.barrier-as-plain", breaks: "rule 14: a circle through a barrier is not seen",
    in: "UVDispatch/Engine/Core+Waiting.swift",
    .expression("task.isBarrier", becomes: "false"),
    suites: ["CircleTests"]),
  Bug(
    "circle.queued-counts",
    breaks: "rule 14: told of a circle through a task that can be cancelled",
    in: "UVDispatch/Engine/Core+Waiting.swift",
    .expression("task.isCaller", becomes: "true", within: "guard task.isCaller"),
    suites: ["CircleTests"]),
  Bug(
    "circle.granted-counts",
    breaks: "rule 14: told of a circle that a granted turn is about to break",
    in: "UVDispatch/Engine/Core+Waiting.swift",
    .expression("!task.isGranted", becomes: "true"),
    suites: ["CircleTests"]),
  Bug(
    "circle.helper-ignored", breaks: "rule 14: a circle through what a helper runs is not seen",
    in: "UVDispatch/Engine/Core+Waiting.swift",
    .expression("canNeverEnd(helped, waitedForBy: path + [task])", becomes: "false"),
    suites: ["CircleTests"]),
  Bug(
    "circle.suspended-counts",
    breaks: "rule 14: told of a circle through a view that an outsider may resume",
    in: "UVDispatch/Engine/Core+Waiting.swift",
    .expression(
      "view.queue.isSuspended", becomes: "false", within: "if view.queue.isSuspended { return"),
    suites: ["CircleTests"]),
  Bug(
    "circle.run-counts", breaks: "rule 14: told of a circle through a caller whose body has run",
    in: "UVDispatch/Engine/Core+Waiting.swift",
    .expression("!task.hasRun", becomes: "true"),
    suites: ["CircleTests"]),
  Bug(
    "circle.turned-away-counts",
    breaks: "rule 14: told of a circle through a caller that was refused",
    in: "UVDispatch/Engine/Core+Waiting.swift",
    .expression("!task.isTurnedAway", becomes: "true"),
    suites: ["CircleTests"]),
]
