/// Threads that wait in `sync`, in `wait` and before a full queue, and which of them are told that the
/// wait is in vain.
let waitingBugs: [Bug] =
  syncBugs + deadlockBugs + blockedBugs + searchBugs + nestedBugs + tellingBugs

private let syncBugs = [
  Bug(
    "sync.granted-stays-counted", breaks: "rule 13: the drain waits for a caller that has gone on",
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
    "sync.turned-away-unnoticed",
    breaks: "rule 13: a caller waits on after a shutdown has refused it",
    in: "UVDispatch/UVDispatcher+Waiting.swift",
    .expression("task.isRejected", becomes: "false"),
    suites: ["ShutdownWhileWaitingTests"]),
  Bug(
    "sync.share-not-given-back", breaks: "rule 4: a view of width 1 runs nothing more",
    in: "UVDispatch/Engine/Core/Core+Run.swift",
    .without("giveBackShare(of: task)", within: "giveBackShare(of: task)\n    var item: WorkItem?"),
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

private let deadlockBugs = [
  Bug(
    "deadlock.pool-ignored", breaks: "rule 14: told of a deadlock although a worker is free",
    in: "UVDispatch/Engine/Core/Core+Waiting.swift",
    .expression("mayStart", becomes: "false"),
    suites: ["WayOutTests", "StandstillTests"]),
  Bug(
    "deadlock.foreground-ignored", breaks: "rule 14: told of a deadlock although the loop has work",
    in: "UVDispatch/Engine/Core/Core+Waiting.swift",
    .expression("hasForeground", becomes: "false"),
    suites: ["WayOutTests", "StandstillTests"]),
  Bug(
    "deadlock.hidden-by-timers", breaks: "rule 14: not told of a deadlock while a timer is pending",
    in: "UVDispatch/Engine/Core/Core+Waiting.swift",
    .expression("hasForeground", becomes: "hasForeground || timers.nextDeadline != nil"),
    suites: ["StandstillTests"]),
]

private let blockedBugs = [
  Bug(
    "blocked.admission-unflagged", breaks: "rule 2: an admitted caller of sync sleeps on",
    in: "UVDispatch/Engine/Waiting/BlockedThreads.swift",
    .without("flag(callerOf: caller)"),
    suites: ["UVContractTests"]),
  Bug(
    "blocked.room-unflagged", breaks: "rule 2: a thread that waits for room sleeps on",
    in: "UVDispatch/Engine/Core/Core+Submit.swift",
    .without("blocked.flagThoseWithoutRoom()"), suites: ["UVContractTests"]),
  Bug(
    "blocked.outcome-unflagged", breaks: "rule 2: a thread that waits for an outcome sleeps on",
    in: "UVDispatch/Engine/Core/Core+Telling.swift",
    .without("if telling.isAwaited { blocked.flagWaiters(of: item) }"),
    suites: ["UVContractTests"]),
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
    "blocked.nested-uncounted", breaks: "rule 14: a task in its own sync body counts as running",
    in: "UVDispatch/Engine/Core/Core+Callers.swift", .without("blocked.addTask()"),
    suites: ["StandstillTests", "WayOutTests"]),
]

private let searchBugs = [
  Bug(
    "search.width-ignored", breaks: "rule 14: a circle in a queue is not found",
    in: "UVDispatch/Engine/Waiting/DeadlockSearch.swift",
    .expression("dead >= view.queue.width", becomes: "false"),
    suites: ["DeadlockSearchTests", "UVContractTests"]),
  Bug(
    "search.busy-caller-ignored",
    breaks: "rule 14: a circle through a caller whose thread does something else is found late",
    in: "UVDispatch/Engine/Waiting/DeadlockSearch.swift",
    .expression("isFirst", becomes: "true", within: "isFirst ? 0 : countDeadCallers"),
    suites: ["DeadlockSearchTests"]),
  Bug(
    "search.busy-caller-no-link",
    breaks:
      "rule 14: a thread is refused that is in no circle, where one leads through a busy caller",
    in: "UVDispatch/Engine/Waiting/DeadlockSearch+Answer.swift",
    .expression("queues[queue]?.busyCallers.first { !$0.isLive }", becomes: "nil"),
    suites: ["DeadlockSearchTests"]),
  Bug(
    "search.refuses-what-runs",
    breaks: "rule 14: a thread is refused whose body runs, and asks again without end",
    in: "UVDispatch/Engine/Waiting/DeadlockSearch+Answer.swift",
    .statement(
      "if case .admission(let caller) = thread.target, core.isRunning(caller) { return false }",
      becomes: ""),
    suites: ["DeadlockSearchTests"]),
  Bug(
    "search.busy-caller-for-ever",
    breaks: "rule 14: a wait is refused behind a caller whose thread comes back",
    in: "UVDispatch/Engine/Waiting/DeadlockSearch.swift",
    .without(
      "if thread.isBusy, case .admission(let caller) = thread.target { lookAgain(caller.queue) }"),
    suites: ["DeadlockSearchTests"]),
  Bug(
    "search.barrier-as-plain", breaks: "rule 14: a circle through a barrier is not found",
    in: "UVDispatch/Engine/Waiting/DeadlockSearch.swift",
    .expression("isBarrier || isFenced", becomes: "isFenced"),
    suites: ["DeadlockSearchTests"]),
  Bug(
    "search.fence-ignored", breaks: "rule 14: a circle behind a barrier is not found",
    in: "UVDispatch/Engine/Waiting/DeadlockSearch.swift",
    .expression("isBarrier || isFenced", becomes: "isBarrier"),
    suites: ["DeadlockSearchTests"]),
  Bug(
    "search.loop-is-free", breaks: "rule 14: a body of the loop that waits for the loop hangs it",
    in: "UVDispatch/Engine/Waiting/DeadlockSearch.swift",
    .expression("!threads.contains(where: \\.isLoop)", becomes: "true"),
    suites: ["DeadlockSearchTests", "WaitsOnTheLoopTests"]),
  Bug(
    "search.queued-in-a-circle",
    breaks: "rule 14: a wait for a task that has not started is refused while others go on",
    in: "UVDispatch/Engine/Waiting/DeadlockSearch.swift",
    .without(
      "if circlesOnly { return nil }", within: "    if circlesOnly { return nil }\n    switch item"),
    suites: ["DeadlockSearchTests"]),
  Bug(
    "search.by-hand-ignored", breaks: "rule 14: a wait for a group entered by hand is refused",
    in: "UVDispatch/Engine/Waiting/AwaitedGroups.swift",
    .without(
      "if group.count > groups[name]!.all.count { groups[name]!.all = running[name]! }"),
    suites: ["DeadlockSearchTests"]),
  Bug(
    "search.without-room-unknown",
    breaks: "rule 14: a group is waited for with a member that waits for room behind the wait",
    in: "UVDispatch/Engine/Waiting/AwaitedGroups.swift",
    .without("add(.withoutRoom(item), of: item)"),
    suites: ["UVContractTests"]),
  Bug(
    "search.end-closes-no-circle",
    breaks: "rule 14: a circle that the end of a body closes stays",
    in: "UVDispatch/Engine/Core/Core+Background.swift",
    .expression("mayHoldUpCallers(of: task.view)", becomes: "false"),
    suites: ["VerdictTests", "HeartbeatTests", "HelpedDeadlockTests"]),
  Bug(
    "search.any-victim", breaks: "rule 14: a thread is refused that is in no circle",
    in: "UVDispatch/Engine/Waiting/DeadlockSearch+Answer.swift",
    .expression("$0.number < $1.number", becomes: "$0.number > $1.number"),
    suites: ["DeadlockSearchTests"]),
  Bug(
    "search.flagged-ignored", breaks: "rule 14: refused, although its wait has an end",
    in: "UVDispatch/Engine/Core/Core+Waiting.swift",
    .expression("blocked.flagged == 0", becomes: "true"), suites: ["DeadlockSearchTests"]),
  Bug(
    "search.running-ignored", breaks: "rule 14: refused, although a body goes on",
    in: "UVDispatch/Engine/Core/Core+Waiting.swift",
    .expression("running.count == blocked.tasks", becomes: "true"),
    suites: ["DeadlockSearchTests"]),
  Bug(
    "search.no-help",
    breaks: "rule 14: a saturated pool refuses a sync that a worker could bring on",
    in: "UVDispatch/Engine/Core/Core+Waiting.swift",
    .without("helper.mayHelp = true"), suites: ["HelpingTests", "HelperFrameTests"]),
]

/// Waits on top of other waits: in observers and callbacks.
private let nestedBugs = [
  Bug(
    "nested.parked-not-busy", breaks: "rule 14: an observer that waits for its own thread hangs",
    in: "UVDispatch/Engine/Engine+Blocking.swift",
    .without(
      "core.blocked.beginBusy(thread)", within: "core.blocked.beginBusy(thread)\n      unlock()"),
    suites: ["ObserverThatWaitsTests"]),
  Bug(
    "nested.outer-not-searched", breaks: "rule 14: a thread without a task waits for itself",
    in: "UVDispatch/Engine/Waiting/BlockedThreads.swift",
    .without("if let outer, !outer.isSearched, !outer.mayTimeOut { search(outer) }"),
    suites: ["DeadlockSearchTests"]),
  Bug(
    "nested.deliveries-twice",
    breaks: "rule 14: a callback that is in two waits hides a standstill",
    in: "UVDispatch/Engine/Waiting/BlockedThreads.swift",
    .expression("standing.deliveries - counted", becomes: "standing.deliveries"),
    suites: ["DeadlockSearchTests"]),
  Bug(
    "search.run-without-a-share",
    breaks: "rule 14: a sync waits for the run of a callback, which finds no share of the pool",
    in: "UVDispatch/Engine/Waiting/DeadlockSearch.swift",
    .expression("!core.workers.isFull(busy: core.busyWorkers)", becomes: "true"),
    suites: ["HelpingTests", "DeadlockSearchTests"]),
  Bug(
    "search.callback-brings-a-worker",
    breaks: "rule 14: a wait goes on for a callback, whose run finds no share of the pool after it",
    in: "UVDispatch/Engine/Waiting/DeadlockSearch.swift",
    .expression("thread.tasks.contains { $0.runner == .worker }", becomes: "true"),
    suites: ["DeadlockSearchTests"]),
  Bug(
    "search.helper-goes-on",
    breaks: "rule 14: a circle is not seen while one of its threads helps with a task",
    in: "UVDispatch/Engine/Waiting/DeadlockSearch.swift",
    .statement(
      "noteHelper(thread)", becomes: "return true",
      within: "noteHelper(thread)\n    }\n    let blocker"),
    suites: ["DeadlockSearchTests"]),
  Bug(
    "search.helper-helps-once",
    breaks: "rule 14: a sync is refused although the thread that helps would help again",
    in: "UVDispatch/Engine/Waiting/DeadlockSearch.swift",
    .without("noteHelper(thread)", within: "noteHelper(thread)\n    }\n    let blocker"),
    suites: ["DeadlockSearchTests"]),
  Bug(
    "search.helps-in-vain", breaks: "rule 14: a worker helps, and the circle stays",
    in: "UVDispatch/Engine/Core/Core+Waiting.swift",
    .expression(
      "search.dead.first(where: { !$0.isBusy })",
      becomes:
        "unaided.contains(where: mayHelp) ? nil : search.dead.first(where: { !$0.isBusy })"),
    suites: ["DeadlockSearchTests"]),
  Bug(
    "search.one-refusal-only", breaks: "rule 14: of two circles that one event closes, one stays",
    in: "UVDispatch/Engine/Waiting/BlockedThreads.swift",
    .without("if thread.wasRefused { mayCloseCircle = true }"),
    suites: ["DeadlockSearchTests"]),
  Bug(
    "nested.fence-unseen", breaks: "rule 14: a sync behind a barrier is not seen to need a worker",
    in: "TaskDispatch/Policy/ReadyQueue+Barriers.swift",
    .expression("before.map { divide(of: $0, index) } ?? head", becomes: "head"),
    suites: ["PrecededInReadyQueueTests"]),
  Bug(
    "nested.beyond-the-fence", breaks: "rule 14: refused for a task that stands behind a barrier",
    in: "TaskDispatch/Policy/ReadyQueue+Barriers.swift",
    .expression(
      "after.map { divide(of: $0, index) } ?? bands[index].ring.tail",
      becomes: "bands[index].ring.tail"),
    suites: ["PrecededInReadyQueueTests"]),
]

private let tellingBugs = [
  Bug(
    "telling.with-the-next", breaks: "rule 20: a worker that calls back holds the next task",
    in: "UVDispatch/Engine/Engine+Bodies.swift",
    .expression("told.isNothing", becomes: "true", within: "guard told.isNothing else"),
    suites: ["UVContractTests"]),
  Bug(
    "telling.in-a-context",
    breaks: "rule 20: a callback on a worker's thread is in a task's context",
    in: "UVDispatch/Engine/Engine.swift",
    .expression("true", becomes: "false", within: "unlock(outsideTasks: true)"),
    suites: ["UVContractTests", "HelperFrameTests"]),
  Bug(
    "telling.share-kept",
    breaks: "rule 20: a callback that takes its time keeps its share of the pool",
    in: "UVDispatch/Engine/Engine.swift",
    .without("if isWorker { core.workers.beginTelling() }"), suites: ["RunsOfCallbacksTests"]),
  Bug(
    "telling.share-never-back", breaks: "rule 4: after a callback more bodies run than the width",
    in: "UVDispatch/Engine/Engine.swift",
    .without("if isWorker { core.workers.endTelling() }"), suites: ["RunsOfCallbacksTests"]),
  Bug(
    "telling.batch-unwoken",
    breaks: "rule 20: the first callback of a batch holds back a waiting thread",
    in: "UVDispatch/Engine/Engine.swift",
    .without("for note in notes { note.wake() }"), suites: ["UVContractTests"]),
  Bug(
    "telling.batch-unresumed", breaks: "rule 20: a Task that awaits one of a batch waits on",
    in: "UVDispatch/Engine/Engine.swift",
    .without("for note in notes { note.resume() }"), suites: ["UVContractTests"]),
  Bug(
    "telling.one-unresumed", breaks: "rule 20: a Task that awaits an outcome waits on",
    in: "UVDispatch/Engine/Engine.swift",
    .without("note.resume()", within: "note.resume()\n        if isEnding"),
    suites: ["UVContractTests"]),
  Bug(
    "telling.tasks-with-threads",
    breaks:
      "rule 13: the executor of a Task keeps the deadline's own thread from its next deadline",
    in: "UVDispatch/Engine/Engine.swift",
    .statement(
      "for note in notes { note.wake() }",
      becomes: "for note in notes {\nnote.wake()\nnote.resume()\n}"),
    .without("for note in notes { note.resume() }"), suites: ["ExecutorsThatWaitTests"]),
  Bug(
    "telling.ending-unresumed",
    breaks: "rule 20: a Task that awaits an item waits on when that is taken out",
    in: "UVDispatch/Engine/Engine.swift",
    .without(
      "item.resume(outcome, telling)", within: "item.resume(outcome, telling)\n      item.tell"),
    suites: ["UVContractTests"]),
  Bug(
    "telling.ending-unwoken",
    breaks: "rule 20: a thread that waits for a group waits on when its last is taken out",
    in: "UVDispatch/Engine/Engine.swift",
    .without("item.wakeThreads(telling)", within: "item.wakeThreads(telling)\n      item.resume"),
    suites: ["WaitForOthersTests"]),
  Bug(
    "telling.fake-batch-unresumed",
    breaks: "rule 20: a Task that awaits an outcome of a fake waits on",
    in: "TaskDispatchTesting/RecordingDispatcher.swift",
    .without(
      "for ending in callbacks.endings { ending.item.resume(ending.outcome, ending.telling) }"),
    suites: ["ContractFakeTests"]),
  Bug(
    "telling.fake-batch-unwoken",
    breaks:
      "rule 2: a thread that waits elsewhere for a group sleeps on when a fake has emptied it",
    in: "TaskDispatchTesting/RecordingDispatcher.swift",
    .without(
      "for ending in callbacks.endings { ending.item.wakeThreads(ending.telling) }"),
    suites: ["WaitForOthersTests"]),
  Bug(
    "telling.quiet-observed",
    breaks: "rule 20: an observer that came while the body ran is not told",
    in: "TaskDispatch/Work/WorkItem.swift",
    .expression(
      "Phase.all | Phase.isWatched | Phase.isAwaited", becomes: "Phase.all | Phase.isAwaited"),
    suites: ["UVContractTests"]),
  Bug(
    "telling.quiet-awaited",
    breaks: "rule 14: a blocked thread is not told that its task has ended",
    in: "TaskDispatch/Work/WorkItem.swift",
    .expression(
      "Phase.all | Phase.isWatched | Phase.isAwaited", becomes: "Phase.all | Phase.isWatched"),
    suites: ["UVContractTests"]),
  Bug(
    "telling.quiet-object",
    breaks: "rule 20: a value is released by a worker that holds the next task",
    in: "TaskDispatch/Work/WorkItem.swift",
    .expression("!marks.contains(.makesObject)", becomes: "true"),
    suites: ["UVContractTests"]),
  Bug(
    "telling.quiet-member", breaks: "rule 11: a task that ends stays in its group",
    in: "TaskDispatch/Work/WorkItem.swift",
    .expression("!isMember", becomes: "true"),
    suites: ["UVContractTests"]),
]
