/// Every step by which a thread that brings work finds a thread that runs it.
let wakingBugs: [Bug] =
  inboxBugs + windowBugs + notifyingBugs + workerRunBugs + loopSearchBugs + iterationBugs
  + unlockingBugs + parkingBugs

private let inboxBugs = [
  Bug(
    "inbox.holds-nothing", breaks: "rule 2: no thread that looks sees what was posted",
    in: "UVDispatch/Engine/Doors/Inbox.swift",
    .expression(
      "state.value.entries.isEmpty", becomes: "false", within: "if state.value.entries.isEmpty {"),
    suites: ["InboxTests", "RunTests"]),
  Bug(
    "inbox.stale-flag", breaks: "invariant of the inbox: it says that it holds what was drained",
    in: "UVDispatch/Engine/Doors/Inbox.swift",
    .without(
      "signs.value.holdsEntries.store(false, ordering: .relaxed)",
      within: """
            state.value.holdsItems = false
            signs.value.holdsEntries.store(false, ordering: .relaxed)
        """),
    suites: ["InboxTests"]),
  Bug(
    "inbox.never-drained",
    breaks: "invariant A: no consumer is notified of an inbox that none drains",
    in: "UVDispatch/Engine/Doors/Inbox.swift",
    .expression("mayNotify", becomes: "false", within: "let mustNotify = mayNotify"),
    suites: ["InboxTests", "RunTests"]),
  Bug(
    "inbox.not-notified", breaks: "invariant A: it holds something and is not notified",
    in: "UVDispatch/Engine/Doors/Inbox.swift",
    .expression("signs.value.notifications.load(ordering: .relaxed) + 1", becomes: "0"),
    suites: ["InboxTests", "HelpedDeadlockTests"]),
  Bug(
    "inbox.notifying-not-counted",
    breaks: "the loop is closed under a thread that is about to wake it",
    in: "UVDispatch/Engine/Doors/Inbox.swift",
    .without("state.value.notifying += 1"),
    suites: ["ClosingTests"]),
  Bug(
    "inbox.notifying-not-counted-down", breaks: "rule 13: the loop never ends",
    in: "UVDispatch/Engine/Doors/Inbox.swift",
    .without("state.value.notifying -= 1"),
    suites: ["ClosingTests", "RunTests"]),
  Bug(
    "inbox.closer-not-told", breaks: "rule 13: the closer waits for a thread that has gone",
    in: "UVDispatch/Engine/Doors/Inbox.swift",
    .expression(
      "!state.value.isOpen", becomes: "false",
      within: "notifying -= 1\n    return !state.value.isOpen"),
    suites: ["ClosingTests"]),
  Bug(
    "inbox.idle-while-full", breaks: "invariant A: it goes idle although it holds something",
    in: "UVDispatch/Engine/Doors/Inbox.swift",
    .expression(
      "state.value.entries.isEmpty", becomes: "true",
      within: "guard state.value.entries.isEmpty, views.value.isEmpty"),
    suites: ["InboxTests", "GoingIdleTests", "WakingTests"]),
  Bug(
    "inbox.never-idle", breaks: "rule 2: the next post notifies no consumer",
    in: "UVDispatch/Engine/Doors/Inbox.swift",
    .without("signs.value.notifications.store(0, ordering: .relaxed)"),
    suites: ["InboxTests", "GoingIdleTests", "WakingTests"]),
  Bug(
    "inbox.takes-in-when-closed", breaks: "invariant C and rule 13: the gate is not closed",
    in: "UVDispatch/Engine/Doors/Inbox.swift",
    .without(
      "state.value.isOpen = false\n",
      within:
        "func close() {\n    state.lock()\n    defer { state.unlock() }\n    state.value.isOpen = false\n"
    ),
    suites: ["InboxTests", "RunUntilIdleTests"]),
]

/// Stores that come after the lock was released. The window between the two is held open, so that a
/// test need not be lucky.
private let windowBugs = [
  Bug(
    "window.flag-cleared-late",
    breaks: "rule 2: no thread sees what is posted while another drains",
    in: "UVDispatch/Engine/Doors/Inbox.swift",
    .statement(
      "signs.value.holdsEntries.store(false, ordering: .relaxed)",
      becomes: """
        state.unlock()
        holdWindowOpen()
        signs.value.holdsEntries.store(false, ordering: .relaxed)
        state.lock()
        """,
      within: """
            state.value.holdsItems = false
            signs.value.holdsEntries.store(false, ordering: .relaxed)
        """),
    suites: ["InboxTests"]),
  Bug(
    "window.left-late",
    breaks: "invariant A: what is posted while another goes idle is not notified",
    in: "UVDispatch/Engine/Doors/Inbox.swift",
    .statement(
      "signs.value.notifications.store(0, ordering: .relaxed)",
      becomes: """
        state.unlock()
        holdWindowOpen()
        signs.value.notifications.store(0, ordering: .relaxed)
        state.lock()
        """),
    suites: ["InboxTests"]),
]

private let notifyingBugs = [
  Bug(
    "notify.no-wake", breaks: "rule 2: the loop sleeps over what was posted",
    in: "UVDispatch/Engine/Engine.swift",
    .without("loop.wake()", within: "loop.wake()\n      isClosed"),
    suites: ["GoingIdleTests", "StartTests", "WakingTests"]),
  Bug(
    "notify.wakes-uncounted",
    breaks: "the loop is closed under a thread that is about to wake it for its post",
    in: "UVDispatch/Engine/Engine.swift",
    .without("loop.wake()", within: "loop.wake()\n      isClosed"),
    .expression(
      "doors.foreground.hasNotified()",
      becomes: """
        {
          let isClosed = doors.foreground.hasNotified()
          loop.wake()
          return isClosed
        }()
        """),
    suites: ["ClosingTests"]),
  Bug(
    "notify.no-look", breaks: "invariant I: no worker run is started for what was posted",
    in: "UVDispatch/Engine/Engine.swift",
    .without("requestWorker()", within: "requestWorker()\n      isClosed"),
    suites: ["GoingIdleTests", "GoodCitizenTests"]),
  Bug(
    "notify.closer-not-woken", breaks: "rule 13: the closer sleeps on",
    in: "UVDispatch/Engine/Engine.swift",
    .without("if isClosed { letBlockedThreadsCheck() }"),
    suites: ["ClosingTests"]),
]

private let iterationBugs = [
  Bug(
    "iteration.foreground-ignored", breaks: "invariant W: the loop is not woken for a task",
    in: "UVDispatch/Engine/Core/Core+Reconciling.swift",
    .expression(
      "hasForeground", becomes: "false", within: "loop.isWanted || hasForeground"),
    suites: ["ActorTests"]),
  Bug(
    "iteration.deadline-ignored", breaks: "invariant W: the loop is not woken for an earlier timer",
    in: "UVDispatch/Engine/Parts/LoopWakeups.swift",
    .expression("deadline < timerIsSetFor", becomes: "false"),
    suites: ["LoopWakeupsTests", "CancelRaceTests"]),
  Bug(
    "iteration.deadline-always-new", breaks: "the loop is woken for each timer that is set",
    in: "UVDispatch/Engine/Parts/LoopWakeups.swift",
    .expression("deadline < timerIsSetFor", becomes: "true"),
    suites: ["LoopWakeupsTests"]),
  Bug(
    "iteration.timer-taken-for-set",
    breaks: "invariant W: the loop is not woken for a timer, once an earlier one has come",
    in: "UVDispatch/Engine/Engine+Iteration.swift",
    .statement(
      "core.loop.timerIsSetFor = next",
      becomes: "if next < .max { core.loop.timerIsSetFor = next }"),
    suites: ["EventLoopTests", "UVContractTests"]),
  Bug(
    "iteration.comes-twice", breaks: "the loop takes a turn more for each that sets a timer",
    in: "UVDispatch/Engine/Parts/LoopWakeups.swift",
    .expression("mustBeTold", becomes: "true", within: "mustBeTold, deadline < timerIsSetFor"),
    suites: ["LoopWakeupsTests"]),
  Bug(
    "iteration.wish-ignored", breaks: "invariant W: the loop is not woken for a shutdown",
    in: "UVDispatch/Engine/Core/Core+Reconciling.swift",
    .expression(
      "loop.isWanted", becomes: "false", within: "loop.isWanted || hasForeground"),
    suites: ["BudgetTests", "CancelRaceTests"]),
  Bug(
    "iteration.woken-after-the-end", breaks: "a loop that was closed is woken",
    in: "UVDispatch/Engine/Parts/LoopWakeups.swift",
    .without("state = .over"),
    suites: ["LateJobTests", "CancelRaceTests"]),
  Bug(
    "iteration.in-flight-not-counted",
    breaks: "the loop is closed under a thread that is about to wake it",
    in: "UVDispatch/Engine/Parts/LoopWakeups.swift",
    .without("inFlight += 1"),
    suites: ["ClosingTests"]),
  Bug(
    "iteration.inbox-not-drained", breaks: "rule 2: the loop does not look into its inbox",
    in: "UVDispatch/Engine/Core/Core+Foreground.swift",
    .without("drainForeground()", within: "drainForeground() }\n    while let entry"),
    suites: ["RunTests"]),
  Bug(
    "iteration.never-idle",
    breaks: "rule 2: the loop sleeps, and the next post notifies no consumer",
    in: "UVDispatch/Engine/Engine+Iteration.swift",
    .expression("!doors.foreground.tryGoIdle()", becomes: "false"),
    suites: ["GoingIdleTests", "WakingTests"]),
  Bug(
    "iteration.second-look-ignored",
    breaks: "rule 2: what came between the look and the going idle is lost",
    in: "UVDispatch/Engine/Engine+Iteration.swift",
    .expression("!doors.foreground.tryGoIdle()", becomes: "!doors.foreground.tryGoIdle() && false"),
    suites: ["GoingIdleTests", "WakingTests"]),
  Bug(
    "iteration.does-not-come-round", breaks: "rule 2: what is over the budget waits for ever",
    in: "UVDispatch/Engine/Engine+Iteration.swift",
    .without("loop.comesRoundAgain(again)"),
    suites: ["BudgetTests"]),
  Bug(
    "iteration.timer-not-set", breaks: "rule 8: a timer never comes",
    in: "UVDispatch/Engine/Engine+Iteration.swift",
    .without("setTimer(core)", within: "if !again { setTimer(core) }"),
    suites: ["EventLoopTests", "DueTimerTests"]),
  Bug(
    "iteration.stays-due", breaks: "invariant W: no thread wakes a loop that has gone to sleep",
    in: "UVDispatch/Engine/Engine+Iteration.swift",
    .statement(
      "core.loop.endIteration(again: again)", becomes: "core.loop.endIteration(again: true)"),
    suites: ["ActorTests"]),
  Bug(
    "iteration.no-budget", breaks: "rule 11: a task that re-posts itself starves descriptors",
    in: "UVDispatch/Engine/Engine+Iteration.swift",
    .expression("left > 0", becomes: "true"),
    .expression(
      "run(consume begun, in: loopContext, core, within: &budget, left: &left)",
      becomes: "(run(consume begun, in: loopContext, core, within: &budget, left: &left) && false)"),
    suites: ["BudgetTests"]),
]

private let unlockingBugs = [
  Bug(
    "unlock.no-worker-run", breaks: "invariant L: the worker run that is due is not started",
    in: "UVDispatch/Engine/Engine.swift",
    .without("WorkerRuns.start { dispatcher.engine.work() }"),
    suites: ["UVContractTests"]),
  Bug(
    "unlock.no-wake", breaks: "invariant W: the wake-up that is due is not made",
    in: "UVDispatch/Engine/Engine.swift",
    .without("loop.wake()", within: "loop.wake()\n    lock()"),
    suites: ["ActorTests"]),
  Bug(
    "unlock.wake-spans-callbacks",
    breaks: "rule 13: a callback that does not return keeps the loop from its end",
    in: "UVDispatch/Engine/Engine.swift",
    .statement("if wakes { wakeLoop() }", becomes: "if wakes { loop.wake() }"),
    .statement(
      "if let contents = contents.take() { deliver(contents, outsideTasks: outsideTasks, isEnding) }",
      becomes: """
        if let contents = contents.take() { deliver(contents, outsideTasks: outsideTasks, isEnding) }
        if wakes { wakeLoop() }
        """),
    suites: ["StuckCallbackTests"]),
  Bug(
    "unlock.wake-stays-in-flight", breaks: "rule 13: the loop never ends",
    in: "UVDispatch/Engine/Engine.swift",
    .without("core.loop.endWake()"),
    suites: ["RunTests"]),
  Bug(
    "unlock.delivery-stays-counted", breaks: "rule 13: the loop never ends",
    in: "UVDispatch/Engine/Doors/Doors.swift",
    .without("threads.subtract(1, ordering: .sequentiallyConsistent)"),
    suites: ["RunTests", "UVContractTests"]),
  Bug(
    "unlock.end-of-delivery-unnoticed",
    breaks: "rule 2: a thread that waits for an outcome waits for ever",
    in: "UVDispatch/Engine/Doors/Doors.swift",
    .expression("parties.load(ordering: .sequentiallyConsistent) > 0", becomes: "false"),
    suites: ["DeliveryTests", "EndOfDeliveryTests"]),
  Bug(
    "unlock.end-of-delivery-always-told", breaks: "a third section of the lock for each handle",
    in: "UVDispatch/Engine/Doors/Doors.swift",
    .expression("parties.load(ordering: .sequentiallyConsistent) > 0", becomes: "true"),
    suites: ["DeliveryTests"]),
  Bug(
    "unlock.waiter-uncounted", breaks: "rule 2: a thread that waits for an outcome waits for ever",
    in: "UVDispatch/Engine/Engine+Blocking.swift",
    .without("doors.callbackCounts.addParty()"),
    suites: ["EndOfDeliveryTests"]),
  Bug(
    "unlock.waiter-counted-for-ever", breaks: "a third section of the lock for each handle",
    in: "UVDispatch/Engine/Engine+Blocking.swift",
    .without("doors.callbackCounts.removeParty()"),
    suites: ["EndOfDeliveryTests"]),
  Bug(
    "unlock.shutdown-uncounted",
    breaks: "rule 13: the loop does not learn that all waiters were told",
    in: "UVDispatch/Engine/Core/Core+Shutdown.swift",
    .without("doors.callbackCounts.addParty()"),
    suites: ["DeliveryTests", "EndOfDeliveryTests"]),
  Bug(
    "unlock.leaver-uncounted", breaks: "runUntilIdle() does not learn that all waiters were told",
    in: "UVDispatch/Engine/Core/Core+Ending.swift",
    .without("leaves ? doors.callbackCounts.addParty() : doors.callbackCounts.removeParty()"),
    suites: ["DeliveryTests", "EndOfDeliveryTests"]),
  Bug(
    "unlock.delivery-unnoticed",
    breaks: "rule 13: the loop does not learn that all waiters were told",
    in: "UVDispatch/Engine/Engine.swift",
    .without(
      "core.loop.want()",
      within: "else { return free() }\n    core.loop.want()"),
    suites: ["RunUntilIdleTests", "RunTests"]),
]

private let parkingBugs = [
  Bug(
    "park.keeps-the-worker-run",
    breaks: "invariant L: a thread blocks before it starts the worker run that is due",
    in: "UVDispatch/Engine/Engine+Blocking.swift",
    .expression(
      "core.workers.hasPending", becomes: "false",
      within: "if core.workers.hasPending || core.loop.hasPending"),
    suites: ["ParkTests"]),
  Bug(
    "park.keeps-the-wake",
    breaks: "invariant W: a thread blocks before it sends the wake-up that is due",
    in: "UVDispatch/Engine/Engine+Blocking.swift",
    .expression(
      "core.loop.hasPending", becomes: "false",
      within: "if core.workers.hasPending || core.loop.hasPending"),
    suites: ["ParkTests"]),
  Bug(
    "park.keeps-the-sleeper",
    breaks: "invariant B: a thread blocks before it wakes another that it has flagged",
    in: "UVDispatch/Engine/Engine+Blocking.swift",
    .expression("core.blocked.mustWake", becomes: "false"),
    suites: ["ParkTests"]),
]
