/// How plain bodies come into a view, and which thread looks for them.
let viewInboxBugs: [Bug] =
  postingBugs + announcingBugs + fullViewBugs + collectingBugs + postedItemBugs

private let postingBugs = [
  Bug(
    "view-inbox.always-announced", breaks: "a view stands in the background's inbox twice",
    in: "UVDispatch/Engine/Doors/ViewInbox.swift",
    .expression(
      "state.value.isNotified", becomes: "false", within: "if state.value.isNotified {"),
    suites: ["ViewInboxTests"]),
  Bug(
    "view-inbox.never-announced",
    breaks: "invariant A: the inbox holds something and no worker comes",
    in: "UVDispatch/Engine/Doors/ViewInbox.swift",
    .expression(
      "state.value.isNotified", becomes: "true", within: "if state.value.isNotified {"),
    suites: ["ViewInboxTests"]),
  Bug(
    "view-inbox.not-attended", breaks: "a view stands in the background's inbox twice",
    in: "UVDispatch/Engine/Doors/ViewInbox.swift", .without("state.value.isNotified = true"),
    suites: ["ViewInboxTests"]),
  Bug(
    "view-inbox.refused-locked",
    breaks: "rule 13: a thread that posts after the refusal waits for ever",
    in: "UVDispatch/Engine/Doors/ViewInbox.swift",
    .without("state.unlock()", within: "credits += 1\n      state.unlock()"),
    suites: ["ViewInboxTests"]),
  Bug(
    "view-inbox.attended-when-refused", breaks: "invariant C: something comes in past the gate",
    in: "UVDispatch/Engine/Doors/ViewInbox.swift",
    .expression("answer == .isRefused", becomes: "false"),
    suites: ["ViewInboxTests"]),
  Bug(
    "view-inbox.left-attended", breaks: "rule 2: the next post does not mark the view ready",
    in: "UVDispatch/Engine/Doors/ViewInbox.swift",
    .expression("staysNotified", becomes: "true", within: "isNotified = staysNotified"),
    suites: ["ViewInboxTests"]),
  Bug(
    "view-inbox.announced-for-one", breaks: "a burst runs on one processor while another is idle",
    in: "UVDispatch/Engine/Doors/ViewInbox.swift",
    .expression("isForTwo", becomes: "false", within: "mayNotifyForMore = isForTwo"),
    suites: ["ViewInboxTests"]),
  Bug(
    "view-inbox.always-for-two", breaks: "a worker run is started for a body that must wait",
    in: "UVDispatch/Engine/Doors/ViewInbox.swift",
    .expression("isForTwo", becomes: "true", within: "mayNotifyForMore = isForTwo"),
    suites: ["ViewInboxTests"]),
  Bug(
    "view-inbox.full-announces-more", breaks: "a worker run is started for a body that must wait",
    in: "UVDispatch/Engine/Doors/ViewInbox.swift",
    .without(
      "state.value.mayNotifyForMore = false",
      within: "state.value.mayNotifyForMore = false\n    body(&state"),
    suites: ["ViewInboxTests"]),
  Bug(
    "view-inbox.announces-more-when-closed", breaks: "invariant C: a post past the gate notifies",
    in: "UVDispatch/Engine/Doors/Inbox.swift",
    .expression(
      "beginExemptPost()", becomes: "beginExemptPost() || true",
      within: "mayNotify, beginExemptPost()"),
    suites: ["ViewInboxTests"]),
  Bug(
    "view-inbox.nobody-fetched", breaks: "rule 2: no worker comes for a body of an idle dispatcher",
    in: "UVDispatch/UVDispatcher+Submitting.swift",
    .without("if begun == .mustNotify { engine.notifyConsumer(of: .background) }"),
    suites: ["UVContractTests"]),
]

private let announcingBugs = [
  Bug(
    "mark-ready.past-the-gate", breaks: "invariant C: something comes in past the gate",
    in: "UVDispatch/Engine/Doors/Inbox.swift",
    .expression(
      "beginExemptPost()", becomes: "beginExemptPost() || true",
      within: "guard beginExemptPost() else"),
    suites: ["ViewInboxTests"]),
  Bug(
    "mark-ready.unseen", breaks: "rule 2: no thread that looks sees that a view has something",
    in: "UVDispatch/Engine/Doors/Inbox.swift",
    .without("signs.value.holdsView.store(sign, ordering: .relaxed)"),
    suites: ["ViewInboxTests"]),
  Bug(
    "mark-ready.only-one", breaks: "rule 5: a view goes before what others have got since",
    in: "UVDispatch/Engine/Doors/Inbox.swift",
    .expression("views.value.isEmpty", becomes: "true", within: "let sign = views.value.isEmpty"),
    suites: ["ViewInboxTests"]),
  Bug(
    "mark-ready.stale", breaks: "it says that it holds views that were drained",
    in: "UVDispatch/Engine/Doors/Inbox.swift",
    .without("signs.value.holdsView.store(Signs.none, ordering: .relaxed)"),
    suites: ["ViewInboxTests"]),
  Bug(
    "mark-ready.goes-idle",
    breaks: "invariant A: the background's inbox goes idle although views wait",
    in: "UVDispatch/Engine/Doors/Inbox.swift",
    .expression("views.value.isEmpty", becomes: "true", within: "isEmpty, views.value.isEmpty"),
    suites: ["ViewInboxTests"]),
  Bug(
    "mark-ready.others-unseen", breaks: "rule 5: a view goes before what others have got since",
    in: "UVDispatch/Engine/Doors/Inbox.swift",
    .expression("held != Signs.none", becomes: "false", within: "return held != Signs.none"),
    suites: ["ViewInboxTests"]),
]

private let fullViewBugs = [
  Bug(
    "full-view.attends-not", breaks: "each post to a full view takes the dispatcher's lock",
    in: "UVDispatch/Engine/Core/Core+Draining.swift",
    .expression("view.pool.isFull", becomes: "false", within: "isOpen && view.pool.isFull"),
    suites: ["FullViewInboxTests", "ViewInboxTests"]),
  Bug(
    "full-view.always", breaks: "rule 2: a view that has room attends to its own inbox",
    in: "UVDispatch/Engine/Core/Core+Draining.swift",
    .expression("view.pool.isFull", becomes: "true", within: "isOpen && view.pool.isFull"),
    suites: ["FullViewInboxTests", "ViewInboxTests"]),
  Bug(
    "full-view.past-the-gate", breaks: "invariant C: a full view takes something in past the gate",
    in: "UVDispatch/Engine/Core/Core+Draining.swift",
    .expression(
      "background.isOpen", becomes: "true", within: "background.isOpen && view.pool.isFull"),
    suites: ["FullViewInboxTests", "ViewInboxTests"]),
  Bug(
    "full-view.gate-open", breaks: "invariant C: a full view takes something in past the gate",
    in: "UVDispatch/Engine/Core/Core+Draining.swift", .without("background.isOpen = false"),
    suites: ["FullViewInboxTests", "ViewInboxTests"]),
  Bug(
    "full-view.suspended", breaks: "rule 2: a suspended view attends to its own inbox",
    in: "TaskDispatch/Policy/ViewQueue.swift",
    .expression("!isSuspended", becomes: "true", within: "running > 0 && !isSuspended"),
    suites: ["FullViewInboxTests", "ViewInboxTests"]),
  Bug(
    "full-view.suspended-and-idle",
    breaks: "rule 2: no thread drains what came to a view that was suspended while it was idle",
    in: "TaskDispatch/Policy/ViewQueue.swift",
    .expression("running > 0", becomes: "true", within: "running > 0 && !isSuspended"),
    .expression("!isSuspended", becomes: "true", within: "running > 0 && !isSuspended"),
    suites: ["FullViewInboxTests", "ViewInboxTests"]),
  Bug(
    "full-view.for-ever", breaks: "rule 2: no worker comes for what a view got when it was full",
    in: "UVDispatch/Engine/Core/Core+Background.swift",
    .without("if let view = task.view, view.isDrainedOnCompletion { drainOnCompletion(view) }"),
    suites: ["FullViewInboxTests", "ViewInboxTests"]),
  Bug(
    "full-view.flag-stays", breaks: "a view that attends to its own inbox no more seems to",
    in: "UVDispatch/Engine/Core/Core+Draining.swift",
    .without("background.note(view, isDrainedOnCompletion: false)"),
    suites: ["FullViewInboxTests", "ViewInboxTests"]),
  Bug(
    "full-view.kept", breaks: "rule 17: a view that was full once is kept for ever",
    in: "UVDispatch/Engine/Parts/Background.swift",
    .without("full.removeAll { $0 === view }"),
    suites: ["FullViewInboxTests", "ViewInboxTests"]),
  Bug(
    "full-view.not-held", breaks: "rule 17: a view goes while its bodies wait",
    in: "UVDispatch/Engine/Core/Core+Draining.swift",
    .without("retainWhilePlain(view)", within: "retainWhilePlain(view)\n      absorbUnreconciled"),
    suites: ["FullViewInboxTests", "ViewInboxTests"]),
  Bug(
    "full-view.not-counted", breaks: "the ledger misses what came to a full view",
    in: "UVDispatch/Engine/Core/Core+Draining.swift",
    .without(
      "accounts.accept(entries.slotCount)",
      within:
        "accounts.accept(entries.slotCount)\n      retainWhilePlain(view)\n      absorbUnreconciled"
    ),
    suites: ["FullViewInboxTests", "ViewInboxTests"]),
  Bug(
    "full-view.successor-unseen", breaks: "a worker leaves a full view that has got more",
    in: "UVDispatch/Engine/Core/Core+Batches.swift",
    .without("if let view = context.view, view.isDrainedOnCompletion { drain(view) }"),
    suites: ["FullViewInboxTests", "ViewInboxTests"]),
  Bug(
    "full-view.unseen", breaks: "the ledger and a flush miss what came to a full view",
    in: "UVDispatch/Engine/Core/Core+Draining.swift",
    .without("for view in background.full { drain(view) }"),
    suites: ["FullViewInboxTests", "ViewInboxTests"]),
  Bug(
    "full-view.overtaken", breaks: "rule 3: a task goes before what was posted before it",
    in: "UVDispatch/Engine/Core/Core+Draining.swift",
    .without(
      "if view.isDrainedOnCompletion { drain(view) }",
      within: "drainReadyViews() }\n    if view.isDrainedOnCompletion { drain(view) }"),
    suites: ["FullViewInboxTests", "ViewInboxTests"]),
]

private let collectingBugs = [
  Bug(
    "drain-views.by-nobody", breaks: "rule 2: a worker does not look for what views have got",
    in: "UVDispatch/Engine/Core/Core+Background.swift",
    .without(
      "if doors.background.mayHoldViews { drainReadyViews() }",
      within: "if doors.background.mayHoldViews { drainReadyViews() }\n      guard let next"),
    suites: ["ViewInboxTests"]),
  Bug(
    "drain-views.helper", breaks: "rule 14: a helper does not look for what its view has got",
    in: "UVDispatch/Engine/Core/Core+Background.swift",
    .without(
      "if doors.background.mayHoldViews { drainReadyViews() }",
      within: "if doors.background.mayHoldViews { drainReadyViews() }\n    if let view, view"),
    suites: ["ViewInboxTests"]),
  Bug(
    "drain-views.helper-of-full",
    breaks: "rule 14: a helper does not look for what its view has got",
    in: "UVDispatch/Engine/Core/Core+Background.swift",
    .without("if let view, view.isDrainedOnCompletion { drain(view) }"),
    suites: ["ViewInboxTests"]),
  Bug(
    "drain-views.successor", breaks: "rule 5: the background goes before what views have got",
    in: "UVDispatch/Engine/Core/Core+Batches.swift",
    .without(
      "if doors.background.mayHoldViews { drainReadyViews() }",
      within:
        "if doors.background.mayHoldViews { drainReadyViews() }\n      if !background.pool.hasMedium, doors.background.mayHoldEntries { drainBackground() }\n      next"
    ),
    suites: ["ViewInboxTests"]),
  Bug(
    "drain-views.successor-in-view", breaks: "rule 5: a view goes before what others have got",
    in: "UVDispatch/Engine/Core/Core+Batches.swift",
    .without(
      "if doors.background.mayHoldViews(otherThan: context.queue.view) { drainReadyViews() }"),
    suites: ["ViewInboxTests"]),
  Bug(
    "drain-views.own", breaks: "a worker leaves its view although that has got more",
    in: "UVDispatch/Engine/Core/Core+Batches.swift",
    .without(
      "if doors.background.mayHoldViews { drainReadyViews() }",
      within:
        "if doors.background.mayHoldViews { drainReadyViews() }\n      if let view = context.view"),
    suites: ["ViewInboxTests"]),
  Bug(
    "drain-views.background-only", breaks: "the ledger and the end miss what views have got",
    in: "UVDispatch/Engine/Core/Core+Draining.swift",
    .without(
      "if doors.background.mayHoldViews { drainReadyViews() }",
      within: "}\n    if doors.background.mayHoldViews { drainReadyViews() }\n  }"),
    suites: ["ViewInboxTests"]),
  Bug(
    "drain-views.overtaken", breaks: "rule 3: a task goes before what was posted before it",
    in: "UVDispatch/Engine/Core/Core+Draining.swift",
    .without(
      "if doors.background.mayHoldViews { drainReadyViews() }",
      within: "drainBackground() }\n    if doors.background.mayHoldViews { drainReadyViews() }"),
    suites: ["ViewInboxTests"]),
  Bug(
    "drain-views.low-caller", breaks: "rule 7: a low sync goes before what was posted before it",
    in: "UVDispatch/Engine/Core/Core+Draining.swift",
    .without("if poolView(view).queue.callersWaiting > 0 { drainPosted(to: view) }"),
    suites: ["ViewInboxTests"]),
  Bug(
    "drain-views.low-caller-at-an-end",
    breaks: "rule 7: a low sync goes before what was posted before it",
    in: "UVDispatch/Engine/Core/Core+Background.swift",
    .without(
      "drainIfCallersWait(task.view)", within: "drainIfCallersWait(task.view)\n    // Last"),
    suites: ["ViewInboxTests"]),
  Bug(
    "drain-views.low-caller-behind-a-cancelled",
    breaks: "rule 7: a low sync goes before what was posted before it",
    in: "UVDispatch/Engine/Core/Core+Background.swift",
    .without("drainIfCallersWait(uvView)"),
    suites: ["ViewInboxTests"]),
  Bug(
    "drain-views.low-caller-resumed",
    breaks: "rule 7: a low sync goes before what was posted before it",
    in: "UVDispatch/Engine/Core/Core+Background.swift", .without("drainIfCallersWait(view)"),
    suites: ["ViewInboxTests"]),
  Bug(
    "drain-views.low-caller-of-full",
    breaks: "rule 7: a low sync goes before what was posted to a full view before it",
    in: "UVDispatch/Engine/Core/Core+Background.swift",
    .without("if let view, view.isDrainedOnCompletion { drain(view) }"),
    suites: ["ViewInboxTests"]),
  Bug(
    "drain-views.grants-kept", breaks: "rule 14: a caller is not told that it was admitted",
    in: "UVDispatch/Engine/Core/Core+Draining.swift",
    .without(
      "admitCallers()",
      within: "}\n    admitCallers()\n  }\n\n  /// A body of a view that was full"),
    suites: ["ViewInboxTests"]),
]

private let posted = ["PostedItemTests"]

private let postedItemBugs = [
  Bug(
    "posted.low-first", breaks: "rule 7: a low item goes before a medium one that was posted",
    in: "UVDispatch/Engine/Core/Core+Batches.swift",
    .expression("!pool.hasMedium", becomes: "false", within: "|| !pool.hasMedium {"),
    suites: posted),
  Bug(
    "posted.without-place", breaks: "rule 8: an item that was posted to a lane cannot be cancelled",
    in: "UVDispatch/Engine/Doors/Inbox.swift",
    .without("state.value.holdsItems = true"), suites: posted),
  Bug(
    "posted.without-place-in-view",
    breaks: "rule 8: an item that was posted to a view cannot be cancelled",
    in: "UVDispatch/Engine/Doors/ViewInbox.swift",
    .without("state.value.holdsItems = true"), suites: posted),
  Bug(
    "posted.high", breaks: "rule 7: a high task waits behind medium ones",
    in: "UVDispatch/Engine/Doors/Doors.swift",
    .expression(
      "item.band == .medium", becomes: "true", within: "item.band == .medium ||"),
    suites: posted),
  Bug(
    "item.cancelled-while-it-runs-elsewhere",
    breaks: "rule 2: a dispatcher cancels what another one runs",
    in: "UVDispatch/Engine/Core/Core+Cancelling.swift",
    .without("item.requireNotElsewhere(than: doors.name)"), suites: ["TakenItemTests"]),
  Bug(
    "posted.item-looked-for-once",
    breaks: "a cancellation that races a submission uses the position that the item had before",
    in: "UVDispatch/Engine/Core/Core+Items.swift",
    .without("stage = item.stage", within: "find(item)\n      stage = item.stage"),
    suites: ["CancelRaceTests"]),
  Bug(
    "posted.not-found", breaks: "rule 8: an item that was posted cannot be cancelled",
    in: "UVDispatch/Engine/Core/Core+Items.swift",
    .expression(
      "stage == .posted", becomes: "false", within: "if stage == .posted {\n      find(item)"),
    suites: posted),
  Bug(
    "posted.number-first", breaks: "a report names what came in by hand before what was posted",
    in: "UVDispatch/Engine/Core/Core+Items.swift",
    .without("numberWhatPrecedes(on: item.lane, in: item.view as? UVView)"), suites: posted),
  Bug(
    "posted.context-not-known",
    breaks: "rule 14: a wait for an item seems to be for what follows it",
    in: "UVDispatch/Engine/Core/Core+Items.swift",
    .without("(task as? BatchContext)?.isKnown = true"), suites: posted),
  Bug(
    "posted.context-kept", breaks: "rule 14: a wait for an item seems to be for what follows it",
    in: "UVDispatch/Engine/Core/Core+Submit.swift",
    .without("if context.isKnown { context = makeContext(on: context.lane) }"),
    suites: posted),
  Bug(
    "posted.goes-on-abandoned", breaks: "rule 13: an item gets a second outcome",
    in: "UVDispatch/Engine/Tasks/BatchContext.swift",
    .expression("!isAbandoned", becomes: "true", within: "!isKnown && !isAbandoned"), suites: posted
  ),
  Bug(
    "posted.goes-on-known",
    breaks: "rule 14: a wait for an item seems to be for what follows it",
    in: "UVDispatch/Engine/Tasks/BatchContext.swift",
    .expression("!isKnown", becomes: "true", within: "!isKnown && !isAbandoned"), suites: posted),
  Bug(
    "posted.counted-twice", breaks: "rule 2: the ledger does not balance",
    in: "UVDispatch/Engine/Core/Core+Batches.swift",
    .without(
      "accounts.passOn(ending: outcome)",
      within:
        "accounts.passOn(ending: outcome)\n    context.counts.value.count(outcome)\n    context.goOn(at"
    ),
    suites: posted
  ),
  Bug(
    "posted.waits-for-ever", breaks: "rule 2: the ledger believes that an item waits that ran",
    in: "UVDispatch/Engine/Parts/Accounts.swift",
    .without("ledger.waiting -= 1", within: "ledger.count(outcome)\n    ledger.waiting -= 1"),
    suites: posted),
  Bug(
    "posted.queued-for-ever", breaks: "rule 17: an item that has ended keeps its frame",
    in: "UVDispatch/Engine/Core/Core+Batches.swift",
    .without("if context.holdsItem { context.forgetInItem() }"),
    suites: posted),
]
