/// Snapshots, and what they count.
let snapshotBugs: [Bug] = contentBugs + countBugs + ageBugs

private let contentBugs = [
  Bug(
    "snapshot.posted-uncounted", breaks: "what was only posted is not in the ledger of a snapshot",
    in: "UVDispatch/Engine/Core/Core+Snapshot.swift",
    .without("facts.ledger.accepted += queue.posted"),
    suites: ["SnapshotTests"]),
  Bug(
    "snapshot.posted-not-waiting", breaks: "the ledger of a snapshot does not balance",
    in: "UVDispatch/Engine/Core/Core+Snapshot.swift",
    .without("facts.ledger.waiting += queue.posted"),
    suites: ["SnapshotTests"]),
  Bug(
    "snapshot.full-views-forgotten", breaks: "what was posted to a full queue is not in a snapshot",
    in: "UVDispatch/Engine/Core/Core+Snapshot.swift",
    .expression(
      "background.viewsDrainedOnCompletion + doors.background.readyViews",
      becomes: "doors.background.readyViews"),
    suites: ["SnapshotTests"]),
  Bug(
    "snapshot.ready-views-forgotten",
    breaks: "what was posted to a queue while all workers are busy is not in a snapshot",
    in: "UVDispatch/Engine/Core/Core+Snapshot.swift",
    .expression(
      "background.viewsDrainedOnCompletion + doors.background.readyViews",
      becomes: "background.viewsDrainedOnCompletion"),
    suites: ["SnapshotTests"]),
  Bug(
    "snapshot.due-forgotten", breaks: "timers that are due are not in a snapshot",
    in: "UVDispatch/Engine/Core/Core+Snapshot.swift",
    .expression(
      "foreground.posted.count + foreground.due.count", becomes: "foreground.posted.count"),
    suites: ["SnapshotTests"]),
  Bug(
    "snapshot.callbacks-forgotten", breaks: "threads that make callbacks are not in a snapshot",
    in: "UVDispatch/Engine/Parts/RunningTasks.swift",
    .expression("telling.map(body)", becomes: "[]"),
    suites: ["SnapshotTests"]),
  Bug(
    "snapshot.refusals-forgotten",
    breaks: "submissions that were refused at once are not counted for their queue",
    in: "UVDispatch/Engine/Core/Core+Snapshot.swift",
    .without("if let flow { counts.refused += flow.refusals }"),
    suites: ["SnapshotTests"]),
  Bug(
    "snapshot.report-without", breaks: "the report of a shutdown does not say what is left",
    in: "UVDispatch/Engine/Core/Core+Concluding.swift",
    .expression("closing.isUnclean", becomes: "false"),
    suites: ["SnapshotTests"]),
  Bug(
    "snapshot.report-always", breaks: "the report of a clean shutdown has a snapshot",
    in: "UVDispatch/Engine/Core/Core+Concluding.swift",
    .expression("closing.isUnclean", becomes: "true"),
    suites: ["SnapshotTests"]),
  Bug(
    "snapshot.timers-unordered", breaks: "a snapshot names other timers than the next ones",
    in: "TaskDispatch/Policy/DeadlineQueue.swift",
    .expression(
      "(exact.first(count) + tolerant.first(count)).sorted { $0.precedes($1) }",
      becomes: "exact.first(count) + tolerant.first(count)"),
    suites: ["DeadlineQueueTests"]),
  Bug(
    "snapshot.timers-by-heap", breaks: "a snapshot names other timers than the next ones",
    in: "TaskDispatch/Policy/DeadlineHeap.swift",
    .expression("min(index * 4 + 5, entries.count)", becomes: "min(index * 4 + 4, entries.count)"),
    suites: ["DeadlineQueueTests"]),
]

private let countBugs = [
  Bug(
    "counts.batch-uncounted", breaks: "the bodies of a batch are not counted for their queue",
    in: "UVDispatch/Engine/Core/Core+Batches.swift",
    .without("context.counts.value.completed += 1"),
    suites: ["SnapshotTests"]),
  Bug(
    "counts.last-uncounted", breaks: "the last body of a batch is not counted for its queue",
    in: "UVDispatch/Engine/Core/Core+Run.swift",
    .without("context.counts.value.count(outcome)"),
    suites: ["SnapshotTests"]),
  Bug(
    "counts.sync-uncounted", breaks: "a sync is not counted for its queue",
    in: "UVDispatch/Engine/Core/Core+Callers.swift",
    .without("(context.view?.counts ?? accounts.counts(of: .background)).value.completed += 1"),
    suites: ["SnapshotTests"]),
  Bug(
    "counts.wrong-queue", breaks: "the bodies of a view are counted for the lane",
    in: "UVDispatch/Engine/Tasks/BatchContext.swift",
    .expression("view?.counts ?? countsOfLane", becomes: "countsOfLane"),
    suites: ["SnapshotTests"]),
  Bug(
    "counts.task-uncounted", breaks: "a body with an object is not counted for its queue",
    in: "UVDispatch/Engine/Core/Core+Run.swift",
    .without(
      "count(outcome, on: task.lane, task.view)",
      within:
        "count(outcome, on: task.lane, task.view)\n    tell(.finished(outcome), task)\n    endedPlain(task)\n    if timers.hasRuns, let run = task.item as? RunItem { endRun(of: run.timer) }"
    ),
    suites: ["SnapshotTests"]),
  Bug(
    "counts.cancelled-uncounted", breaks: "what is cancelled is not counted for its queue",
    in: "UVDispatch/Engine/Core/Core+Run.swift",
    .without("count(outcome, on: item.lane, item.view as? UVView)"),
    suites: ["SnapshotTests"]),
  Bug(
    "counts.abandoned-uncounted", breaks: "what is given up is not counted for its queue",
    in: "UVDispatch/Engine/Core/Core+Concluding.swift",
    .without("count(.abandoned, on: task.lane, task.view)"),
    suites: ["SnapshotTests"]),
]

private let ageBugs = [
  Bug(
    "ages.inbox-unstamped", breaks: "the age of what was posted is not known",
    in: "UVDispatch/Engine/Doors/ViewInbox.swift",
    .without("state.value.since = recentMonotonicNanoseconds()"),
    suites: ["SnapshotAgeTests"]),
  Bug(
    "ages.lane-unstamped", breaks: "the age of what was posted to a lane is not known",
    in: "UVDispatch/Engine/Doors/Inbox.swift",
    .without("state.value.since = recentMonotonicNanoseconds()"),
    suites: ["SnapshotAgeTests"]),
  Bug(
    "ages.each-post-stamps", breaks: "the oldest seems to be as young as the newest",
    in: "UVDispatch/Engine/Doors/ViewInbox.swift",
    .expression(
      "state.value.entries.isEmpty", becomes: "true",
      within: "if state.value.entries.isEmpty"),
    suites: ["SnapshotAgeTests"]),
  Bug(
    "ages.arrival-unnoted", breaks: "the age of what was drained is not known",
    in: "UVDispatch/Engine/Core/Core+Draining.swift",
    .without(
      "statistics.noteArrival(\n      since: since, before, view.positionsOfMedium, view.compactionsOfMedium)"
    ),
    suites: ["SnapshotAgeTests"]),
  Bug(
    "ages.arrival-in-foreground-unnoted", breaks: "the age of what was drained is not known",
    in: "UVDispatch/Engine/Core/Core+Foreground.swift",
    .without(
      "accounts.statistics(of: .foreground)\n          .noteArrival(\n            since: since, before, $0.posted.positions(in: .medium),\n            $0.posted.compactions(in: .medium))"
    ),
    suites: ["SnapshotAgeTests"]),
  Bug(
    "ages.youngest", breaks: "a snapshot tells the age of the youngest",
    in: "UVDispatch/Engine/Core/Core+Snapshot.swift",
    .expression("max(facts.oldestAge ?? 0, age)", becomes: "min(facts.oldestAge ?? 3600, age)"),
    suites: ["SnapshotAgeTests"]),
  Bug(
    "ages.moves-ignored", breaks: "after a compaction the oldest seems to be young",
    in: "TaskDispatch/Policy/ReadyQueue.swift", .without("bands[index].compactions &+= 1"),
    suites: ["SnapshotAgeTests"]),
  Bug(
    "ages.materialised-unknown", breaks: "after a flush the age of plain bodies is not known",
    in: "UVDispatch/Engine/Core/Core+Snapshot.swift",
    .expression(
      "arrivalOfDue(entry) ?? statistics.arrival(of: position, queue.compactions(in: .medium))",
      becomes: "arrivalOfDue(entry)"),
    suites: ["SnapshotAgeTests"]),
  Bug(
    "snapshot.past-overflows", breaks: "a sleep until the distant past ends the process",
    in: "UVDispatch/Engine/Core/Core+Snapshot.swift",
    .expression("due.subtractingClamped(now)", becomes: "due - now"),
    suites: ["SnapshotTests"]),
  Bug(
    "ages.old-marks-stay", breaks: "elements of an emptied queue seem to be as old as those before",
    in: "TaskDispatch/Policy/ArrivalMarks.swift",
    .without("marks.removeAll(keepingCapacity: true)"),
    suites: ["ArrivalMarksTests"]),
  Bug(
    "ages.each-lot-kept", breaks: "the marks of a queue fill the memory",
    in: "TaskDispatch/Policy/ArrivalMarks.swift",
    .without("return", within: "since - last.since < Self.resolution {\n      return"),
    suites: ["ArrivalMarksTests"]),
  Bug(
    "ages.never-thinned", breaks: "the marks of a queue fill the memory",
    in: "TaskDispatch/Policy/ArrivalMarks.swift",
    .without("thin()", within: "marks.count >= Self.most { thin() }"),
    suites: ["ArrivalMarksTests"]),
  Bug(
    "ages.newer-kept", breaks: "an element seems to be younger than it is",
    in: "TaskDispatch/Policy/ArrivalMarks.swift",
    .expression("$0 % 2 == 0", becomes: "$0 % 2 == 1"),
    suites: ["ArrivalMarksTests"]),
  Bug(
    "ages.other-lot", breaks: "the age of the head is that of another lot",
    in: "TaskDispatch/Policy/ArrivalMarks.swift",
    .expression(
      "$0.position <= head", becomes: "$0.position < head",
      within: "marks.last { $0.position <= head }"),
    suites: ["ArrivalMarksTests"]),
]
