/// Plain bodies of a view, and the ready tokens that the view holds for them.
let viewBugs: [Bug] = takeOverInViewBugs + iterationBugs + plainInViewBugs

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
    .expression("viewsWithTokens > 1", becomes: "false", within: "(viewsWithTokens > 1 ||"),
    suites: ["TakeOverTwinTests", "TakeOverTests"]),
  Bug(
    "take-over.turns-of-another", breaks: "rule 5: a view goes before the only other",
    in: "TaskDispatch/Policy/PoolOrder.swift",
    .expression("!view.hasTokens", becomes: "false", within: "|| !view.hasTokens)"),
    suites: ["TakeOverTwinTests", "TakeOverTests"]),
  Bug(
    "take-over.turn-too-many", breaks: "a view holds a turn for a task that has started",
    in: "TaskDispatch/Policy/ViewQueue.swift",
    .expression(
      "ready.onlyStartable > heldTokens.count",
      becomes: "ready.onlyStartable >= max(1, heldTokens.count)"),
    suites: ["TakeOverTwinTests"]),
  Bug(
    "take-over.turn-ages-on",
    breaks: "rule 7: a ready token ages although no task has passed it over since",
    in: "TaskDispatch/Policy/PoolOrder.swift",
    .without("tokens.renew()"),
    suites: ["TakeOverTwinTests"]),
  Bug(
    "take-over.view-callers", breaks: "rule 5: a worker passes a caller of a view over",
    in: "TaskDispatch/Policy/ViewQueue.swift",
    .expression(
      "callersWaiting == 0", becomes: "true",
      within: "guard callersWaiting == 0, ready.onlyStartable"),
    suites: ["TakeOverTwinTests"]),
  Bug(
    "take-over.view-suspended", breaks: "a suspended view starts another task",
    in: "TaskDispatch/Policy/ViewQueue.swift",
    .expression(
      "suspensions == 0", becomes: "true",
      within: "callersWaiting == 0 && suspensions == 0 && ready.onlyStartable"),
    suites: ["TakeOverTwinTests", "TakeOverTests"]),
  Bug(
    "take-over.last-callers-unseen", breaks: "rule 3: a body goes before a caller that is next",
    in: "TaskDispatch/Policy/ViewQueue.swift",
    .expression(
      "callersWaiting == 0", becomes: "true",
      within: "guard callersWaiting == 0, ready.onlyStartable"),
    suites: ["TakeOverTwinTests", "TakeOverTests"]),
  Bug(
    "take-over.turn-kept", breaks: "a view holds a turn for what has started",
    in: "TaskDispatch/Policy/PoolOrder.swift",
    .without("forget(tokens.take(now: { 0 })!)"),
    suites: ["TakeOverTwinTests", "TakeOverTests"]),
  Bug(
    "take-over.inbox-unseen", breaks: "rule 5: a view goes before what was posted since",
    in: "UVDispatch/Engine/Core/Core+Batches.swift",
    .without("if doors.background.mayHoldEntries { return nil }"),
    suites: ["PlainInViewTests"]),
]

private let iterationBugs = [
  Bug(
    "tokens.callers-unseen", breaks: "a caller whose turn has come is not told",
    in: "TaskDispatch/Policy/ViewQueue+Tokens.swift",
    .expression(
      "callersWaiting == 0", becomes: "true",
      within: "guard callersWaiting == 0, heldTokens.count == workerRoom"),
    suites: ["TakeOverTests", "PoolOrderTests"]),
  Bug(
    "tokens.stay-low", breaks: "rule 7: a high task gets the turn of a low one",
    in: "TaskDispatch/Policy/ViewQueue+Tokens.swift",
    .expression(
      "heldTokens.isEmpty || heldTokenCounts[band.index] == heldTokens.count", becomes: "true"),
    suites: ["TakeOverTests", "PoolOrderTests"]),
  Bug(
    "tokens.kept-for-nothing", breaks: "a view that has nothing to start holds turns",
    in: "TaskDispatch/Policy/ViewQueue+Tokens.swift",
    .expression(
      "!heldTokens.isEmpty", becomes: "false", within: "callersWaiting > 0 || !heldTokens.isEmpty"),
    suites: ["TakeOverTests", "PoolOrderTests"]),
  Bug(
    "tokens.callers-without-business", breaks: "a caller of a full view is never told",
    in: "TaskDispatch/Policy/ViewQueue+Tokens.swift",
    .expression(
      "callersWaiting > 0", becomes: "false", within: "callersWaiting > 0 || !heldTokens.isEmpty"),
    suites: ["TakeOverTests", "PoolOrderTests"]),
  Bug(
    "tokens.used-for-ever", breaks: "the background takes turns when no view does any more",
    in: "TaskDispatch/Policy/PoolOrder.swift",
    .expression(
      "stopUsingTokensIfAlone()", becomes: "()", within: "return stopUsingTokensIfAlone()"),
    suites: ["TakeOverTests"]),
]

private let plainInViewBugs = [
  Bug(
    "plain.view-dropped", breaks: "rule 17: a view goes while its bodies wait",
    in: "UVDispatch/Engine/Core/Core+Draining.swift",
    .without("view.pool.holder = view"),
    suites: ["PlainInViewTests"]),
  Bug(
    "plain.view-kept", breaks: "rule 17: a view whose bodies have run never goes",
    in: "UVDispatch/Engine/Core/Core+Draining.swift",
    .without("view.holder = nil", within: "if view.queue.ready.isEmpty { view.holder = nil }"),
    suites: ["PlainInViewTests"]),
  Bug(
    "plain.view-kept-by-cancelled", breaks: "rule 17: a view is kept by what was cancelled",
    in: "UVDispatch/Engine/Core/Core+Background.swift",
    .without("letGoIfEmpty(view)", within: "letGoIfEmpty(view)\n    return isOut"),
    suites: ["PlainInViewTests"]),
  Bug(
    "plain.view-kept-by-rejected",
    breaks: "rule 17: a rejected caller of sync keeps its view alive",
    in: "UVDispatch/Engine/Core/Core+Background.swift",
    .without("letGoIfEmpty(view)", within: "letGoIfEmpty(view)\n    return entry"),
    suites: ["PlainInViewTests"]),
  Bug(
    "plain.view-kept-by-admitted",
    breaks: "rule 17: an admitted caller of sync keeps its view alive",
    in: "UVDispatch/Engine/Core/Core+Background.swift",
    .without("letGoIfEmpty(next.view)"),
    suites: ["PlainInViewTests"]),
  Bug(
    "plain.view-kept-by-successor", breaks: "rule 17: a view is kept by the last that has started",
    in: "UVDispatch/Engine/Core/Core+Batches.swift",
    .without("letGoIfEmpty(pool)"),
    suites: ["PlainInViewTests"]),
  Bug(
    "plain.view-kept-by-named", breaks: "rule 17: a view is kept by bodies that have tasks",
    in: "UVDispatch/Engine/Core/Core+Draining.swift",
    .without("pool.holder = nil", within: ".background, view) }\n      pool.holder = nil"),
    suites: ["PlainInViewTests"]),
  Bug(
    "plain.view-unordered", breaks: "rule 13: what never started is reported out of order",
    in: "UVDispatch/Engine/Core/Core+Draining.swift",
    .without("last = view.orderOfPlain"),
    suites: ["PlainInViewTests"]),
  Bug(
    "plain.view-unknown", breaks: "rule 4: a body believes to run on the background",
    in: "UVDispatch/Engine/Core/Core+Background.swift",
    .without("context.enter(view.holder as? UVView)"),
    suites: ["PlainInViewTests"]),
  Bug(
    "plain.view-unnamed", breaks: "rule 13: what never started in a view is not cancelled",
    in: "UVDispatch/Engine/Core/Core+Draining.swift",
    .without("pool.updateEach { promote(&$0, $1, .background, view) }"),
    suites: ["PlainInViewTests"]),
  Bug(
    "plain.view-kept-by-context",
    breaks: "rule 17: a view is kept by a thread that has no more to do",
    in: "UVDispatch/Engine/Core/Core+Run.swift",
    .without("context.enter(nil)"),
    suites: ["PlainInViewTests"]),
]
