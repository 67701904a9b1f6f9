/// Which submissions are accepted, in which order they wait, and how many of them.
let submittingBugs: [Bug] = replyBugs + forkBugs + gateBugs + orderBugs

private let replyBugs = [
  Bug(
    "reply.limited", breaks: "a reply counts against a limit",
    in: "UVDispatch/UVDispatcher+Submitting.swift",
    .expression(
      ".reply", becomes: ".task",
      within: "WorkItem.make(kind: .reply, queue: foreground, label: nil"),
    suites: ["PostedReplyTests"]),
  Bug(
    "reply.not-notified", breaks: "rule 2: a reply stays where it was posted",
    in: "UVDispatch/UVDispatcher+Submitting.swift",
    .without(
      "if mustNotify { engine.notifyConsumer(of: .foreground) }",
      within:
        "post(.plain(plain))\n    }\n    if mustNotify { engine.notifyConsumer(of: .foreground) }"
    ),
    suites: ["PostedReplyTests"]),
  Bug(
    "reply.in-a-child", breaks: "rule 15: a reply in a forked child is posted",
    in: "UVDispatch/UVDispatcher+Submitting.swift",
    .expression(
      "ForkGuard.isForked", becomes: "false", within: "ForkGuard.isForked || !doors.foreground"),
    suites: ["ForkTests"]),
  Bug(
    "reply.nameless", breaks: "a reply has not the label of its task",
    in: "TaskDispatch/Queue/TaskQueue+Reply.swift",
    .expression(
      "label", becomes: "nil",
      within: "dispatcher.reply({ then(result.take()!.take()) }, at: site, label"),
    suites: ["ReplyTests"]),
  Bug(
    "reply.shared", breaks: "what a reply is handed has another owner",
    in: "TaskDispatch/Queue/TaskQueue+Reply.swift",
    .expression(
      "result.take()!", becomes: "result!",
      within: "dispatcher.reply({ then(result.take()!.take()) }, at: site, label"),
    suites: ["ReplyTests"]),
  Bug(
    "reply.shared-plain", breaks: "what a reply is handed has another owner",
    in: "TaskDispatch/Queue/TaskQueue+Reply.swift",
    .expression(
      "result.take()!", becomes: "result!",
      within: "dispatcher.reply({ then(result.take()!.take()) }, at: site)\n        }"),
    suites: ["ReplyTests"]),
  Bug(
    "fake.let-go-under-the-lock", breaks: "what the fake gives up must not ask it while it goes",
    in: "TaskDispatchTesting/Engine/State+Shutdown.swift",
    .without("letGo(of: entry)", within: "letGo(of: entry)\n    if let item = entry.item"),
    suites: ["LettingGoTests"]),
]

private let forkBugs = [
  Bug(
    "fork.post", breaks: "rule 15: a post in a forked child takes a lock",
    in: "UVDispatch/UVDispatcher+Submitting.swift",
    .expression(
      "ForkGuard.isForked", becomes: "false",
      within: "if ForkGuard.isForked { return .refused(.forkedChild) }"),
    suites: ["ForkTests"]),
  Bug(
    "fork.submit", breaks: "rule 15: a submission in a forked child takes a lock",
    in: "UVDispatch/UVDispatcher+Submitting.swift",
    .expression(
      "ForkGuard.isForked", becomes: "false", within: "if ForkGuard.isForked {\n      if isTaken"),
    suites: ["ForkTests"]),
  Bug(
    "fork.cancel", breaks: "rule 15: a cancellation in a forked child takes a lock",
    in: "UVDispatch/UVDispatcher+Submitting.swift",
    .expression(
      "ForkGuard.isForked", becomes: "false", within: "ForkGuard.isForked ? .tooLate"),
    suites: ["ForkTests"]),
  Bug(
    "fork.release", breaks: "rule 15: a group emptied in a forked child takes a lock",
    in: "UVDispatch/UVDispatcher+Submitting.swift",
    .expression("ForkGuard.isForked", becomes: "false", within: "if ForkGuard.isForked { return }"),
    suites: ["ForkedGroupTests"]),
  Bug(
    "fork.item-locks", breaks: "rule 15: an item is refused in a forked child under a held lock",
    in: "TaskDispatch/Platform/ItemLock.swift",
    .expression(
      """
      pthread_atfork(
            { ItemLock.lockAll() }, { ItemLock.unlockAll() }, { ItemLock.unlockAll() })
      """, becomes: "CInt(0)"),
    suites: ["ForkedItemTests"]),
  Bug(
    "fork.sync", breaks: "rule 15: sync in a forked child takes a lock",
    in: "UVDispatch/UVDispatcher+Waiting.swift",
    .expression("ForkGuard.isForked", becomes: "false", within: "if ForkGuard.isForked { throw"),
    suites: ["ForkTests"]),
  Bug(
    "fork.wait", breaks: "rule 15: waiting in a forked child takes a lock",
    in: "UVDispatch/UVDispatcher+Waiting.swift",
    .expression(
      "ForkGuard.isForked", becomes: "false", within: "if ForkGuard.isForked {\n      if Self.has"),
    suites: ["ForkTests"]),
  Bug(
    "fork.shutdown", breaks: "rule 15: a shutdown in a forked child takes a lock",
    in: "UVDispatch/UVDispatcher+Shutdown.swift",
    .expression(
      "ForkGuard.isForked", becomes: "false", within: "if ForkGuard.isForked { return }"),
    suites: ["ForkTests"]),
  Bug(
    "fork.loop-run", breaks: "rule 15: a loop in a forked child takes a lock that no thread frees",
    in: "UVDispatch/UVDispatcher+Loop.swift",
    .expression("ForkGuard.isForked", becomes: "false"),
    suites: ["ForkTests"]),
  Bug(
    "fork.not-watched", breaks: "rule 15: the child does not know that it is one",
    in: "UVDispatch/LibUV/ForkGuard.swift",
    .without("registration", within: "static func prepare() { registration }"),
    suites: ["ForkTests"]),
]

private let gateBugs = [
  Bug(
    "gate.stays-open", breaks: "rule 13: something is accepted after the drain",
    in: "UVDispatch/Engine/Core/Core+Submit.swift",
    .expression("closing.isDraining", becomes: "true"),
    suites: ["ShutdownDeadlineTests"]),
  Bug(
    "gate.timer-let-in", breaks: "rule 13: a timer outlives the drain",
    in: "UVDispatch/Engine/Core/Core+Submit.swift",
    .expression("!isTimer", becomes: "true"),
    suites: ["UVContractTests"]),
  Bug(
    "gate.callback-as-a-task",
    breaks: "a Task that begins in a callback of libuv waits for its loop",
    in: "TaskDispatch/Platform/ExecutionIdentity.swift",
    .expression(
      ".thread(UInt(pthread_self()))", becomes: ".current",
      within: "static var ofThread: ExecutionIdentity { .thread(UInt(pthread_self())) }"),
    suites: ["CallbackTests"]),
  Bug(
    "gate.anybody-let-in",
    breaks: "rule 13: what an outsider submits is accepted after a shutdown began",
    in: "UVDispatch/UVDispatcher+Submitting.swift",
    .expression(
      "parent != nil", becomes: "true",
      within: "core.refusal(isTimer: false, isFromOwnWork: parent != nil)"),
    suites: ["UVContractTests"]),
  Bug(
    "gate.open-to-outsiders",
    breaks: "rule 13: a shutdown that drains accepts what comes from outside",
    in: "UVDispatch/Engine/Core/Core+Submit.swift",
    .expression(
      "isFromOwnWork", becomes: "true", within: "(isFromOwnWork || loopThread.isCalling"),
    suites: ["UVContractTests"]),
  Bug(
    "gate.foreground-left-open", breaks: "invariant C: plain bodies come in past a closed gate",
    in: "UVDispatch/Engine/Core/Core+Draining.swift",
    .without("doors.foreground.close()"),
    suites: ["ShutdownDeadlineTests", "UVContractTests"]),
  Bug(
    "gate.background-left-open", breaks: "invariant C: plain bodies come in past a closed gate",
    in: "UVDispatch/Engine/Core/Core+Draining.swift",
    .without("doors.background.close()"),
    suites: ["RunUntilIdleTests", "UVContractTests"]),
  Bug(
    "gate.left-uncollected", breaks: "rule 13: what the closed inboxes held is not drained",
    in: "UVDispatch/Engine/Core/Core+Draining.swift",
    .without("drainAll()", within: "doors.background.close()\n    drainAll()"),
    suites: ["GoingIdleTests", "StartTests"]),
]

private let orderBugs = [
  Bug(
    "order.item-overtakes",
    breaks: "rule 3: a timer that comes due goes before what was posted",
    in: "UVDispatch/Engine/Core/Core+Background.swift",
    .without(
      "drainWhatPrecedes(on: .background, in: view)",
      within: "drainWhatPrecedes(on: .background, in: view)\n    // It waits"),
    suites: ["ViewInboxTests"]),
  Bug(
    "order.take-overtaken", breaks: "rule 7: a low task starts before a medium one in the inbox",
    in: "UVDispatch/Engine/Core/Core+Background.swift",
    .without(
      "if !background.pool.hasMedium, doors.background.mayHoldEntries { drainBackground() }",
      within:
        "if !background.pool.hasMedium, doors.background.mayHoldEntries { drainBackground() }\n      if doors.background.mayHoldViews { drainReadyViews() }\n      guard"
    ),
    suites: ["PlainBesideLabelledTests"]),
  Bug(
    "order.view-into-inbox", breaks: "rule 4: a view's plain body runs beside another of its view",
    in: "UVDispatch/UVDispatcher+Submitting.swift",
    .expression("queue.view != nil", becomes: "false"),
    suites: ["HelpedDeadlockTests", "UVContractTests"]),
  Bug(
    "order.barrier-into-inbox", breaks: "rule 6: a plain barrier of the background divides nothing",
    in: "UVDispatch/UVDispatcher+Submitting.swift",
    .expression(
      "!queue.isBarrier", becomes: "true", within: "if !queue.isBarrier {"),
    suites: ["PlainBarrierTests"]),
  Bug(
    "order.band-ignored", breaks: "rule 7: every task is medium",
    in: "UVDispatch/Engine/Core/Core+Items.swift",
    .expression(
      "item.band", becomes: ".medium", within: "to: item.view as? UVView, in: item.band"),
    suites: ["UVContractTests"]),
  Bug(
    "order.promoted-unseen",
    breaks: "rule 13: a plain body in the inbox is not cancelled with the rest",
    in: "UVDispatch/Engine/Core/Core+Draining.swift",
    .without("drainAll()", within: "func materialisePlainTasks() {\n    drainAll()"),
    suites: ["MaterialisingTests"]),
  Bug(
    "order.promoted-nowhere", breaks: "rule 9: a promoted body cannot be taken out of its queue",
    in: "UVDispatch/Engine/Core/Core+Draining.swift",
    .without("task.position = position"),
    suites: ["MaterialisingTests"]),
  Bug(
    "order.promoted-as-last", breaks: "rule 13: what never started is reported out of order",
    in: "UVDispatch/Engine/Core/Core+Draining.swift",
    .expression("last", becomes: "accounts.lastNumber", within: "order: last)"),
    suites: ["MaterialisingTests"]),
  Bug(
    "barrier.by-hand-lost", breaks: "rule 6: a plain barrier of a view divides nothing",
    in: "UVDispatch/UVDispatcher+Submitting.swift",
    .expression(
      "queue.isBarrier", becomes: "false",
      within: ".plain(consume body), on: queue.lane, view, isBarrier: queue.isBarrier"),
    suites: ["PlainBarrierTests", "UVContractTests"]),
  Bug(
    "barrier.item-lost", breaks: "rule 6: a labelled barrier divides nothing",
    in: "UVDispatch/Engine/Core/Core+Items.swift",
    .expression(
      "item.isBarrier", becomes: "false", within: "in: item.band, isBarrier: item.isBarrier"),
    suites: ["UVContractTests"]),
  Bug(
    "barrier.sync-lost", breaks: "rule 6: a barrier by sync divides nothing",
    in: "UVDispatch/UVDispatcher+Waiting.swift",
    .expression(
      "queue.isBarrier", becomes: "false", within: "view(queue.view), isBarrier: queue.isBarrier"),
    suites: ["HeartbeatTests"]),
]
