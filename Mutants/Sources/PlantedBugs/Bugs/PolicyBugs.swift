/// What the policy compares and counts, in the types that both dispatchers use.
let policyBugs: [Bug] =
  readyQueueBugs + viewQueueBugs + poolOrderBugs + deadlineQueueBugs + tombstoneBugs

private let readyQueueBugs = [
  Bug(
    "ready.passed-over-last-wins", breaks: "rule 7: on one level the latest passed-over wins",
    in: "TaskDispatch/Policy/ReadyQueue.swift",
    .expression("(level, since) < best", becomes: "(level, -since) < (best.level, -best.since)"),
    suites: ["AgingInReadyQueueTests"]),
  Bug(
    "ready.never-ages", breaks: "rule 7: a low head starves",
    in: "TaskDispatch/Policy/ReadyQueue.swift",
    .expression("index - climbed", becomes: "index"),
    suites: ["AgingInReadyQueueTests"]),
  Bug(
    "ready.climbs-too-soon", breaks: "rule 7: a head climbs before an aging step is over",
    in: "TaskDispatch/Policy/ReadyQueue.swift",
    .expression(
      "max(0, time - since) / agingStep", becomes: "(max(0, time - since) + 1) / agingStep"),
    suites: ["AgingInReadyQueueTests"]),
  Bug(
    "ready.age-inherited", breaks: "rule 7: a new head has the age of the one before",
    in: "TaskDispatch/Policy/ReadyQueue.swift",
    .without(
      "bands[index].passedOverAt = Self.never",
      within: "countTaken(_ index: Int) {\n    bands[index].passedOverAt = Self.never"),
    suites: ["AgingInReadyQueueTests"]),
  Bug(
    "ready.age-inherited-from-the-cancelled",
    breaks: "rule 7: a new head has the age of a cancelled one",
    in: "TaskDispatch/Policy/ReadyQueue.swift",
    .without("if wasHead { bands[index].passedOverAt = Self.never }"),
    suites: ["AgingInReadyQueueTests", "CancellingInReadyQueueTests"]),
  Bug(
    "ready.passed-over-anew", breaks: "rule 7: a head ages from the last take that passed it over",
    in: "TaskDispatch/Policy/ReadyQueue.swift",
    .expression(
      "bands[index].passedOverAt == Self.never", becomes: "true",
      within: "if bands[index].passedOverAt == Self.never { bands[index].passedOverAt = time }"),
    suites: ["AgingInReadyQueueTests"]),
  Bug(
    "ready.barrier-does-not-divide",
    breaks: "rule 6: what stands behind a barrier is taken before it",
    in: "TaskDispatch/Policy/ReadyQueue.swift",
    .expression(
      "barriers.isEmpty", becomes: "true",
      within: "let position = bands[index].ring.append(element)\n    if barriers.isEmpty {"),
    suites: ["ReadyQueueTests"]),
  Bug(
    "ready.divide-off-by-one",
    breaks: "rule 6: what stands right behind a barrier counts as before it",
    in: "TaskDispatch/Policy/ReadyQueue+Barriers.swift",
    .expression("$0.divides[index] <= position", becomes: "$0.divides[index] < position"),
    suites: ["CancellingInReadyQueueTests", "ReadyQueueTests"]),
  Bug(
    "ready.barrier-opens-nothing", breaks: "rule 6: what stands behind a barrier never starts",
    in: "TaskDispatch/Policy/ReadyQueue+Barriers.swift",
    .without("markStartable(index)"),
    suites: ["ReadyQueueTests"]),
  Bug(
    "ready.barrier-before-its-turn",
    breaks: "rule 6: a barrier is taken before what stands before it",
    in: "TaskDispatch/Policy/ReadyQueue+Barriers.swift",
    .expression(
      "startableBands == 0", becomes: "true",
      within: "package mutating func takeBarrier() -> Element? {\n    guard startableBands == 0"),
    suites: ["ReadyQueueTests"]),
  Bug(
    "ready.cancelled-barrier-divides",
    breaks: "rule 9: a cancelled barrier holds up what stands behind it",
    in: "TaskDispatch/Policy/ReadyQueue+Barriers.swift",
    .without("openFirstMarks()", within: "openMarks += 1\n    openFirstMarks()"),
    suites: ["CancellingInReadyQueueTests"]),
  Bug(
    "ready.never-compacted", breaks: "rule 9: cancelled tasks leave the queue to grow",
    in: "TaskDispatch/Policy/ReadyQueue.swift",
    .without(
      "if bands[index].ring.slotCount - alive > alive + Self.deadAllowance { compact(index) }"),
    suites: ["CancellingInReadyQueueTests"]),
]

private let viewQueueBugs = [
  Bug(
    "view.one-more", breaks: "rule 4: a view runs one more than its width",
    in: "TaskDispatch/Policy/ViewQueue.swift",
    .expression("width - running", becomes: "width + 1 - running"),
    suites: ["ViewQueueTests"]),
  Bug(
    "view.one-worker-more", breaks: "rule 4: a view takes one more worker than it may",
    in: "TaskDispatch/Policy/ViewQueue.swift",
    .expression("workerWidth - onWorkers", becomes: "workerWidth + 1 - onWorkers"),
    suites: ["ViewQueueTests"]),
  Bug(
    "view.runs-beside-a-barrier", breaks: "rule 6: something starts while a barrier runs",
    in: "TaskDispatch/Policy/ViewQueue.swift",
    .expression("isSuspended || runsBarrier", becomes: "isSuspended"),
    suites: ["ViewQueueTests"]),
  Bug(
    "view.barrier-beside-others", breaks: "rule 6: a barrier starts while something runs",
    in: "TaskDispatch/Policy/ViewQueue.swift",
    .expression("running == 0", becomes: "true", within: "if next == nil, running == 0 {"),
    suites: ["ViewQueueTests"]),
  Bug(
    "view.barrier-never-ends", breaks: "rule 6: nothing starts after a barrier",
    in: "TaskDispatch/Policy/ViewQueue.swift",
    .without("if isBarrier { runsBarrier = false }"),
    suites: ["ViewQueueTests"]),
  Bug(
    "view.suspended-runs", breaks: "a suspended view starts something",
    in: "TaskDispatch/Policy/ViewQueue.swift",
    .expression("isSuspended || runsBarrier", becomes: "runsBarrier"),
    suites: ["ViewQueueTests"]),
  Bug(
    "view.resumed-too-soon", breaks: "a view that was suspended twice goes on after one resume",
    in: "TaskDispatch/Policy/ViewQueue.swift",
    .expression("suspensions == 0", becomes: "true", within: "return suspensions == 0"),
    suites: ["ViewQueueTests", "PoolOrderTests"]),
  Bug(
    "view.resumed-once-for-all", breaks: "one resume ends every suspension of a view",
    in: "TaskDispatch/Policy/ViewQueue.swift",
    .statement("suspensions -= 1", becomes: "suspensions = 0"),
    suites: ["ViewQueueTests", "PoolOrderTests"]),
  Bug(
    "view.worker-takes-a-caller's",
    breaks: "a worker runs the body of a caller that stands in sync",
    in: "TaskDispatch/Policy/ViewQueue.swift",
    .expression(
      "!callerIsNext(now: { time ?? now() })", becomes: "true",
      within: "let time = timeForCallers(now: now)\n    guard !callerIsNext(now: { time ?? now() })"
    ),
    suites: ["ViewQueueTests", "PoolOrderTests"]),
]

private let poolOrderBugs = [
  Bug(
    "pool.one-more", breaks: "rule 4: one more worker than the width is busy",
    in: "TaskDispatch/Policy/PoolOrder.swift",
    .expression(
      "busyWorkers < width", becomes: "busyWorkers <= width",
      within: "package func canStart(now: () -> Int64) -> Bool {\n    guard busyWorkers < width"),
    suites: ["PoolOrderTests"]),
  Bug(
    "pool.next-for-nobody", breaks: "a task is said to be next although no worker is free",
    in: "TaskDispatch/Policy/PoolOrder+Looking.swift",
    .expression(
      "busyWorkers < width", becomes: "true",
      within: "guard busyWorkers < width else { return nil }\n    let view = usesTokens"),
    suites: ["PolicyCopyTests"]),
  Bug(
    "pool.next-by-background", breaks: "a view's turn is overlooked when one asks what is next",
    in: "TaskDispatch/Policy/PoolOrder+Looking.swift",
    .expression(
      "usesTokens", becomes: "false", within: "usesTokens ? tokens.withNext(now: now) { $0.view }"),
    suites: ["PolicyCopyTests"]),
  Bug(
    "pool.worker-stays-busy", breaks: "rule 5: a worker that has ended counts as busy",
    in: "TaskDispatch/Policy/PoolOrder.swift",
    .without("if runner == .worker { busyWorkers -= 1 }"),
    suites: ["PoolOrderTests"]),
  Bug(
    "pool.oldest-token-dropped", breaks: "a view that wants one token less gives up its oldest",
    in: "TaskDispatch/Policy/ViewQueue+Tokens.swift",
    .expression(
      "heldTokens.lastIndex { $0.band == band }!",
      becomes: "heldTokens.firstIndex { $0.band == band }!"),
    suites: ["PoolOrderTests", "PolicyFairnessTests"]),
  Bug(
    "pool.given-up-token-counts", breaks: "rule 5: a view waits by a token that it has given up",
    in: "TaskDispatch/Policy/ViewQueue+Tokens.swift",
    .without("heldTokenCounts[band.index] -= 1"),
    suites: ["PoolOrderTests", "PolicyFairnessTests"]),
  Bug(
    "pool.used-token-counts", breaks: "rule 5: a view whose token was used gets no other",
    in: "TaskDispatch/Policy/ViewQueue+Tokens.swift",
    .without("heldTokenCounts[token.band.index] -= 1"),
    suites: ["PoolOrderTests", "PolicyFairnessTests"]),
  Bug(
    "pool.tokens-for-ever", breaks: "the background goes on with tokens when it is alone again",
    in: "TaskDispatch/Policy/PoolOrder.swift",
    .without(
      "stopUsingTokensIfAlone()", within: "if view !== background { stopUsingTokensIfAlone() }"),
    suites: ["PoolOrderTests"]),
  Bug(
    "pool.no-token-after-an-end", breaks: "rule 5: a view whose task has ended gets no token",
    in: "TaskDispatch/Policy/PoolOrder.swift",
    .without(
      "reconcile(view, now: now)",
      within: "if runner == .worker { busyWorkers -= 1 }\n    reconcile(view, now: now)"),
    suites: ["PoolOrderTests"]),
  Bug(
    "pool.token-kept-after-a-removal", breaks: "rule 9: a view holds a token for a cancelled task",
    in: "TaskDispatch/Policy/PoolOrder.swift",
    .without("if removed != nil { reconcile(view, now: now) }"),
    suites: ["PoolOrderTests"]),
]

private let deadlineQueueBugs = [
  Bug(
    "deadline.later-before-earlier", breaks: "rule 8: timers due together come out newest first",
    in: "TaskDispatch/Policy/DeadlineHeap.swift",
    .expression("sequence < other.sequence", becomes: "sequence > other.sequence"),
    suites: ["DeadlineQueueTests"]),
  Bug(
    "deadline.order-ignored", breaks: "rule 8: timers come out in the order of submission",
    in: "TaskDispatch/Policy/DeadlineHeap.swift",
    .expression("time != other.time", becomes: "false"),
    suites: ["DeadlineQueueTests"]),
  Bug(
    "deadline.exclusive", breaks: "rule 8: a timer does not come at its time, but after it",
    in: "TaskDispatch/Policy/DeadlineQueue.swift",
    .expression("first.time <= time", becomes: "first.time < time"),
    suites: ["DeadlineQueueTests"]),
  Bug(
    "deadline.stale-ticket", breaks: "rule 9: the ticket of a timer that has fired cancels another",
    in: "TaskDispatch/Policy/DeadlineQueue.swift",
    .expression("places[place].generation == ticket.generation", becomes: "true"),
    suites: ["DeadlineQueueTests"]),
  Bug(
    "deadline.removed-in-disorder",
    breaks: "rule 8: cancelling a timer puts the others in disorder",
    in: "TaskDispatch/Policy/DeadlineHeap.swift",
    .expression("last.precedes(entry(at: (index - 1) >> 2))", becomes: "false"),
    suites: ["DeadlineQueueTests"]),
  Bug(
    "deadline.tolerance-of-the-first", breaks: "rule 8: a timer is later than its tolerance allows",
    in: "TaskDispatch/Policy/DeadlineQueue.swift",
    .expression("min(exact.first.time, latest)", becomes: "latest"),
    suites: ["DeadlineQueueTests"]),
  Bug(
    "deadline.latest-stays", breaks: "rule 16: a timer that has gone wakes the loop",
    in: "TaskDispatch/Policy/DeadlineQueue.swift",
    .without("tolerantByLatest.remove(place)"),
    suites: ["DeadlineQueueTests"]),
  Bug(
    "deadline.wake-up-looks-at-all", breaks: "a timer costs more the more others may be late",
    in: "TaskDispatch/Policy/DeadlineQueue.swift",
    .expression(
      "tolerantByLatest.isEmpty",
      becomes: "{ tolerantByLatest.forEach { _ in }; return tolerantByLatest.isEmpty }()",
      within: "if tolerantByLatest.isEmpty"),
    suites: ["StepsOfDeadlineQueueTests"]),
  Bug(
    "deadline.ticket-without-generation",
    breaks: "rule 9: the ticket of a timer that has fired cancels another",
    in: "TaskDispatch/Policy/DeadlineQueue.swift",
    .expression(
      "UInt32(truncatingIfNeeded: bits >> 32)", becomes: "UInt32(truncatingIfNeeded: bits >> 33)"),
    suites: ["DeadlineTicketTests"]),
  Bug(
    "buffer.grows-late", breaks: "a timer is written behind the memory of the others",
    in: "TaskDispatch/Platform/GrowableBuffer.swift",
    .expression("max(16, capacity * 2)", becomes: "max(16, capacity)"),
    suites: ["GrowableBufferTests"]),
  Bug(
    "buffer.elements-leak", breaks: "rule 17: timers outlive their dispatcher",
    in: "TaskDispatch/Platform/GrowableBuffer.swift",
    .without("unsafe elements?.deinitialize(count: count)"),
    suites: ["GrowableBufferTests"]),
]
