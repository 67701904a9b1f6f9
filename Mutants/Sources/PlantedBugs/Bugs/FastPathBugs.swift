/// One plain body after the other, and the locks under it: what must not differ from the long way.
let fastPathBugs: [Bug] =
  successorBugs + takeOverBugs + takeOverInViewBugs + turnBugs + plainInViewBugs + allotmentBugs
  + lockBugs + enterBugs + reuseBugs

private let successorBugs = [
  Bug(
    "successor.flush-ignored", breaks: "a flush waits for a body that has ended",
    in: "UVDispatch/Engine/Core+Run.swift",
    .expression("flushes.isEmpty", becomes: "true", within: "guard flushes.isEmpty"),
    suites: ["SuccessorTests"]),
  Bug(
    "successor.timers-ignored", breaks: "rule 11: what was posted keeps timers from running",
    in: "UVDispatch/Engine/Core+Run.swift",
    .without("if due.hasStartable { return nil }"),
    suites: ["DueTimerTests", "SuccessorTests"]),
  Bug(
    "successor.not-counted", breaks: "rule 1: the ledger does not know of a body that ran",
    in: "UVDispatch/Engine/Core+Run.swift",
    .without("ledger.completed += 1"),
    suites: ["SuccessorTests"]),
  Bug(
    "successor.waits-for-ever", breaks: "rule 1: the ledger believes that a body waits that ran",
    in: "UVDispatch/Engine/Core+Run.swift",
    .without(
      "ledger.waiting -= 1", within: "ledger.completed += 1\n    ledger.waiting -= 1"),
    suites: ["SuccessorTests"]),
  Bug(
    "successor.same-task", breaks: "rule 16: two bodies have one number",
    in: "UVDispatch/Engine/QueuedTask.swift",
    .without(
      "self.id = id", within: "hold(plainAt: site)\n    self.id = id\n    enqueuedAt = time"),
    suites: ["SuccessorTests"]),
  Bug(
    "successor.same-place", breaks: "rule 16: a body believes that it was posted elsewhere",
    in: "UVDispatch/Engine/QueuedTask.swift",
    .without(
      "hold(plainAt: site)", within: "hold(plainAt: site)\n    self.id = id\n    enqueuedAt = time"),
    suites: ["SuccessorTests"]),
  Bug(
    "successor.no-hint", breaks: "rule 5: who searches is not told of what may start",
    in: "UVDispatch/Engine/Core+Run.swift",
    .without("if searching > 0 { hintToSearchers() }"),
    suites: ["TakingSuccessorsTests"]),
  Bug(
    "successor.no-budget", breaks: "rule 11: a task that re-posts itself starves descriptors",
    in: "UVDispatch/UVDispatcher.swift",
    .expression("left > 0", becomes: "true"),
    suites: ["BudgetTests"]),
  Bug(
    "successor.no-time", breaks: "rule 12: a lease does not return its thread",
    in: "UVDispatch/UVDispatcher.swift",
    .expression("!isUsedUp", becomes: "true"),
    suites: ["BudgetTests", "GoodCitizenTests"]),
]

private let takeOverBugs = [
  Bug(
    "take-over.turns-ignored", breaks: "rule 5: one view's tasks go before all others'",
    in: "TaskDispatch/Policy/PoolOrder.swift",
    .without("if usesTurns { return nil }"),
    suites: ["TakeOverTests"]),
  Bug(
    "take-over.callers-ignored", breaks: "rule 5: a worker passes a caller over",
    in: "TaskDispatch/Policy/ViewQueue.swift",
    .expression(
      "callersWaiting == 0", becomes: "true",
      within: "guard callersWaiting == 0, suspensions == 0, heldTurns.isEmpty"),
    suites: ["TakeOverTests"]),
  Bug(
    "take-over.suspended", breaks: "a suspended background starts another task",
    in: "TaskDispatch/Policy/ViewQueue.swift",
    .expression(
      "suspensions == 0", becomes: "true",
      within: "guard callersWaiting == 0, suspensions == 0, heldTurns.isEmpty"),
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

private let takeOverInViewBugs = [
  Bug(
    "take-over.view-passes-background",
    breaks: "rule 5: a view goes before what the background has",
    in: "TaskDispatch/Policy/PoolOrder.swift",
    .expression("!background.isEmpty", becomes: "false"),
    suites: ["TakeOverTwinTests", "TakeOverTests"]),
  Bug(
    "take-over.view-passes-views", breaks: "rule 5: a view goes before others that hold turns",
    in: "TaskDispatch/Policy/PoolOrder.swift",
    .expression("viewsWithTurns > 1", becomes: "false", within: "(viewsWithTurns > 1 ||"),
    suites: ["TakeOverTwinTests", "TakeOverTests"]),
  Bug(
    "take-over.turns-of-another", breaks: "rule 5: a view goes before the only other",
    in: "TaskDispatch/Policy/PoolOrder.swift",
    .expression("!view.holdsTurns", becomes: "false", within: "|| !view.holdsTurns)"),
    suites: ["TakeOverTwinTests", "TakeOverTests"]),
  Bug(
    "take-over.turn-too-many", breaks: "a view holds a turn for a task that has started",
    in: "TaskDispatch/Policy/ViewQueue.swift",
    .expression(
      "ready.onlyStartable > heldTurns.count",
      becomes: "ready.onlyStartable >= max(1, heldTurns.count)"),
    suites: ["TakeOverTwinTests"]),
  Bug(
    "take-over.turn-ages-on", breaks: "rule 7: a turn comes of age that nobody passed over since",
    in: "TaskDispatch/Policy/PoolOrder.swift",
    .without("turns.renew()"),
    suites: ["TakeOverTwinTests"]),
  Bug(
    "take-over.view-callers", breaks: "rule 5: a worker passes a caller of a view over",
    in: "TaskDispatch/Policy/ViewQueue.swift",
    .expression(
      "callersWaiting == 0", becomes: "true",
      within: "guard callersWaiting == 0, suspensions == 0, ready.onlyStartable"),
    suites: ["TakeOverTwinTests"]),
  Bug(
    "take-over.view-suspended", breaks: "a suspended view starts another task",
    in: "TaskDispatch/Policy/ViewQueue.swift",
    .expression(
      "suspensions == 0", becomes: "true",
      within: "guard callersWaiting == 0, suspensions == 0, ready.onlyStartable"),
    suites: ["TakeOverTwinTests", "TakeOverTests"]),
  Bug(
    "take-over.inbox-unseen", breaks: "rule 5: a view goes before what was posted meanwhile",
    in: "UVDispatch/Engine/Core+Run.swift",
    .without("if inbox.mayHoldEntries { return nil }"),
    suites: ["PlainInViewTests"]),
]

private let turnBugs = [
  Bug(
    "turns.callers-unseen", breaks: "a caller whose turn has come is not told",
    in: "TaskDispatch/Policy/ViewQueue.swift",
    .expression(
      "callersWaiting == 0", becomes: "true",
      within: "guard callersWaiting == 0, heldTurns.count == workerRoom"),
    suites: ["TakeOverTests", "PoolOrderTests"]),
  Bug(
    "turns.stay-low", breaks: "rule 7: a high task gets the turn of a low one",
    in: "TaskDispatch/Policy/ViewQueue.swift",
    .expression(
      "heldTurns.isEmpty || heldTurnCounts[band.index] == heldTurns.count", becomes: "true"),
    suites: ["TakeOverTests", "PoolOrderTests"]),
  Bug(
    "turns.kept-for-nothing", breaks: "a view that has nothing to start holds turns",
    in: "TaskDispatch/Policy/ViewQueue.swift",
    .expression(
      "!heldTurns.isEmpty", becomes: "false", within: "callersWaiting > 0 || !heldTurns.isEmpty"),
    suites: ["TakeOverTests", "PoolOrderTests"]),
  Bug(
    "turns.callers-without-business", breaks: "a caller of a full view is never told",
    in: "TaskDispatch/Policy/ViewQueue.swift",
    .expression(
      "callersWaiting > 0", becomes: "false", within: "callersWaiting > 0 || !heldTurns.isEmpty"),
    suites: ["TakeOverTests", "PoolOrderTests"]),
  Bug(
    "turns.used-for-ever", breaks: "the background takes turns when no view does any more",
    in: "TaskDispatch/Policy/PoolOrder.swift",
    .expression("stopUsingTurnsIfAlone()", becomes: "()", within: "return stopUsingTurnsIfAlone()"),
    suites: ["TakeOverTests"]),
]

private let plainInViewBugs = [
  Bug(
    "plain.view-dropped", breaks: "rule 17: a view goes while its bodies wait",
    in: "UVDispatch/Engine/Core+Submit.swift",
    .without("view.pool.holder = view"),
    suites: ["PlainInViewTests"]),
  Bug(
    "plain.view-kept", breaks: "rule 17: a view whose bodies have run never goes",
    in: "UVDispatch/Engine/Core+Submit.swift",
    .without("view.holder = nil", within: "if view.queue.ready.isEmpty { view.holder = nil }"),
    suites: ["PlainInViewTests"]),
  Bug(
    "plain.view-kept-by-cancelled", breaks: "rule 17: a view is kept by what was cancelled",
    in: "UVDispatch/Engine/Core+Submit.swift",
    .without("letGoIfEmpty(poolView(of: item))"),
    suites: ["PlainInViewTests"]),
  Bug(
    "plain.view-kept-by-turned-away", breaks: "rule 17: a view is kept by who stood in sync",
    in: "UVDispatch/Engine/Core+Run.swift",
    .without("letGoIfEmpty(poolView(task.view))"),
    suites: ["PlainInViewTests"]),
  Bug(
    "plain.view-kept-by-granted", breaks: "rule 17: a view is kept by who stands in sync",
    in: "UVDispatch/Engine/Core+Submit.swift",
    .without("letGoIfEmpty(grant.view)"),
    suites: ["PlainInViewTests"]),
  Bug(
    "plain.view-kept-by-successor", breaks: "rule 17: a view is kept by the last that has started",
    in: "UVDispatch/Engine/Core+Run.swift",
    .without("letGoIfEmpty(view.pool)"),
    suites: ["PlainInViewTests"]),
  Bug(
    "plain.view-kept-by-named", breaks: "rule 17: a view is kept by bodies that have tasks",
    in: "UVDispatch/Engine/Core+Submit.swift",
    .without("pool.holder = nil", within: ".background, view) }\n      pool.holder = nil"),
    suites: ["PlainInViewTests"]),
  Bug(
    "plain.view-unordered", breaks: "rule 13: what never started is reported out of order",
    in: "UVDispatch/Engine/Core+Submit.swift",
    .without("last = view.orderOfPlain"),
    suites: ["PlainInViewTests"]),
  Bug(
    "plain.view-unknown", breaks: "rule 4: a body believes to run on the background",
    in: "UVDispatch/Engine/Core+Run.swift",
    .without("frame.enter(view.holder as? UVView)"),
    suites: ["PlainInViewTests"]),
  Bug(
    "plain.view-unnamed", breaks: "rule 13: what never started in a view is not cancelled",
    in: "UVDispatch/Engine/Core+Submit.swift",
    .without("pool.updateEach { promote(&$0, $1, .background, view) }"),
    suites: ["PlainInViewTests"]),
  Bug(
    "plain.view-observed", breaks: "rule 16: nobody is told of a view's bodies",
    in: "UVDispatch/UVDispatcher+Submitting.swift",
    .expression("core.isSimple", becomes: "true"),
    suites: ["UVContractTests", "LimitExemptionTests", "FullQueueTests"]),
  Bug(
    "plain.view-after-the-end", breaks: "rule 13: a view takes bodies after the drain",
    in: "UVDispatch/UVDispatcher+Submitting.swift",
    .expression("core.shutdown == nil", becomes: "true"),
    suites: ["UVContractTests"]),
  Bug(
    "item.moved-unseen", breaks: "rule 9: another is cancelled than was asked for",
    in: "UVDispatch/Engine/Entry.swift",
    .without(
      "item.place.position = position",
      within: "case .item(let item): item.place.position = position"),
    suites: ["WaitingItemTests", "CancelRaceTests"]),
  Bug(
    "item.of-another",
    breaks: "rule 9: another is taken out of its queue for one that is not there",
    in: "UVDispatch/Engine/Core+Submit.swift",
    .expression("removed?.isItem(item) == true", becomes: "true"),
    suites: ["WaitingItemTests"]),
  Bug(
    "plain.behind-higher", breaks: "rule 13: a plain body is reported behind what overtook it",
    in: "UVDispatch/Engine/Core+Submit.swift",
    .expression(
      "item.site.band == .medium", becomes: "true", within: "|| item.site.band == .medium"),
    suites: ["PlainInViewTests"]),
  Bug(
    "item.stands-on", breaks: "rule 9: what has started is taken out of a queue",
    in: "UVDispatch/Engine/Core+Run.swift",
    .without("item.place.stage = .nowhere"),
    suites: ["WaitingItemTests", "UVContractTests"]),
  Bug(
    "item.end-unnoticed", breaks: "rule 13: a shutdown waits for what was cancelled",
    in: "UVDispatch/Engine/Core+Run.swift",
    .without(
      "if shutdown != nil { turnIsWanted = true }",
      within: "if shutdown != nil { turnIsWanted = true }\n    release(item, outcome)"),
    suites: ["WaitingItemTests"]),
  Bug(
    "item.due-unknown", breaks: "rule 2: a timer's time to live counts from its submission",
    in: "UVDispatch/Engine/Core+Timers.swift",
    .without("if item.timeToLive != nil { task(for: item).cameDueAt = time }"),
    suites: ["WaitingItemTests", "UVContractTests"]),
  Bug(
    "item.two-tasks", breaks: "an item has a task for each who asks",
    in: "UVDispatch/Engine/Core+Submit.swift",
    .without("item.queued = task", within: "item.queued = task\n    return task"),
    suites: ["WaitingItemTests"]),
]

private let allotmentBugs = [
  Bug(
    "allotment.without-end", breaks: "rule 12: nothing is ever used up",
    in: "UVDispatch/Engine/Allotment.swift",
    .expression("time >= end", becomes: "false"),
    suites: ["AllotmentTests"]),
  Bug(
    "allotment.looks-ever-less", breaks: "rule 12: long bodies run unseen",
    in: "UVDispatch/Engine/Allotment.swift",
    .expression("min(Self.mostUnseen, stride * 2)", becomes: "stride * 2"),
    suites: ["AllotmentTests"]),
  Bug(
    "allotment.all-are-short", breaks: "rule 12: long bodies run unseen",
    in: "UVDispatch/Engine/Allotment.swift",
    .expression("time - lastLook < short", becomes: "true"),
    suites: ["AllotmentTests"]),
  Bug(
    "allotment.from-the-start", breaks: "the clock is read after each of many short bodies",
    in: "UVDispatch/Engine/Allotment.swift",
    .without("lastLook = time"),
    suites: ["AllotmentTests"]),
  Bug(
    "allotment.counts-on", breaks: "the clock is read after each of many short bodies",
    in: "UVDispatch/Engine/Allotment.swift",
    .without("unseen = 0", within: "unseen = 0\n    lastLook = time"),
    suites: ["AllotmentTests"]),
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
    .expression("!isMine", becomes: "false"),
    suites: ["WordLockTests"]),
  Bug(
    "monitor.freed-early", breaks: "a wake is lost on its way between the lock and the sleep",
    in: "TaskDispatch/Platform/Monitor.swift",
    .statement(
      "bench.lock()\n    gate.unlock()",
      becomes: "gate.unlock()\n    holdWindowOpen()\n    bench.lock()"),
    suites: ["MonitorTests"]),
  Bug(
    "monitor.nobody-woken", breaks: "who frees the lock tells nobody",
    in: "TaskDispatch/Platform/Monitor.swift",
    .expression("areWaiting", becomes: "false", within: "if areWaiting"),
    suites: ["MonitorTests"]),
  Bug(
    "monitor.tells-nobody", breaks: "who changes something and waits tells nobody",
    in: "TaskDispatch/Platform/Monitor.swift",
    .expression("waiters.value > 0", becomes: "false", within: "if waiters.value > 0 {"),
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
    in: "UVDispatch/Engine/Core+Submit.swift",
    .without(
      "if task.view == nil { collectBackground() }",
      within: "if task.view == nil { collectBackground() }\n    guard pool.enter"),
    suites: ["EnteringTests"]),
  Bug(
    "enter.on-the-foreground", breaks: "rule 4: a body of the foreground runs on another thread",
    in: "UVDispatch/Engine/Core+Submit.swift",
    .expression(
      "task.lane == .background", becomes: "true", within: "guard task.lane == .background else"),
    suites: ["EnteringTests"]),
  Bug(
    "enter.told-late", breaks: "rule 16: an observer hears of a sync when its body has run",
    in: "UVDispatch/UVDispatcher.swift",
    .expression(
      "core.outbox.isEmpty", becomes: "true", within: "if core.outbox.isEmpty { monitor.unlock() }"),
    suites: ["EnteringTests"]),
  Bug(
    "enter.caller-stays-blocked", breaks: "rule 14: told of a deadlock after a sync that has ended",
    in: "UVDispatch/UVDispatcher+Waiting.swift",
    .without("caller?.endWait()", within: "caller?.endWait()\n      refusal = nil"),
    suites: ["WayOutTests"]),
  Bug(
    "enter.share-kept", breaks: "rule 4: a view in which somebody was runs nothing more",
    in: "UVDispatch/Engine/Core+Submit.swift",
    .without("task.runner = .caller"),
    suites: ["EnteringTests"]),
  Bug(
    "enter.barrier-for-ever", breaks: "rule 6: nothing starts behind a barrier that has ended",
    in: "UVDispatch/Engine/Core+Submit.swift",
    .without("task.ranAsBarrier = task.isBarrier"),
    suites: ["EnteringTests"]),
  Bug(
    "enter.caller-goes-on", breaks: "rule 14: a circle through a sync that began at once hangs",
    in: "UVDispatch/UVDispatcher+Waiting.swift",
    .without("caller?.beginWait(for: task)"),
    suites: ["HeartbeatTests"]),
]

private let reuseBugs = [
  Bug(
    "reuse.looked-at", breaks: "rule 14: who waits for a task is told of another one's circle",
    in: "UVDispatch/Engine/Core+Submit.swift",
    .expression("isKnownUniquelyReferenced(&task)", becomes: "true"),
    suites: ["ReuseTests"]),
  Bug(
    "reuse.frames", breaks: "the frame of a thread becomes a task that waits",
    in: "UVDispatch/Engine/Core+Submit.swift",
    .expression("!task.isFrame", becomes: "true", within: "guard !task.isFrame"),
    suites: ["ReuseTests"]),
  Bug(
    "reuse.without-end", breaks: "what one burst needed is held for ever",
    in: "UVDispatch/Engine/Core+Submit.swift",
    .expression("spares.count < Spares.most", becomes: "true"),
    suites: ["ReuseTests"]),
  Bug(
    "reuse.keeps-the-item", breaks: "rule 17: an item lives until its object is used again",
    in: "UVDispatch/Engine/QueuedTask.swift",
    .without("letGo()"),
    suites: ["ReuseTests"]),
  Bug(
    "reuse.keeps-the-view", breaks: "rule 17: a view lives until its object is used again",
    in: "UVDispatch/Engine/QueuedTask.swift",
    .without("view = nil", within: "letGo()\n    view = nil"),
    suites: ["ReuseTests"]),
  Bug(
    "reuse.abandoned-again", breaks: "rule 1: the outcome of a task is taken for another's",
    in: "UVDispatch/Engine/QueuedTask.swift",
    .without("isAbandoned = false", within: "isAbandoned = false\n    isBlocked = false"),
    suites: ["ReuseTests"]),
  Bug(
    "reuse.old-age", breaks: "rule 8: a task expires by the time of another",
    in: "UVDispatch/Engine/QueuedTask.swift",
    .without("cameDueAt = nil"),
    suites: ["ReuseTests"]),
  Bug(
    "abandoned.under-the-lock", breaks: "a deinit that calls the dispatcher waits for itself",
    in: "UVDispatch/Engine/Core+Run.swift",
    .without(
      "outbox.append { [item = task.item] in withExtendedLifetime((item, outcome)) {} }"),
    suites: ["AbandonedValueTests"]),
  Bug(
    "term.never-over", breaks: "rule 12: a lease keeps its thread while others wait for one",
    in: "UVDispatch/Engine/Term.swift",
    .expression("now - began >= Self.quantum", becomes: "false"),
    suites: ["TermTests"]),
  Bug(
    "term.any-answer", breaks: "rule 12: an answer counts from before others came",
    in: "UVDispatch/Engine/Term.swift",
    .expression(
      "began + Self.asksAfter", becomes: "began", within: "hadThreadToSpare(began + Self.asksAfter)"
    ),
    suites: ["TermTests"]),
  Bug(
    "term.goes-on-where-it-began", breaks: "a lease that goes on is over at once",
    in: "UVDispatch/Engine/Term.swift",
    .without("self = Term(from: now)"),
    suites: ["TermTests"]),
  Bug(
    "term.waits-a-whole-one", breaks: "rule 12: a lease waits too long for its answer",
    in: "UVDispatch/Engine/Term.swift",
    .expression("began + Self.quantum - now", becomes: "Self.quantum"),
    suites: ["TermTests"]),
  Bug(
    "question.asked-once", breaks: "no lease ever goes on after the first",
    in: "UVDispatch/LibUV/Leases.swift",
    .without("isAsked.store(false, ordering: .relaxed)"),
    suites: ["QuestionTests"]),
  Bug(
    "question.never-answered", breaks: "every lease ends with its quantum",
    in: "UVDispatch/LibUV/Leases.swift",
    .without("answeredAt.store(monotonicNanoseconds(), ordering: .relaxed)"),
    suites: ["QuestionTests"]),
  Bug(
    "question.answered-by-whom-it-asks", breaks: "rule 12: nobody knows that others wait",
    in: "UVDispatch/LibUV/Leases.swift",
    .expression("answeredAt.load(ordering: .relaxed) >= time", becomes: "true"),
    suites: ["QuestionTests"]),
]
