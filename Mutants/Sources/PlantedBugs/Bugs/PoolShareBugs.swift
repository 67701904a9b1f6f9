/// How the dispatchers of a process share libuv's pool.
let poolShareBugs: [Bug] = [
  Bug(
    "share.not-asked", breaks: "rule 12: two dispatchers fill the pool together",
    in: "UVDispatch/Engine/Core/Core+Reconciling.swift",
    .expression("share.begin()", becomes: "true"),
    suites: ["GoodCitizenTests"]),
  Bug(
    "share.second-not-asked",
    breaks: "rule 12: a second run takes the thread of another dispatcher",
    in: "UVDispatch/Engine/Core/Core+Reconciling.swift",
    .expression("share.beginAnother()", becomes: "true"),
    suites: ["GoodCitizenTests"]),
  Bug(
    "share.not-given-back", breaks: "rule 12: the pool of the next dispatcher is smaller each time",
    in: "UVDispatch/Engine/Engine+Worker.swift",
    .without("core.share.end()"),
    suites: ["GoodCitizenTests"]),
  Bug(
    "share.short-for-ever", breaks: "a dispatcher starts no run once it was short",
    in: "UVDispatch/Engine/Engine+Worker.swift",
    .statement("withCore { $0.workers.isShort = false }", becomes: "withCore { _ in }"),
    suites: ["GoodCitizenTests"]),
  Bug(
    "share.short-after-its-run",
    breaks: "a dispatcher that is short starts no run when one of its own has ended",
    in: "UVDispatch/Engine/Engine+Worker.swift",
    .without("core.workers.isShort = false"),
    suites: ["GoodCitizenTests"]),
  Bug(
    "share.not-called", breaks: "a dispatcher that is short is not called when a thread is free",
    in: "UVDispatch/Engine/Engine+Worker.swift",
    .without("core.share.callOthers()"),
    suites: ["GoodCitizenTests"]),
  Bug(
    "share.no-spare", breaks: "bodies that wait for another dispatcher keep it from the pool",
    in: "UVDispatch/Engine/PoolShares.swift",
    .expression(
      "!state.isSpareTaken", becomes: "false", within: "record.blocked > 0, !state.isSpareTaken"),
    suites: ["AcrossDispatchersTests", "PoolSharesTests", "GoodCitizenTests", "TakingTurnsTests"]),
  Bug(
    "share.spare-for-all", breaks: "rule 12: no thread is left to libuv's other users",
    in: "UVDispatch/Engine/PoolShares.swift",
    .expression(
      "record.blocked > 0", becomes: "true", within: "record.blocked > 0, !state.isSpareTaken"),
    suites: ["PoolSharesTests"]),
  Bug(
    "share.spare-not-in-turn",
    breaks: "an urgent dispatcher has the spare thread before those that came first",
    in: "UVDispatch/Engine/PoolShares.swift",
    .statement(
      "return state.urgent.first.map { $0 === self } ?? true ? .spare : nil",
      becomes: "return .spare"),
    suites: ["PoolSharesTests"]),
  Bug(
    "share.spare-counted",
    breaks: "the run on the spare thread takes the thread of another dispatcher",
    in: "UVDispatch/Engine/PoolShares.swift",
    .statement(
      "return state.urgent.first.map { $0 === self } ?? true ? .spare : nil",
      becomes: "return state.urgent.first.map { $0 === self } ?? true ? .any : nil"),
    suites: ["PoolSharesTests"]),
  Bug(
    "share.spare-kept", breaks: "the spare thread is there once",
    in: "UVDispatch/Engine/PoolShares.swift",
    .without("state.isSpareTaken = false"),
    suites: ["PoolSharesTests"]),
  Bug(
    "share.spare-uncalled",
    breaks: "an urgent dispatcher is not called when the spare thread is free again",
    in: "UVDispatch/Engine/PoolShares.swift",
    .expression(
      "!state.isSpareTaken", becomes: "false", within: "guard !state.isSpareTaken, let share"),
    suites: ["PoolSharesTests", "TakingTurnsTests"]),
  Bug(
    "share.urgent-for-ever",
    breaks: "rule 12: after a wait no thread is left to libuv's other users",
    in: "UVDispatch/Engine/Engine+Blocking.swift",
    .without("for share in thread.shares { share.endBlocking() }"),
    suites: ["TakingTurnsTests"]),
  Bug(
    "share.blocked-goes-on",
    breaks:
      "a body that waits for another of its dispatcher keeps it from a thread kept for one that is idle",
    in: "UVDispatch/Engine/PoolShares.swift",
    .expression("runs > blockedRuns", becomes: "runs > 0"), suites: ["BlockedRunsTests"]),
  Bug(
    "share.blocked-not-moved",
    breaks: "a dispatcher that is short is not called when the last of its runs is blocked",
    in: "UVDispatch/Engine/PoolShares.swift",
    .statement(
      "record.blockedRuns += 1\n      return shares.changeLine(self, &state)",
      becomes: "record.blockedRuns += 1\n      return false"),
    suites: ["BlockedRunsTests"]),
  Bug(
    "share.blocked-uncalled",
    breaks: "a dispatcher that is short is not called when the last of its runs is blocked",
    in: "UVDispatch/Engine/Engine+Blocking.swift",
    .without("if share.beginBlockedRun() { call(share.callOthers) }"),
    suites: ["BlockedRunsTests"]),
  Bug(
    "share.blocked-twice",
    breaks: "rule 12: a thread that is blocked on top of its wait counts as two",
    in: "UVDispatch/Engine/Engine+Blocking.swift",
    .expression("!TaskContext.threadIsBlocked", becomes: "true"), suites: ["BlockedRunsTests"]),
  Bug(
    "share.blocked-stays",
    breaks: "rule 12: a body that goes on after its wait takes the thread of one that is idle",
    in: "UVDispatch/Engine/Engine+Blocking.swift",
    .without("Self.endBlockedRun(of: thread.run.take())"), suites: ["BlockedRunsTests"]),
  Bug(
    "share.blocked-for-ever",
    breaks: "a thread that was blocked once never counts as blocked again",
    in: "UVDispatch/Engine/Engine+Blocking.swift",
    .without("TaskContext.threadIsBlocked = false"), suites: ["BlockedRunsTests"]),
  Bug(
    "share.report-not-urgent",
    breaks: "a body that waits for the report of another dispatcher keeps it from the pool",
    in: "UVDispatch/UVDispatcher+Shutdown.swift",
    .expression(
      "engine.whileBlocked({ place.wait(for: timeout) })", becomes: "place.wait(for: timeout)"),
    suites: ["TakingTurnsTests"]),
  Bug(
    "share.loop-not-urgent",
    breaks: "a body that runs the loop of another dispatcher keeps it from the pool",
    in: "UVDispatch/UVDispatcher+Loop.swift",
    .statement("return engine.whileBlocked(body)", becomes: "return body()"),
    suites: ["TakingTurnsTests"]),
  Bug(
    "share.main-loop-not-urgent",
    breaks:
      "a body that runs the loop of another dispatcher on the main thread keeps it from the pool",
    in: "UVDispatch/UVDispatcher+Loop.swift",
    .statement(
      "return engine.whileBlocked { engine.loop.servingMainQueue(body) }",
      becomes: "return engine.loop.servingMainQueue(body)"),
    suites: ["MainQueueTests"]),
  Bug(
    "share.outside-urgent",
    breaks: "rule 12: a thread that waits for the report takes the thread of libuv's other users",
    in: "UVDispatch/Engine/Engine+Blocking.swift",
    .expression(
      "TaskContext.threadWorksFor != nil || TaskContext.first(where: { _ in true }) != nil",
      becomes: "true"),
    suites: ["TakingTurnsTests"]),
  Bug(
    "share.urgent-not-woken",
    breaks: "a dispatcher that is short is not called when a thread is blocked in it",
    in: "UVDispatch/Engine/Engine+Blocking.swift",
    .statement(
      "if share.beginBlocking() { core.callbacks.appendWake(share.callOthers) }",
      becomes: "_ = share.beginBlocking()"),
    suites: ["TakingTurnsTests"]),
  Bug(
    "share.group-of-one",
    breaks: "a thread that waits for a group keeps one of its dispatchers from the pool",
    in: "UVDispatch/UVDispatcher+Waiting.swift",
    .without("others = sharesOfOthers(in: group)"),
    suites: ["SeveralInAGroupTests"]),
  Bug(
    "share.later-member-unheard",
    breaks:
      "a thread that waits for a group keeps a dispatcher from the pool that has a member in it later",
    in: "TaskDispatch/Work/WorkGroup.swift",
    .without(
      "for waker in wakers { waker.wake() }",
      within:
        "// What the threads wait for is another dispatcher's now, too.\n    for waker in wakers { waker.wake() }"
    ),
    suites: ["BlockedRunsTests"]),
  Bug(
    "share.later-member-not-added",
    breaks:
      "a thread that waits for a group keeps a dispatcher from the pool that has a member in it later",
    in: "UVDispatch/UVDispatcher+Waiting.swift",
    .without("if !others.isEmpty { engine.addShares(others, toWaitersOf: name) }"),
    suites: ["BlockedRunsTests"]),
  Bug(
    "share.joined-before-the-wait",
    breaks:
      "a dispatcher that has a member in a group as a thread begins to wait for it is kept from the pool",
    in: "UVDispatch/UVDispatcher+Waiting.swift",
    .without("core.callbacks.appendWake(waker(of: group))"), suites: ["SeveralInAGroupTests"]),
  Bug(
    "share.first-owner-forgotten",
    breaks: "a thread that waits for a group keeps the first of its dispatchers from the pool",
    in: "TaskDispatch/Work/WorkGroup.swift",
    .expression("[first] + state.others", becomes: "state.others"),
    suites: ["TakingTurnsTests", "GroupDispatcherTests"]),
  Bug(
    "share.owner-twice", breaks: "a group keeps a dispatcher once for each of its members",
    in: "TaskDispatch/Work/WorkGroup.swift",
    .expression("others.contains { $0.is(dispatcher) }", becomes: "false"),
    suites: ["GroupDispatcherTests"]),
  Bug(
    "share.owners-stay", breaks: "a group keeps the dispatchers of members that have ended",
    in: "TaskDispatch/Work/WorkGroup.swift",
    .without("if state.members == 0, isMixed { state.others = [] }"),
    suites: ["GroupDispatcherTests"]),
  Bug(
    "share.spare-for-the-loop",
    breaks: "rule 12: a wait for the foreground gives libuv's thread to any body of the background",
    in: "UVDispatch/Engine/Engine+Blocking.swift",
    .expression("target.mayNeedPool", becomes: "true"), suites: ["GoodCitizenTests"]),
  Bug(
    "share.stacked",
    breaks: "dispatchers that are let go of while they are short end on each other's stacks",
    in: "UVDispatch/Engine/PoolShares.swift",
    .expression("!isBeingCalled", becomes: "true"),
    suites: ["PoolSharesTests"]),
  Bug(
    "share.caller-stays", breaks: "one that leaves calls no other, if it was ever called",
    in: "UVDispatch/Engine/PoolShares.swift",
    .without("state.withLock { _ in share.record.callers -= 1 }"),
    suites: ["PoolSharesTests"]),
  Bug(
    "share.slice-goes-on",
    breaks: "rule 12: a dispatcher that is never idle leaves none to another",
    in: "UVDispatch/Engine/TimeSlice.swift",
    .expression("!isAwaited", becomes: "true"),
    suites: ["TimeSliceTests"]),
  Bug(
    "share.kept-for-the-ended", breaks: "a thread is kept for a dispatcher that has ended",
    in: "UVDispatch/Engine/PoolShares.swift",
    .without("if record.hasUsed, record.runs == 0, !record.isOver { state.idle -= 1 }"),
    suites: ["PoolSharesTests"]),
  Bug(
    "share.none-for-idle",
    breaks: "rule 12: the bodies of one dispatcher take the last thread of another",
    in: "UVDispatch/Engine/PoolShares.swift",
    .expression("min(state.idle, capacity / 2)", becomes: "0"),
    suites: ["PoolSharesTests", "GoodCitizenTests"]),
  Bug(
    "share.all-for-idle", breaks: "many idle dispatchers leave one thread to the one that is busy",
    in: "UVDispatch/Engine/PoolShares.swift",
    .expression("min(state.idle, capacity / 2)", becomes: "state.idle"),
    suites: ["PoolSharesTests"]),
  Bug(
    "share.use-forgotten", breaks: "none is kept for a dispatcher that has used its background",
    in: "UVDispatch/Engine/PoolShares.swift",
    .without("record.hasUsed = true"),
    suites: ["PoolSharesTests"]),
  Bug(
    "share.waits-for-ever", breaks: "a dispatcher counts as waiting after it was called",
    in: "UVDispatch/Engine/PoolShares.swift",
    .without("waiting.subtract(1, ordering: .relaxed)"),
    suites: ["PoolSharesTests"]),
  Bug(
    "share.no-turns",
    breaks: "rule 12: a dispatcher that is never idle takes its thread again at once",
    in: "UVDispatch/Engine/PoolShares.swift",
    .expression("state.waiting.count", becomes: "0", within: "- state.waiting.count"),
    suites: ["PoolSharesTests", "TakingTurnsTests"]),
  Bug(
    "share.called-unkept",
    breaks: "the thread that a dispatcher was called for goes to another",
    in: "UVDispatch/Engine/PoolShares.swift",
    .expression("share.record.isCalled = true", becomes: "share.record.isCalled = false"),
    suites: ["PoolSharesTests"]),
  Bug(
    "share.refused-forgotten",
    breaks: "a dispatcher that was called in vain is not called again",
    in: "UVDispatch/Engine/PoolShares.swift",
    .without(
      "share.record.isCalled = false", within: "share.record.isCalled = false\n    guard !share"),
    suites: ["PoolSharesTests"]),
  Bug(
    "share.called-for-ever",
    breaks: "a dispatcher that needs no thread keeps others waiting",
    in: "UVDispatch/Engine/PoolShares.swift",
    .without("state.withLock { if share.record.isCalled { leaveShort(share, &$0) } }"),
    suites: ["PoolSharesTests"]),
  Bug(
    "share.not-in-turn",
    breaks: "a dispatcher that waits has a thread before those that came first",
    in: "UVDispatch/Engine/PoolShares.swift",
    .expression(
      "state.firstWaiting { $0 === self } != nil",
      becomes: "left + state.waiting.count > 0"),
    suites: ["PoolSharesTests"]),
  Bug(
    "share.line-before", breaks: "those that came before one that leaves its line are lost",
    in: "UVDispatch/Engine/PoolShares.swift",
    .expression("previous.record[isOfUrgent].next = next", becomes: "first = next"),
    suites: ["PoolSharesTests"]),
  Bug(
    "share.line-after", breaks: "one that comes after the last has left its line is lost",
    in: "UVDispatch/Engine/PoolShares.swift",
    .expression("last = previous", becomes: "_ = previous"),
    suites: ["PoolSharesTests"]),
  Bug(
    "share.line-neighbour",
    breaks: "one behind another that has left its line takes that one out again",
    in: "UVDispatch/Engine/PoolShares.swift",
    .expression("next.record[isOfUrgent].previous = previous", becomes: "_ = previous"),
    suites: ["PoolSharesTests"]),
  Bug(
    "share.not-held",
    breaks: "a dispatcher that is let go of before the pool has a thread for it loses its tasks",
    in: "UVDispatch/Engine/Engine+Worker.swift",
    .statement(
      "return { dispatcher.engine.lookForThread() }",
      becomes: "return { [weak dispatcher] in dispatcher?.engine.lookForThread() }"),
    suites: ["DroppedTests"]),
  Bug(
    "share.held-on", breaks: "a dispatcher that needs no thread any more is kept",
    in: "UVDispatch/Engine/PoolShares.swift",
    .without("share.record.call = nil"),
    suites: ["PoolSharesTests"]),
]
