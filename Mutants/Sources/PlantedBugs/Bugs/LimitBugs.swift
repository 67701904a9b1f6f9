/// How many tasks wait in a queue with a limit, and which submission gets the room that a task leaves.
let limitBugs: [Bug] = creditBugs + departureBugs + roomBugs + exemptBugs

private let creditBugs = [
  Bug(
    "limit.one-more",
    breaks: "rule 2: a queue holds one more than its limit",
    in: "TaskDispatch/Policy/QueueLimit.swift",
    .expression("most + departed - issued", becomes: "most + 1 + departed - issued"),
    suites: ["QueueLimitTests"]),
  Bug(
    "limit.departures-forgotten",
    breaks: "rule 2: no room comes from what has left the queue",
    in: "TaskDispatch/Policy/QueueLimit.swift",
    .expression("most + departed - issued", becomes: "most - issued"),
    suites: ["QueueLimitTests"]),
  Bug(
    "limit.not-clamped",
    breaks: "a limit as large as can be overflows",
    in: "TaskDispatch/Policy/QueueLimit.swift",
    .expression("min(limit, .max / 2)", becomes: "limit"),
    suites: ["QueueLimitTests"]),
  Bug(
    "limit.credits-not-issued",
    breaks: "rule 2: a queue never becomes full",
    in: "UVDispatch/Engine/Doors/FlowControl.swift",
    .without("limit.issue(credits)", within: "limit.issue(credits)\n    return credits"),
    suites: ["FlowControlTests"]),
  Bug(
    "limit.all-credits-by-hand",
    breaks: "rule 2: a closed inbox keeps the room of what comes later",
    in: "UVDispatch/Engine/Doors/Inbox.swift",
    .expression("state.value.isOpen ? .max : 1", becomes: ".max"),
    suites: ["FlowControlTests"]),
  Bug(
    "limit.credits-stay-when-closed",
    breaks: "invariant C: something comes in past the gate",
    in: "UVDispatch/Engine/Doors/Inbox.swift",
    .without("state.value.credits = 0", within: "state.value.credits = 0\n  }"),
    suites: ["FlowControlTests"]),
  Bug(
    "limit.credits-lost-when-closed",
    breaks: "rule 2: the room of posts that never came is lost",
    in: "UVDispatch/Engine/Doors/Inbox.swift",
    .without("flow?.takeBack(state.value.credits)"),
    suites: ["FlowControlTests"]),
  Bug(
    "limit.lane-post-free",
    breaks: "rule 2: a lane holds more than its limit",
    in: "UVDispatch/Engine/Doors/Inbox.swift",
    .without("state.value.credits -= 1", within: "state.value.credits -= 1\n    return .open"),
    suites: ["FlowControlTests"]),
  Bug(
    "limit.first-post-free",
    breaks: "rule 2: the post that finds no credit takes none",
    in: "UVDispatch/Engine/Doors/Inbox.swift",
    .expression("issued - 1", becomes: "issued"),
    suites: ["FlowControlTests"]),
  Bug(
    "limit.by-hand-free",
    breaks: "rule 2: what comes by the dispatcher's lock takes no room in its lane",
    in: "UVDispatch/Engine/Doors/Inbox.swift",
    .without("state.value.credits -= 1", within: "state.value.credits -= 1\n    return true"),
    suites: ["FlowControlTests"]),
  Bug(
    "limit.full-locked",
    breaks: "rule 2: a thread that posts to a full lane leaves its inbox locked",
    in: "UVDispatch/Engine/Doors/Inbox.swift",
    .without("state.unlock()", within: "state.unlock()\n      return .full"),
    suites: ["FlowControlTests"]),
  Bug(
    "limit.view-post-free",
    breaks: "rule 2: a view holds more than its limit",
    in: "UVDispatch/Engine/Doors/ViewInbox.swift",
    .without("state.value.credits -= 1", within: "state.value.credits -= 1\n    if state"),
    suites: ["FlowControlTests"]),
  Bug(
    "limit.view-by-hand-free",
    breaks: "rule 2: what comes by the dispatcher's lock takes no room in its view",
    in: "UVDispatch/Engine/Doors/ViewInbox.swift",
    .without("state.value.credits -= 1", within: "state.value.credits -= 1\n    return true"),
    suites: ["FlowControlTests"]),
  Bug(
    "limit.view-credit-lost",
    breaks: "rule 2: a view that cannot be marked ready loses room",
    in: "UVDispatch/Engine/Doors/ViewInbox.swift",
    .without("state.value.credits += 1"),
    suites: ["FlowControlTests"]),
  Bug(
    "limit.view-full-locked",
    breaks: "rule 2: a thread that posts to a full view leaves its inbox locked",
    in: "UVDispatch/Engine/Doors/ViewInbox.swift",
    .without("state.unlock()", within: "state.unlock()\n      return .isFull"),
    suites: ["FlowControlTests"]),
]

private let departureBugs = [
  Bug(
    "limit.plain-departure-lost",
    breaks: "rule 2: plain tasks of a batch keep their room",
    in: "UVDispatch/Engine/Core/Core+Batches.swift",
    .without(
      "noteTaken(plain, in: context)",
      within: "noteTaken(plain, in: context)\n    accounts.passOn()"),
    suites: ["UVContractTests", "FullQueueTests"]),
  Bug(
    "limit.plain-behind-item-lost",
    breaks: "rule 2: a plain task behind an item keeps its room",
    in: "UVDispatch/Engine/Core/Core+Batches.swift",
    .without(
      "noteTaken(plain, in: context)",
      within: "noteTaken(plain, in: context)\n    context.forgetInItem()"),
    suites: ["RoomTests"]),
  Bug(
    "limit.item-departure-lost",
    breaks: "rule 2: items of a batch keep their room",
    in: "UVDispatch/Engine/Core/Core+Batches.swift",
    .without(
      "if let departures = context.departures, next.countsAgainstLimits { departures.raise() }"),
    suites: ["RoomTests"]),
  Bug(
    "limit.first-departure-lost",
    breaks: "rule 2: the first task of a batch keeps its room",
    in: "UVDispatch/Engine/Core/Core+Run.swift",
    .without(
      "if let departures = context.departures, plain.counts { noteDeparture(departures, in: context) }"
    ),
    suites: ["UVContractTests"]),
  Bug(
    "limit.first-item-departure-lost",
    breaks: "rule 2: an item that is the first of a batch keeps its room",
    in: "UVDispatch/Engine/Core/Core+Run.swift",
    .without(
      "noteDeparture(departures, in: context)",
      within: "item.countsAgainstLimits {\n      noteDeparture(departures, in: context)"),
    suites: ["RoomTests"]),
  Bug(
    "limit.of-another-queue",
    breaks: "rule 2: a task gives the room of another queue",
    in: "UVDispatch/Engine/Tasks/BatchContext.swift",
    .without("departures = view == nil ? departuresOfLane : view?.flow?.departures"),
    suites: ["RoomTests", "UVContractTests"]),
  Bug(
    "limit.batch-goes-on-past-waiters",
    breaks: "rule 2: what waits for room gets none while a batch lasts",
    in: "UVDispatch/Engine/Tasks/BatchContext.swift",
    .expression("departures?.isMarked == true || isWatched", becomes: "isWatched"),
    suites: ["UVContractTests"]),
  Bug(
    "limit.task-departure-lost",
    breaks: "rule 2: a task with an object keeps its room",
    in: "UVDispatch/Engine/Core/Core+Submit.swift",
    .without("passOnRoom(of: flow, task.lane, task.view)"),
    suites: ["UVContractTests", "RoomTests"]),
]

private let roomBugs = [
  Bug(
    "limit.room-given-twice",
    breaks: "rule 2: room that a waiting item got is given to another as well",
    in: "UVDispatch/Engine/Core/Core+Submit.swift",
    .statement(
      "enqueue(item)", becomes: "enqueue(item); flow.noteDeparture()",
      within: "takeFirst(in: lane, view) {\n      enqueue(item)"),
    suites: ["UVContractTests"]),
  Bug(
    "limit.blocked-never-get-room",
    breaks: "rule 2: a thread that waits for room is not admitted",
    in: "UVDispatch/Engine/Core/Core+Submit.swift",
    .without("blocked.giveRoom(to: thread)"),
    suites: ["UVContractTests"]),
  Bug(
    "limit.room-of-the-blocked-given-twice",
    breaks: "rule 2: room that a blocked thread got is given to another as well",
    in: "UVDispatch/Engine/Core/Core+Submit.swift",
    .statement(
      "blocked.giveRoom(to: thread)", becomes: "blocked.giveRoom(to: thread); flow.noteDeparture()"),
    suites: ["RoomTests"]),
  Bug(
    "limit.cancelled-keeps-room",
    breaks: "rule 9: a cancelled task keeps its room",
    in: "UVDispatch/Engine/Core/Core+Items.swift",
    .without("noteTaken(item)", within: "noteTaken(item)\n      admitCallers()"),
    suites: ["UVContractTests"]),
  Bug(
    "limit.room-in-the-wrong-queue",
    breaks: "rule 2: a thread gets the room of another queue",
    in: "UVDispatch/Engine/Waiting/BlockedThreads.swift",
    .expression(
      "task.view === view", becomes: "true", within: "task.lane == lane && task.view === view"),
    suites: ["RoomTests"]),
  Bug(
    "limit.waiters-uncounted",
    breaks: "rule 2: a thread that waits for room is not admitted",
    in: "UVDispatch/UVDispatcher+Submitting.swift",
    .without("flow.addWaiting()", within: "flow.addWaiting()\n    defer"),
    suites: ["UVContractTests"]),
  Bug(
    "limit.waiters-stay-counted",
    breaks: "each task takes the dispatcher's lock for waiters that have gone",
    in: "UVDispatch/UVDispatcher+Submitting.swift",
    .expression("!thread.hasRoom", becomes: "false", within: "if !thread.hasRoom { flow"),
    suites: ["RoomTests"]),
  Bug(
    "limit.room-kept-by-the-thread",
    breaks: "rule 2: a thread that waits again is admitted without room",
    in: "UVDispatch/Engine/Waiting/BlockedThreads.swift",
    .without("thread.hasRoom = false", within: "thread.hasRoom = false\n    threads.removeAll"),
    suites: ["RoomTests"]),
  Bug(
    "limit.room-lost-in-shutdown",
    breaks: "rule 13: the room of a refused thread is lost",
    in: "UVDispatch/UVDispatcher+Submitting.swift",
    .without("if thread.hasRoom { core.passOnRoom(of: flow, lane, view) }"),
    suites: ["RoomTests"]),
  Bug(
    "limit.time-out-ignored",
    breaks: "rule 2: a caller waits for room beyond its time-out",
    in: "UVDispatch/UVDispatcher+Submitting.swift",
    .expression("core.instant >= end", becomes: "false"),
    suites: ["UVContractTests"]),
  Bug(
    "limit.shutdown-ignored",
    breaks: "rule 13: a caller that waits for room is let in after a shutdown",
    in: "UVDispatch/UVDispatcher+Submitting.swift",
    .expression(
      "core.refusal(isTimer: false, isFromOwnWork: caller != nil)", becomes: "nil as Refusal?"),
    suites: ["ShutdownWhileWaitingTests"]),
  Bug(
    "limit.refusal-uncounted",
    breaks: "rule 2: a refusal without the lock is missing in the ledger",
    in: "UVDispatch/UVDispatcher+Submitting.swift",
    .without("doors.noteRefusal()"),
    suites: ["UVContractTests"]),
  Bug(
    "limit.full-before-shut-down",
    breaks: "rule 13: a full view that is shut down says that it is full",
    in: "UVDispatch/UVDispatcher+Submitting.swift",
    .expression(
      "!doors.background.isClosed", becomes: "true",
      within: "begun == .isFull, !doors.background.isClosed"),
    suites: ["RoomTests"]),
  Bug(
    "limit.blocked-are-refused",
    breaks: "rule 2: a caller that may wait for room is refused",
    in: "UVDispatch/UVDispatcher+Submitting.swift",
    .expression("flow.refusesAtOnce", becomes: "true"),
    suites: ["UVContractTests"]),
  Bug(
    "limit.items-that-wait-uncounted",
    breaks: "rule 2: an item that waits for room gets none",
    in: "UVDispatch/UVDispatcher+Submitting.swift",
    .without("doors.flow(of: item.lane, view)?.addWaiting()"), suites: ["UVContractTests"]),
  Bug(
    "limit.cancelled-items-stay-counted",
    breaks: "rule 2: room is given to an item that was cancelled, and lost",
    in: "UVDispatch/Engine/Core/Core+Items.swift",
    .without("leaveRoomLine(item)", within: "if standby.take(item) { leaveRoomLine(item) }"),
    suites: ["RoomTests"]),
  Bug(
    "limit.threads-before-items",
    breaks: "rule 2: a thread gets the room of an item that has waited for longer",
    in: "UVDispatch/Engine/Core/Core+Submit.swift",
    .expression("thread.orderOfSubmission < $0", becomes: "true"), suites: ["RoomTests"]),
  Bug(
    "limit.items-before-threads",
    breaks: "rule 2: an item gets the room of a thread that has waited for longer",
    in: "UVDispatch/Engine/Core/Core+Submit.swift",
    .expression("thread.orderOfSubmission < $0", becomes: "false"), suites: ["RoomTests"]),
  Bug(
    "limit.given-room-is-a-deadlock",
    breaks: "rule 14: a caller is refused while another is about to use the room that it got",
    in: "UVDispatch/Engine/Waiting/DeadlockSearch.swift",
    .without("withRoom[task.queue] = thread"), suites: ["RoomTests"]),
  Bug(
    "limit.fake-room-not-kept",
    breaks: "rule 2: a submission takes the room of a call that waits for it in the fake",
    in: "TaskDispatchTesting/Engine/State+Limits.swift",
    .without("return", within: "call.hasRoom = true\n      return"), suites: ["KeptRoomTests"]),
  Bug(
    "limit.fake-waits-without-time",
    breaks: "rule 2: the fake runs bodies in a submission that must not wait",
    in: "TaskDispatchTesting/RecordingDispatcher+Waiting.swift",
    .without("if let timeout, timeout <= .zero { return .noRoomInTime }"),
    suites: ["ContractFakeTests"]),
]

private let exemptBugs = [
  Bug(
    "limit.replies-counted",
    breaks: "rule 2: replies give room that they never took",
    in: "UVDispatch/UVDispatcher+Submitting.swift",
    .expression("false", becomes: "true", within: "handedOver(body), site: site, counts: false"),
    suites: ["RoomTests"]),
  Bug(
    "limit.replies-counted-by-name",
    breaks: "rule 2: a reply with a label takes the room of a task",
    in: "UVDispatch/Engine/Doors/Doors.swift",
    .expression("!item.countsAgainstLimits", becomes: "false"),
    suites: ["RoomTests"]),
  Bug(
    "limit.reply-counts-once-named",
    breaks: "rule 2: a reply that a flush has named gives room that it never took",
    in: "UVDispatch/Engine/Core/Core+Draining.swift",
    .without("task.isExempt = !plain.counts"),
    suites: ["RoomTests"]),
  Bug(
    "limit.jobs-counted",
    breaks: "rule 2: jobs and callers give the room of tasks",
    in: "UVDispatch/Engine/Tasks/QueuedTask.swift",
    .expression("false", becomes: "true", within: "case .job, .caller, .mainQueue, nil: false"),
    suites: ["FlowControlTests"]),
  Bug(
    "limit.own-ignored",
    breaks: "rule 2: a queue has the limit of its dispatcher instead of its own",
    in: "TaskDispatch/Queue/QueueOptions.swift",
    .expression("self.overflow ?? overflow", becomes: "overflow"),
    suites: ["UVContractTests"]),
  Bug(
    "limit.own-not-checked",
    breaks: "a limit of 0 for a queue refuses everything",
    in: "TaskDispatch/Queue/QueueOptions.swift",
    .without("valid.validate(of: label)"),
    suites: ["RoomTests"]),
  Bug(
    "limit.fake-of-the-other-lane",
    breaks: "rule 2: a limit of the fake counts what waits elsewhere",
    in: "TaskDispatchTesting/Engine/State+Limits.swift",
    .expression("lane == .foreground", becomes: "false", within: "} else if lane == .foreground {"),
    suites: ["ContractFakeTests"]),
]
