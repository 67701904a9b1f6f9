/// The short way of plain bodies, and the locks under it: it must not differ from the long way.
let fastPathBugs: [Bug] =
  successorBugs + takeOverBugs + allotmentBugs + lockBugs + enterBugs + endingBugs + reuseBugs

private let successorBugs = [
  Bug(
    "batch.flush-ignored", breaks: "a flush waits for a body that has ended",
    in: "UVDispatch/Engine/Core/Core+Batches.swift",
    .expression(
      "running.hasFlushes || context.mustEndAlone", becomes: "context.mustEndAlone"),
    suites: ["TakingSuccessorsTests", "BatchTests"]),
  Bug(
    "batch.timers-ignored", breaks: "rule 11: what was posted keeps timers from running",
    in: "UVDispatch/Engine/Core/Core+Foreground.swift",
    .without("if foreground.due.hasStartable { return nil }"),
    suites: ["DueTimerTests", "BatchTests"]),
  Bug(
    "batch.not-counted", breaks: "rule 1: the ledger does not know of a body that ran",
    in: "UVDispatch/Engine/Parts/Accounts.swift",
    .without("ledger.completed += 1", within: "ledger.completed += 1\n    ledger.waiting"),
    suites: ["BatchTests"]),
  Bug(
    "batch.waits-for-ever", breaks: "rule 1: the ledger believes that a body waits that ran",
    in: "UVDispatch/Engine/Parts/Accounts.swift",
    .without(
      "ledger.waiting -= 1", within: "ledger.completed += 1\n    ledger.waiting -= 1"),
    suites: ["BatchTests"]),
  Bug(
    "batch.same-task", breaks: "rule 16: two bodies have one number",
    in: "UVDispatch/Engine/Tasks/RunningTask.swift",
    .without(
      "self.id = id", within: "self.id = id\n    enqueuedAtIfAny = time"),
    suites: ["BatchTests"]),
  Bug(
    "batch.same-place", breaks: "rule 16: a body believes that it was posted elsewhere",
    in: "UVDispatch/Engine/Tasks/BatchContext.swift",
    .without("adopt(plainAt: site)"),
    suites: ["BatchTests"]),
  Bug(
    "batch.no-hint", breaks: "rule 5: a searching worker is not told of what may start",
    in: "UVDispatch/Engine/Core/Core+Batches.swift",
    .without("if workers.areSearching { hintToSearchers() }"),
    suites: ["TakingSuccessorsTests"]),
  Bug(
    "batch.no-budget", breaks: "rule 11: a task that re-posts itself starves descriptors",
    in: "UVDispatch/Engine/Engine+Bodies.swift",
    .expression("left > 0", becomes: "true", within: "!isUsedUp, left > 0"),
    suites: ["BudgetTests"]),
  Bug(
    "batch.no-time", breaks: "rule 12: a worker run does not return its thread",
    in: "UVDispatch/Engine/Engine+Bodies.swift",
    .expression("!isUsedUp", becomes: "true"),
    suites: ["BudgetTests", "GoodCitizenTests"]),
]

private let takeOverBugs = [
  Bug(
    "take-over.turns-ignored", breaks: "rule 5: one view's tasks go before all others'",
    in: "TaskDispatch/Policy/PoolOrder.swift",
    .without("if usesTokens { return nil }"),
    suites: ["TakeOverTests"]),
  Bug(
    "take-over.callers-ignored", breaks: "rule 5: a worker passes a caller over",
    in: "TaskDispatch/Policy/ViewQueue.swift",
    .expression(
      "callersWaiting == 0", becomes: "true",
      within: "guard callersWaiting == 0, suspensions == 0, heldTokens.isEmpty"),
    suites: ["TakeOverTests"]),
  Bug(
    "take-over.suspended", breaks: "a suspended background starts another task",
    in: "TaskDispatch/Policy/ViewQueue.swift",
    .expression(
      "suspensions == 0", becomes: "true",
      within: "guard callersWaiting == 0, suspensions == 0, heldTokens.isEmpty"),
    suites: ["TakeOverTests"]),
  Bug(
    "take-over.bands-ignored", breaks: "rule 5: a lower band goes before a higher one",
    in: "TaskDispatch/Policy/ReadyQueue.swift",
    .expression(
      "hasOneStartableBand", becomes: "true", within: "startableBands != 0, hasOneStartableBand"),
    suites: ["TakeOverTests"]),
  Bug(
    "take-over.not-asked", breaks: "a task is taken for a plain body",
    in: "TaskDispatch/Platform/Ring.swift",
    .expression(
      "isWanted(&slots![head & mask]!)", becomes: "(isWanted(&slots![head & mask]!) || true)"),
    suites: ["TakeOverTests"]),
]

private let allotmentBugs = [
  Bug(
    "budget.without-end", breaks: "rule 12: nothing is ever used up",
    in: "UVDispatch/Engine/TimeBudget.swift",
    .expression("time >= end", becomes: "false"),
    suites: ["TimeBudgetTests"]),
  Bug(
    "budget.looks-ever-less", breaks: "rule 12: long bodies run unseen",
    in: "UVDispatch/Engine/TimeBudget.swift",
    .expression("min(Self.mostUnseen, stride * 2)", becomes: "stride * 2"),
    suites: ["TimeBudgetTests"]),
  Bug(
    "budget.all-are-short", breaks: "rule 12: long bodies run unseen",
    in: "UVDispatch/Engine/TimeBudget.swift",
    .expression("time - lastLook < short", becomes: "true"),
    suites: ["TimeBudgetTests"]),
  Bug(
    "budget.from-the-start", breaks: "the clock is read after each of many short bodies",
    in: "UVDispatch/Engine/TimeBudget.swift",
    .without("lastLook = time"),
    suites: ["TimeBudgetTests"]),
  Bug(
    "budget.counts-on", breaks: "the clock is read after each of many short bodies",
    in: "UVDispatch/Engine/TimeBudget.swift",
    .without("unseen = 0", within: "unseen = 0\n    lastLook = time"),
    suites: ["TimeBudgetTests"]),
]

private let lockBugs = [
  Bug(
    "lock.sleeper-unmarked", breaks: "a thread sleeps for ever over a lock that is free",
    in: "TaskDispatch/Platform/WordLock.swift",
    .expression(
      "word.exchange(2, ordering: .acquiring)", becomes: "word.exchange(1, ordering: .acquiring)"),
    suites: ["WordLockTests"]),
  Bug(
    "lock.nobody-woken", breaks: "a thread sleeps for ever over a lock that is free",
    in: "TaskDispatch/Platform/WordLock.swift",
    .without("bench.wakeAll()"),
    suites: ["WordLockTests"]),
  Bug(
    "lock.lets-two-in", breaks: "two threads are under one lock",
    in: "TaskDispatch/Platform/WordLock.swift",
    .expression("!isMine", becomes: "false", within: "if !isMine { lockSlowly() }"),
    suites: ["WordLockTests"]),
  Bug(
    "monitor.freed-early", breaks: "a wake is lost on its way between the lock and the sleep",
    in: "TaskDispatch/Platform/Monitor.swift",
    .statement(
      "bench.lock()\n    gate.unlock()",
      becomes: "gate.unlock()\n    holdWindowOpen()\n    bench.lock()"),
    suites: ["MonitorTests"]),
  Bug(
    "monitor.nobody-woken", breaks: "the thread that frees the lock tells no waiter",
    in: "TaskDispatch/Platform/Monitor.swift",
    .expression("isNews", becomes: "false", within: "if isNews"),
    suites: ["MonitorTests"]),
  Bug(
    "monitor.tells-nobody", breaks: "a thread that changes something and waits tells no waiter",
    in: "TaskDispatch/Platform/Monitor.swift",
    .expression("isAwaited", becomes: "false", within: "if isAwaited {"),
    suites: ["MonitorTests"]),
]

private let enterBugs = [
  Bug(
    "enter.order-ignored", breaks: "rule 3: sync goes before what was submitted before it",
    in: "TaskDispatch/Policy/ViewQueue.swift",
    .expression("ready.isEmpty", becomes: "true", within: "guard ready.isEmpty, room > 0"),
    suites: ["EnterTests"]),
  Bug(
    "enter.width-ignored", breaks: "rule 4: sync runs beside more than the width",
    in: "TaskDispatch/Policy/ViewQueue.swift",
    .expression("room > 0", becomes: "true", within: "guard ready.isEmpty, room > 0"),
    suites: ["EnterTests"]),
  Bug(
    "enter.barrier-not-alone", breaks: "rule 6: a barrier by sync runs beside others",
    in: "TaskDispatch/Policy/ViewQueue.swift",
    .expression(
      "!isBarrier || running == 0", becomes: "true", within: "room > 0, !isBarrier || running == 0"),
    suites: ["EnterTests"]),
  Bug(
    "enter.barrier-unknown", breaks: "rule 6: others run beside a barrier by sync",
    in: "TaskDispatch/Policy/ViewQueue.swift",
    .without("runsBarrier = isBarrier", within: "onCallers += 1\n    runsBarrier = isBarrier"),
    suites: ["EnterTests"]),
  Bug(
    "enter.not-counted", breaks: "rule 4: others run beside a sync on a serial queue",
    in: "TaskDispatch/Policy/ViewQueue.swift",
    .without("onCallers += 1", within: "onCallers += 1\n    runsBarrier = isBarrier"),
    suites: ["EnterTests"]),
  Bug(
    "enter.inbox-ignored", breaks: "rule 3: sync goes before what was posted before it",
    in: "UVDispatch/Engine/Core/Core+Background.swift",
    .without(
      "drainWhatPrecedes(on: .background, in: view)",
      within: "drainWhatPrecedes(on: .background, in: view)\n    return background.pool.enter"),
    suites: ["EnteringTests"]),
  Bug(
    "enter.in-a-shutdown", breaks: "rule 13: sync is let in after a shutdown began",
    in: "UVDispatch/Engine/Core/Core+Callers.swift",
    .expression("!closing.hasBegun", becomes: "true"),
    suites: ["EnteringTests"]),
  Bug(
    "enter.on-the-foreground", breaks: "rule 4: a body of the foreground runs on another thread",
    in: "UVDispatch/UVDispatcher+Waiting.swift",
    .expression(
      "queue.lane == .background", becomes: "true", within: "!isOnStack, queue.lane == .background"),
    suites: ["EnteringTests"]),
  Bug(
    "enter.on-its-own-stack", breaks: "rule 14: sync on the queue of the caller goes in twice",
    in: "UVDispatch/UVDispatcher+Waiting.swift",
    .expression("!isOnStack", becomes: "true", within: "if !isOnStack, queue.lane"),
    suites: ["UVContractTests"]),
  Bug(
    "enter.not-accepted", breaks: "rule 2: the ledger does not balance",
    in: "UVDispatch/Engine/Core/Core+Callers.swift", .without("accounts.accept()"),
    suites: ["EnteringTests"]),
  Bug(
    "enter.not-running", breaks: "rule 13: a shutdown ends while the body of a caller runs",
    in: "UVDispatch/Engine/Core/Core+Callers.swift", .without("countStart(of: context)"),
    suites: ["EnteringTests"]),
  Bug(
    "enter.unobserved", breaks: "an observer does not hear of a sync",
    in: "UVDispatch/Engine/Core/Core+Callers.swift", .without("tell(.enqueued, context)"),
    suites: ["EnteringTests"]),
  Bug(
    "enter.start-unobserved", breaks: "an observer does not hear of the start of a sync",
    in: "UVDispatch/Engine/Core/Core+Callers.swift", .without("tellStart(of: context)"),
    suites: ["EnteringTests"]),
  Bug(
    "enter.end-unobserved", breaks: "an observer does not hear of the end of a sync",
    in: "UVDispatch/Engine/Core/Core+Callers.swift",
    .without("tell(.finished(.completed), context)"),
    suites: ["EnteringTests"]),
  Bug(
    "enter.told-late", breaks: "rule 16: an observer hears of a sync when its body has run",
    in: "UVDispatch/UVDispatcher+Waiting.swift",
    .expression("core.callbacks.isEmpty", becomes: "true", within: "if core.callbacks.isEmpty {"),
    suites: ["EnteringTests"]),
  Bug(
    "enter.share-kept", breaks: "rule 4: a view that a caller has left runs nothing more",
    in: "UVDispatch/Engine/Core/Core+Callers.swift", .without("giveBackShare(of: context)"),
    suites: ["EnteringTests"]),
  Bug(
    "enter.runs-for-ever", breaks: "rule 13: a shutdown gives up a caller that has left long ago",
    in: "UVDispatch/Engine/Core/Core+Callers.swift",
    .without("running.remove(context)"),
    suites: ["EnteringTests"]),
  Bug(
    "enter.loop-not-told", breaks: "runUntilIdle() does not notice that the last sync has ended",
    in: "UVDispatch/Engine/Core/Core+Callers.swift", .without("if leavesWhenIdle { loop.want() }"),
    suites: ["EnteringTests"]),
  Bug(
    "enter.shutdown-not-told", breaks: "rule 13: a shutdown waits for a sync that has ended",
    in: "UVDispatch/Engine/Core/Core+Callers.swift", .without("endedPlain(context)"),
    suites: ["EnteringTests"]),
  Bug(
    "enter.not-completed", breaks: "rule 2: the ledger does not balance",
    in: "UVDispatch/Engine/Core/Core+Callers.swift", .without("accounts.end(.completed)"),
    suites: ["EnteringTests"]),
  Bug(
    "enter.context-shared", breaks: "a thread that looks at a caller sees another one",
    in: "UVDispatch/Engine/Parts/RunningTasks.swift",
    .expression("isKnownUniquelyReferenced(&context)", becomes: "true"),
    suites: ["EnteringTests"]),
  Bug(
    "enter.view-kept", breaks: "rule 17: a former caller of sync keeps its view alive",
    in: "UVDispatch/Engine/Parts/RunningTasks.swift", .without("context.leaveView()"),
    suites: ["EnteringTests"]),
  Bug(
    "enter.former-parent", breaks: "a caller is shown as the child of another's parent",
    in: "UVDispatch/Engine/Tasks/RunningTask.swift",
    .without("parentIfAny = parent ?? 0"),
    suites: ["EnteringTests"]),
  Bug(
    "enter.caller-unknown", breaks: "rule 4: the share of a caller is never given back",
    in: "UVDispatch/Engine/Tasks/QueuedTask.swift",
    .without("runner = .caller"),
    suites: ["EnteringTests"]),
  Bug(
    "enter.barrier-for-ever", breaks: "rule 6: nothing starts behind a barrier that has ended",
    in: "UVDispatch/Engine/Tasks/QueuedTask.swift",
    .without("ranAsBarrier = isBarrier"),
    suites: ["EnteringTests"]),
]

private let endingBugs = [
  Bug(
    "withdraw.counted-nowhere", breaks: "rule 2: the ledger does not know of what was cancelled",
    in: "UVDispatch/Engine/Core/Core+Cancelling.swift",
    .without("countEnd(of: item, .cancelled)"),
    suites: ["UVContractTests", "WaitingItemTests"]),
  Bug(
    "withdraw.delivery-uncounted",
    breaks: "rule 13: a shutdown is over before all were told of a cancellation",
    in: "UVDispatch/Engine/Engine.swift",
    .without(
      "doors.callbackCounts.begin()",
      within: "doors.callbackCounts.begin()\n    free()"),
    suites: ["EndOfDeliveryTests"]),
  Bug(
    "withdraw.end-of-delivery-unnoticed",
    breaks: "rule 13: the loop does not learn that all were told of a cancellation",
    in: "UVDispatch/Engine/Engine.swift",
    .without(
      "unlockDelivered()",
      within:
        "item.tell(outcome, telling)\n    }\n    guard doors.callbackCounts.end() else { return }\n    lock()\n    unlockDelivered()"
    ),
    suites: ["EndOfDeliveryTests"]),
  Bug(
    "withdraw.no-worker-run",
    breaks: "invariant L: no worker starts what a cancellation has set free",
    in: "UVDispatch/Engine/Engine.swift",
    .expression(
      "!core.workers.hasPending", becomes: "true", within: "guard !core.workers.hasPending"),
    suites: ["WithdrawingTests"]),
]
