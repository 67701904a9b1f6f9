/// An item between the threads that begin it, end it and wait for it, and what it knows of its
/// submission.
let itemBugs = [
  Bug(
    "item.submitted-again", breaks: "rule 2: an item stands in two places at once",
    in: "UVDispatch/UVDispatcher+Submitting.swift",
    .expression("item.markTaken()", becomes: "item.markTaken() || true"),
    suites: ["SubmittedTwiceTests"]),
  Bug(
    "item.submitted-again-to-the-fake", breaks: "rule 2: an item stands in two places at once",
    in: "TaskDispatchTesting/RecordingDispatcher+Submitting.swift",
    .expression(
      "item.markTaken()", becomes: "item.markTaken() || true",
      within: "item.markTaken() else { return item"),
    suites: ["SubmittedTwiceTests"]),
  Bug(
    "item.submitted-again-for-room", breaks: "rule 2: an item stands in two places at once",
    in: "TaskDispatchTesting/RecordingDispatcher+Submitting.swift",
    .expression(
      "item.markTaken()", becomes: "item.markTaken() || true",
      within: "item.markTaken() else { return }"),
    suites: ["SubmittedTwiceTests"]),
  Bug(
    "item.taken-by-two", breaks: "rule 2: an item is in two dispatchers at once",
    in: "TaskDispatch/Work/WorkItem.swift",
    .expression(
      "Phase.all | Phase.isTaken", becomes: "Phase.all",
      within: "to: Phase.isTaken, comparing: Phase.all | Phase.isTaken"),
    suites: ["TakenItemTests"]),
  Bug(
    "item.taken-when-ended", breaks: "rule 2: an item that has ended waits for ever",
    in: "TaskDispatch/Work/WorkItem.swift",
    .expression(
      "Phase.all | Phase.isTaken", becomes: "Phase.isTaken",
      within: "to: Phase.isTaken, comparing: Phase.all | Phase.isTaken"),
    suites: ["TakenItemTests"]),
  Bug(
    "item.begun-by-others", breaks: "rule 2: other code begins what waits in a dispatcher",
    in: "TaskDispatch/Work/WorkItem.swift",
    .expression(
      "Phase.all | Phase.isTaken", becomes: "Phase.all",
      within: "to: Phase.running, comparing: Phase.all | Phase.isTaken"),
    suites: ["TakenItemTests"]),
  Bug(
    "item.finished-by-others", breaks: "rule 2: an item ends and its dispatcher does not know",
    in: "TaskDispatch/Work/WorkItem.swift",
    .expression(
      "state & Phase.isTaken == 0 || state & Phase.all == Phase.finished", becomes: "true"),
    suites: ["TakenItemTests"]),
  Bug(
    "item.ended-cannot-be-finished", breaks: "code that comes too late to finish an item traps",
    in: "TaskDispatch/Work/WorkItem.swift",
    .expression(
      "state & Phase.isTaken == 0 || state & Phase.all == Phase.finished",
      becomes: "state & Phase.isTaken == 0"),
    suites: ["TakenItemTests"]),
  Bug(
    "item.run-not-taken", breaks: "rule 2: a run is ended by its body, and then again",
    in: "TaskDispatch/Work/BodyItem.swift",
    .without("_ = markTaken()"), suites: ["TakenItemTests"]),
  Bug(
    "item.call-not-taken", breaks: "rule 2: the call of a handler is ended by it, and then again",
    in: "UVDispatch/Engine/Engine+Events.swift",
    .without("_ = call.markTaken()"), suites: ["TakenItemTests"]),
  Bug(
    "item.cancelled-elsewhere", breaks: "rule 2: a dispatcher touches an item of another one",
    in: "UVDispatch/Engine/Core/Core+Items.swift",
    .without("item.requireNotElsewhere(than: doors.name)"), suites: ["TakenItemTests"]),
  Bug(
    "item.awaited-elsewhere", breaks: "a thread waits for ever for an item of another dispatcher",
    in: "UVDispatch/UVDispatcher+Waiting.swift",
    .without("item.requireNotElsewhere(than: doors.name)"), suites: ["TakenItemTests"]),
  Bug(
    "item.awaited-elsewhere-in-the-fake", breaks: "the fake waits for what another one runs",
    in: "TaskDispatchTesting/RecordingDispatcher+Waiting.swift",
    .without("if case .item(let item) = target { item.requireNotElsewhere(than: state.name) }"),
    suites: ["TakenItemTests"]),
  Bug(
    "item.cancelled-elsewhere-in-the-fake",
    breaks: "rule 2: the fake cancels the item that stands where another fake's does",
    in: "TaskDispatchTesting/Engine/State+Run.swift",
    .without("item.requireNotElsewhere(than: name)"), suites: ["TakenItemTests"]),
  Bug(
    "item.fakes-named-as-real-ones",
    breaks: "rule 2: an item of a fake is taken for one of a real dispatcher",
    in: "TaskDispatch/Work/WorkItem+Making.swift",
    .expression(
      "UInt16(truncatingIfNeeded: count) | 0x8000", becomes: "UInt16(truncatingIfNeeded: count)"),
    suites: ["WaitingItemTests"]),
  Bug(
    "view.of-another", breaks: "rule 2: a dispatcher puts work into a queue of another one",
    in: "UVDispatch/Engine/Engine.swift",
    .expression("mine.owner == doors.name", becomes: "true"), suites: ["TakenItemTests"]),
  Bug(
    "view.of-another-posted", breaks: "rule 2: a dispatcher puts work into a queue of another one",
    in: "UVDispatch/UVDispatcher+Submitting.swift",
    .expression("view.owner == doors.name", becomes: "true"), suites: ["TakenItemTests"]),
  Bug(
    "view.of-another-fake", breaks: "rule 2: a fake puts work into a queue of another one",
    in: "TaskDispatchTesting/Engine/State.swift",
    .expression("mine.owner == name", becomes: "true"), suites: ["TakenItemTests"]),
  Bug(
    "foreground.taken-posted-uncounted", breaks: "rule 11: a posted task follows another one",
    in: "TaskDispatch/Policy/ForegroundOrder.swift",
    .without("if entry != nil { tookDue = false }"),
    suites: ["ForegroundOrderTests"]),
  Bug(
    "foreground.taken-due-uncounted", breaks: "rule 11: a due task follows another one",
    in: "TaskDispatch/Policy/ForegroundOrder.swift",
    .without("if entry != nil { tookDue = true }"),
    suites: ["ForegroundOrderTests"]),
  Bug(
    "foreground.next-is-posted", breaks: "rule 11: what is next is not what is taken",
    in: "TaskDispatch/Policy/ForegroundOrder.swift",
    .expression("(tookDue || !due.hasStartable)", becomes: "true"),
    suites: ["ForegroundOrderTests"]),
  Bug(
    "shutdown.report-out-of-order", breaks: "rule 13: what is unfinished is listed out of order",
    in: "TaskDispatch/Policy/ShutdownProgress.swift",
    .expression("unfinished.sorted { $0.number < $1.number }", becomes: "unfinished"),
    suites: ["ShutdownProgressTests"]),
  Bug(
    "shutdown.second-deadline-from-the-call", breaks: "rule 13: bodies have no time to stop",
    in: "TaskDispatch/Policy/ShutdownProgress.swift",
    .expression(
      "drain.advanced(by: policy.cancel).nanoseconds",
      becomes: "now.advanced(by: policy.cancel).nanoseconds"),
    suites: ["ShutdownProgressTests"]),
  Bug(
    "item.begun-and-forgotten",
    breaks: "a waiter that asked before the start is not told of the outcome",
    in: "TaskDispatch/Work/WorkItem.swift",
    .expression("known & ~Phase.all | new", becomes: "new"),
    suites: ["EarlyQuestionTests"]),
  Bug(
    "item.gives-up-beside-a-bit", breaks: "an item that an observer watches cannot begin",
    in: "TaskDispatch/Work/WorkItem.swift",
    .expression("found & bits == old", becomes: "found == old"),
    suites: ["EarlyQuestionTests"]),
  Bug(
    "item.observed-in-secret",
    breaks: "rule 2: the thread that ends an item does not see its observers",
    in: "TaskDispatch/Work/WorkItem+Observing.swift",
    .expression(
      "state.bitwiseOr(bit, ordering: .acquiringAndReleasing)",
      becomes: "state.bitwiseOr(0, ordering: .acquiringAndReleasing)"),
    suites: ["EarlyQuestionTests"]),
  Bug(
    "item.observer-too-late", breaks: "rule 2: an observer that asks after the end is never told",
    in: "TaskDispatch/Work/WorkItem+Observing.swift",
    .without("if before & Phase.all == Phase.finished { return true }"),
    suites: ["ItemRaceTests"]),
  Bug(
    "item.observers-stay", breaks: "rule 17: what watched an item stays for ever",
    in: "TaskDispatch/Work/WorkItem+Observing.swift",
    .expression(
      "observers.removeValue(forKey: ObjectIdentifier(self))",
      becomes: "observers[ObjectIdentifier(self)]",
      within: "guard let all = observers.removeValue(forKey: ObjectIdentifier(self))"),
    suites: ["WorkItemTests"]),
  Bug(
    "item.table-kept", breaks: "rule 17: many that were watched leave a large table",
    in: "TaskDispatch/Work/WorkItem+Observing.swift",
    .without("observers = [:]"),
    suites: ["WorkItemTests"]),
  Bug(
    "item.observers-outlive", breaks: "an observer of one item is told of the next at its address",
    in: "TaskDispatch/Work/WorkItem.swift",
    .expression(
      "$0.removeValue(forKey: ObjectIdentifier(self))", becomes: "$0[ObjectIdentifier(self)]"),
    suites: ["WorkItemTests"]),
  Bug(
    "item.observers-released-under-the-lock",
    breaks: "what an observer holds must not ask for an item while it goes",
    in: "TaskDispatch/Work/WorkItem.swift",
    .expression(
      "$0.removeValue(forKey: ObjectIdentifier(self))",
      becomes: """
        ($0.updateValue([], forKey: ObjectIdentifier(self)), nil as [ItemLock.Observer]?).1
        """),
    suites: ["ObserverReleaseTests"]),
  Bug(
    "item.cancelled-on-its-way",
    breaks: "an item whose cancellation races its submission is lost",
    in: "UVDispatch/Engine/Core/Core+Items.swift",
    .without("guard stage != .nowhere else { return false }"),
    suites: ["CancelRaceTests"]),
  Bug(
    "confined.taken-under-a-body",
    breaks: "a value is taken while an abandoned body of its queue changes it",
    in: "TaskDispatch/Context/Confined.swift",
    .expression(
      "begin(.inBody)", becomes: "use.load(ordering: .relaxed)",
      within: "let found = begin(.inBody)"),
    suites: ["ConfinedTests"]),
  Bug(
    "confined.never-free-again", breaks: "a confined value can be touched only once",
    in: "TaskDispatch/Context/Confined.swift",
    .without("use.store(.free, ordering: .releasing)"),
    suites: ["ConfinedTests"]),
  Bug(
    "item.value-not-kept", breaks: "rule 2: what a body made is gone when it has ended",
    in: "TaskDispatch/Work/ValueItem.swift",
    .without("item.hasMade = true"),
    suites: ["WorkItemTests"]),
  Bug(
    "item.view-or-group", breaks: "an item of a group is not one of its view",
    in: "TaskDispatch/Work/WorkItem+Making.swift",
    .expression("view != nil && group != nil", becomes: "false"),
    suites: ["WorkItemTests"]),
  Bug(
    "item.tolerates-nothing", breaks: "rule 8: a tolerance is lost",
    in: "TaskDispatch/Work/WorkItem+Making.swift",
    .expression("tolerance.isPositive", becomes: "false", within: "|| tolerance.isPositive"),
    suites: ["WorkItemTests"]),
  Bug(
    "item.nameless-timer", breaks: "a timer has no label",
    in: "TaskDispatch/Work/WorkItem+Making.swift",
    .expression("due == nil ? nil : label", becomes: "nil"),
    suites: ["WorkItemTests"]),
  Bug(
    "item.nameless-run", breaks: "a run of a timer has no label",
    in: "TaskDispatch/Work/BodyItem.swift",
    .expression("timer.label", becomes: "String?.none"),
    suites: ["WorkItemTests"]),
  Bug(
    "item.unseen", breaks: "a failure that a caller was handed is reported once more",
    in: "TaskDispatch/Work/WorkItem+Observing.swift",
    .without("state.bitwiseOr(Phase.failureIsSeen, ordering: .relaxed)"),
    suites: ["EarlyQuestionTests"]),
  Bug(
    "time.observed-early", breaks: "rule 16: an observer is told of a time before the submission",
    in: "UVDispatch/Engine/Core/Core.swift",
    .expression("isObserved || clock.isKnown", becomes: "clock.isKnown"),
    suites: ["TimeOfSubmissionTests"]),
  Bug(
    "time.known-twice", breaks: "a submission reads a clock that has been read",
    in: "UVDispatch/Engine/Core/Core.swift",
    .expression("isObserved || clock.isKnown", becomes: "isObserved"),
    suites: ["TimeOfSubmissionTests"]),
  Bug(
    "time.expires-early", breaks: "rule 8: a task expires before its time to live is over",
    in: "UVDispatch/Engine/Core/Core+Items.swift",
    .expression(
      "item.timeToLive != nil", becomes: "false", within: "hasTimeToLive: item.timeToLive != nil"),
    suites: ["TimeOfSubmissionTests"]),
  Bug(
    "time.before-the-start", breaks: "a task was submitted before its dispatcher was made",
    in: "UVDispatch/Engine/Doors/Doors.swift",
    .expression(
      "max(0, recentMonotonicNanoseconds() - origin)",
      becomes: "recentMonotonicNanoseconds() - origin"),
    suites: ["TimeOfSubmissionTests"]),
  Bug(
    "free-list.given-twice", breaks: "two tasks are one object",
    in: "UVDispatch/Engine/Parts/FreeList.swift",
    .expression("task.nextFree.take()", becomes: "task", within: "first = task.nextFree.take()"),
    suites: ["RunningTasksTests"]),
  Bug(
    "free-list.forgotten", breaks: "what is kept is never used again but the last",
    in: "UVDispatch/Engine/Parts/FreeList.swift",
    .without("task.nextFree = first.take()"),
    suites: ["RunningTasksTests"]),
  Bug(
    "free-list.counted-up-alone", breaks: "after a thousand tasks, none is used again",
    in: "UVDispatch/Engine/Parts/FreeList.swift",
    .without("count -= 1"),
    suites: ["RunningTasksTests"]),
  Bug(
    "item.moved-unseen", breaks: "rule 9: another is cancelled than was asked for",
    in: "UVDispatch/Engine/Tasks/Entry.swift",
    .without(
      "item.place.position = position",
      within: "case .item(let item): item.place.position = position"),
    suites: ["WaitingItemTests", "CancelRaceTests"]),
  Bug(
    "item.of-another",
    breaks: "rule 9: another is taken out of its queue for one that is not there",
    in: "UVDispatch/Engine/Core/Core+Items.swift",
    .expression("isOut", becomes: "true", within: "isOut, \"\\(item.name) does not stand"),
    suites: ["WaitingItemTests"]),
  Bug(
    "plain.behind-higher", breaks: "rule 13: a plain body is reported behind what overtook it",
    in: "UVDispatch/Engine/Core/Core+Draining.swift",
    .expression(
      "item.band == .medium", becomes: "true", within: "|| item.band == .medium"),
    suites: ["PlainInViewTests"]),
  Bug(
    "item.stands-on", breaks: "rule 9: what has started is taken out of a queue",
    in: "UVDispatch/Engine/Core/Core+Run.swift",
    .without("item.stage = .nowhere"),
    suites: ["WaitingItemTests", "UVContractTests"]),
  Bug(
    "item.unwanted-forgotten", breaks: "rule 9: a Task cancelled while it submits runs its body",
    in: "TaskDispatch/Work/WorkItem+Observing.swift",
    .expression("before & Phase.isUnwanted != 0", becomes: "false"),
    suites: ["CancelRaceTests"]),
  Bug(
    "item.unwanted-unnoticed", breaks: "rule 9: a Task that has submitted cannot cancel",
    in: "TaskDispatch/Work/WorkItem+Observing.swift",
    .expression("before & Phase.isSubmitted != 0", becomes: "false"),
    suites: ["CancelRaceTests"]),
  Bug(
    "item.unwanted-while-running", breaks: "rule 9: a body that runs within its submission goes on",
    in: "TaskDispatch/Queue/TaskQueue+Wait.swift",
    .expression("item.isRunning", becomes: "false"),
    suites: ["InlineTests"]),
  Bug(
    "item.end-unnoticed", breaks: "rule 13: a shutdown waits for what was cancelled",
    in: "UVDispatch/Engine/Core/Core+Run.swift",
    .without(
      "if closing.hasBegun { loop.want() }",
      within: "item.view as? UVView)\n    if closing.hasBegun { loop.want() }"),
    suites: ["WaitingItemTests"]),
  Bug(
    "item.due-unknown", breaks: "rule 2: a timer's time to live counts from its submission",
    in: "UVDispatch/Engine/Core/Core+Timers.swift",
    .without("if item.timeToLive != nil { task(for: item).cameDueAt = time }"),
    suites: ["WaitingItemTests", "UVContractTests"]),
  Bug(
    "item.two-tasks", breaks: "an item has a task for each thread that asks",
    in: "UVDispatch/Engine/Core/Core+Items.swift",
    .without("item.queued = task", within: "item.queued = task\n    return task"),
    suites: ["WaitingItemTests"]),
  Bug(
    "group.dispatcher-of-old",
    breaks: "rule 14: a group asks a dispatcher that it was used with long ago",
    in: "TaskDispatch/Work/WorkGroup.swift",
    .without("first = Owner(dispatcher)"), suites: ["GroupDispatcherTests"]),
  Bug(
    "group.second-forgotten", breaks: "rule 14: a group knows the first of its dispatchers alone",
    in: "TaskDispatch/Work/WorkGroup.swift",
    .without("others.append(Owner(dispatcher))"),
    suites: ["GroupDispatcherTests", "TakingTurnsTests"]),
  Bug(
    "group.gone-taken-for-another",
    breaks: "rule 14: a group does not know of a dispatcher that was made in another's place",
    in: "TaskDispatch/Work/WorkGroup.swift",
    .expression("dispatcher != nil", becomes: "true"), suites: ["GroupDispatcherTests"]),
  Bug(
    "group.body-unasked",
    breaks: "rule 14: a body that waits for what stands behind it hangs, for others had members",
    in: "TaskDispatch/Work/WorkGroup.swift",
    .without(
      "if let innermost, known.contains(where: { $0 === innermost }) { return innermost }"),
    suites: ["GroupDispatcherTests", "WaitForOthersTests"]),
  Bug(
    "group.members-unasked", breaks: "rule 14: a group asks the dispatcher of a notification",
    in: "TaskDispatch/Work/WorkGroup.swift",
    .without("if let last = known.last { return last }"),
    suites: ["GroupDispatcherTests", "WaitForOthersTests"]),
  Bug(
    "group.notified-unasked", breaks: "a thread waits for a notification that a fake has to run",
    in: "TaskDispatch/Work/WorkGroup.swift",
    .without("withState { $0.notified = Owner(queue.implementation) }"),
    suites: ["GroupDispatcherTests"]),
  Bug(
    "group.outside-unmoved",
    breaks: "a thread outside keeps a dispatcher from the pool that has a member in a group later",
    in: "TaskDispatch/Work/WorkGroup.swift",
    .without(
      "if let dispatcher {\n        return try dispatcher.wait(for: target, timeout: left.map { .nanoseconds($0) })\n      }"
    ),
    suites: ["BlockedRunsTests"]),
  Bug(
    "group.outside-unheard",
    breaks: "a thread outside keeps a dispatcher from the pool that has a member in a group later",
    in: "TaskDispatch/Work/WorkGroup.swift",
    .expression(
      "true", becomes: "false", within: "by: parker, checks: true"),
    suites: ["BlockedRunsTests"]),
  Bug(
    "group.emptied-before",
    breaks: "a wait forgets that its group was empty when it has a member again",
    in: "TaskDispatch/Work/WorkGroup.swift",
    .expression(
      "state.timesEmptied != time", becomes: "false",
      within: "state.count == 0 || state.timesEmptied != time"),
    suites: ["WaitForOthersTests"]),
  Bug(
    "group.members-for-ever",
    breaks: "rule 14: a group takes another dispatcher for the one before",
    in: "TaskDispatch/Work/WorkGroup.swift",
    .without("state.members -= members"),
    suites: ["GroupDispatcherTests"]),
]
