/// When a search for deadlocks is made, and which of the blocked threads it refuses or lets help.
let deadlockSearchBugs: [Bug] = standstillBugs + searchBugs + nestedBugs

private let standstillBugs = [
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
    .expression("waiter.deliveries - counted", becomes: "waiter.deliveries"),
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
  Bug(
    "search.barrier-unsuspected",
    breaks: "rule 14: a body waits for room behind a barrier that waits for it",
    in: "UVDispatch/Engine/Core/Core+Background.swift",
    .without("if isBarrier { blocked.suspectCircle() }"),
    suites: ["RoomTests"]),
]
