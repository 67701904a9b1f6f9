/// Threads that wait in `sync`, in `wait` and before a full queue, and what wakes them.
let waitingBugs: [Bug] = syncBugs + blockedBugs

private let syncBugs = [
  Bug(
    "sync.admitted-stays-counted", breaks: "rule 13: the drain waits for a caller that has gone on",
    in: "UVDispatch/UVDispatcher+Waiting.swift",
    .without("core.blocked.noticeAdmission()"),
    suites: ["ActorTests", "UVContractTests"]),
  Bug(
    "sync.outer-visible", breaks: "rule 4: what a helper runs believes to be on the helper's queue",
    in: "UVDispatch/UVDispatcher+Waiting.swift",
    .expression("true", becomes: "false", within: "hidesOuter: true"),
    suites: ["HelperFrameTests"]),
  Bug(
    "sync.refused-stays-queued",
    breaks: "rule 2: a caller that was told of a deadlock still stands in the queue",
    in: "UVDispatch/UVDispatcher+Waiting.swift",
    .expression("core.takeBack(task)", becomes: "true"),
    suites: ["HeartbeatTests"]),
  Bug(
    "sync.own-stack-ignored", breaks: "rule 14: sync on the queue of the caller waits for ever",
    in: "UVDispatch/UVDispatcher+Waiting.swift",
    .expression("isOnStack", becomes: "false", within: "if isOnStack ||"),
    suites: ["UVContractTests"]),
  Bug(
    "sync.rejected-unnoticed",
    breaks: "rule 13: a caller waits on after a shutdown has refused it",
    in: "UVDispatch/UVDispatcher+Waiting.swift",
    .expression("task.isRejected", becomes: "false"),
    suites: ["ShutdownWhileWaitingTests"]),
  Bug(
    "sync.share-not-given-back", breaks: "rule 4: a view of width 1 runs nothing more",
    in: "UVDispatch/Engine/Core/Core+Run.swift",
    .without("giveBackShare(of: task)", within: "giveBackShare(of: task)\n    task.hasRun = true"),
    suites: ["UVContractTests"]),
  Bug(
    "wait.end-not-noted", breaks: "rule 14: a thread that goes on is taken for one that waits",
    in: "UVDispatch/Engine/Tasks/RunningTask.swift",
    .without("isBlocked = false\n    waitsFor = nil"),
    suites: ["HeartbeatTests"]),
  Bug(
    "wait.time-out-ignored", breaks: "rule 2: a waiting thread is not told that the time is over",
    in: "UVDispatch/UVDispatcher+Waiting.swift",
    .expression("core.instant >= end", becomes: "false"),
    suites: ["UVContractTests"]),
  Bug(
    "wait.time-out-not-slept-for",
    breaks: "rule 2: a waiting thread sleeps on when its time is over",
    in: "UVDispatch/UVDispatcher+Waiting.swift",
    .expression("end", becomes: "nil", within: "engine.park(thread, until: end)"),
    suites: ["UVContractTests"]),
  Bug(
    "wait.member-unseen",
    breaks:
      "rule 14: a member of a group that comes into its queue during a search is taken for work elsewhere",
    in: "UVDispatch/UVDispatcher+Submitting.swift",
    .without("if item.isMember { notePostedMember() }"),
    suites: ["MemberOnItsWayTests"]),
  Bug(
    "wait.members-not-awaited", breaks: "rule 14: a thread that waits for a group is not counted",
    in: "UVDispatch/Engine/Engine+Blocking.swift",
    .without("doors.awaitingMembers.add(1, ordering: .sequentiallyConsistent)"),
    suites: ["MemberOnItsWayTests"]),
  Bug(
    "wait.mixed-group-unseen",
    breaks: "rule 14: the work that another dispatcher had in a group ends, and no search follows",
    in: "TaskDispatch/Work/WorkGroup.swift",
    .expression("isMixed", becomes: "false", within: "members == 0 || isMixed"),
    suites: ["MemberOnItsWayTests"]),
  Bug(
    "wait.leave-by-hand-unseen",
    breaks: "rule 14: the last entry by hand leaves a group, and no search follows",
    in: "TaskDispatch/Work/WorkGroup.swift",
    .expression("members == 0", becomes: "false", within: "members == 0 || isMixed"),
    suites: ["WayOutTests"]),
  Bug(
    "wait.callback-parks-unseen",
    breaks:
      "a callback waits for a group that no dispatcher knows, and its dispatcher does not know of that",
    in: "TaskDispatch/Work/WorkGroup.swift",
    .expression("TaskContext.deliverer", becomes: "nil"),
    suites: ["EndOfDeliveryTests"]),
  Bug(
    "telling.observers-kept",
    breaks: "what the observer of a group holds is released when the delivery is over",
    in: "TaskDispatch/Work/WorkGroup.swift",
    .statement("swap(&called, &observers)", becomes: "called = observers"),
    suites: ["EndOfDeliveryTests"]),
  Bug(
    "telling.group-observers-again",
    breaks: "rule 20: an observer of a group is called each time that the group empties",
    in: "TaskDispatch/Work/WorkGroup.swift",
    .without("state.observers = []"),
    suites: ["EndOfDeliveryTests"]),
  Bug(
    "wait.group-entered-again",
    breaks: "rule 2: a thread that waits for a group misses a short emptiness",
    in: "TaskDispatch/Work/WorkGroup.swift",
    .expression("$0.timesEmptied != time", becomes: "$0.count == 0"),
    suites: ["UndisturbedTests"]),
  Bug(
    "wait.fake-group-entered-again", breaks: "rule 2: in the fake, a wait misses a short emptiness",
    in: "TaskDispatchTesting/Engine/State+Waiting.swift",
    .expression("group.hasEmptied(since: time)", becomes: "false"),
    suites: ["WaitForGroupTests"]),
]

private let blockedBugs = [
  Bug(
    "blocked.admission-unflagged", breaks: "rule 2: an admitted caller of sync sleeps on",
    in: "UVDispatch/Engine/Waiting/BlockedThreads.swift",
    .without("flag(callerOf: caller)"),
    suites: ["UVContractTests"]),
  Bug(
    "blocked.room-unflagged", breaks: "rule 2: a thread that waits for room sleeps on",
    in: "UVDispatch/Engine/Waiting/BlockedThreads.swift",
    .without("flag(thread)", within: "thread.hasRoom = true\n    flag(thread)"),
    suites: ["UVContractTests"]),
  Bug(
    "blocked.outcome-unflagged", breaks: "rule 2: a thread that waits for an outcome sleeps on",
    in: "UVDispatch/Engine/Core/Core+Telling.swift",
    .without("if telling.isAwaited { blocked.flagWaiters(of: item) }"),
    suites: ["UVContractTests"]),
  Bug(
    "blocked.cancelled-unflagged",
    breaks: "rule 2: a thread that waits for an item sleeps on when that is cancelled",
    in: "UVDispatch/Engine/Engine.swift",
    .expression("!telling.isAwaited", becomes: "true"),
    suites: ["CancelRaceTests"]),
  Bug(
    "blocked.refused-again",
    breaks: "rule 14: a wait is refused because an earlier one was, whose object it uses",
    in: "UVDispatch/Engine/Waiting/BlockedThreads.swift",
    .without("thread.refusal = nil"),
    suites: ["CallbackTests"]),
  Bug(
    "blocked.foreground-unflagged", breaks: "rule 2: a caller of sync on the foreground sleeps on",
    in: "UVDispatch/Engine/Core/Core+Run.swift",
    .without("if task.lane == .foreground { blocked.flag(callerOf: task) }"),
    suites: ["UVContractTests"]),
  Bug(
    "blocked.group-unwoken", breaks: "rule 2: a thread that waits for a group sleeps on",
    in: "UVDispatch/Engine/Parts/DeferredCallbacks.swift",
    .without("item.wakeThreads(telling)"),
    suites: ["UVContractTests", "UndisturbedTests"]),
  Bug(
    "blocked.sleeper-unwoken", breaks: "invariant B: a thread that was flagged sleeps on",
    in: "UVDispatch/Engine/Engine.swift",
    .without("for sleeper in sleepers { sleeper.wake() }"),
    suites: ["UVContractTests"]),
  Bug(
    "blocked.nested-uncounted", breaks: "rule 14: a task in its own sync body counts as running",
    in: "UVDispatch/Engine/Core/Core+Callers.swift", .without("blocked.addTask()"),
    suites: ["StandstillTests", "WayOutTests"]),
  Bug(
    "blocked.nested-stays-counted",
    breaks: "rule 14: a task whose own sync body has ended counts as one that waits",
    in: "UVDispatch/Engine/Core/Core+Callers.swift", .without("blocked.removeTask()"),
    suites: ["RandomHistoryTests"]),
]
