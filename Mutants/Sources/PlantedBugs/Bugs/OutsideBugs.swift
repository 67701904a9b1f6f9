/// What a dispatcher outside of the package works with, and calls past `TaskQueue`.
let outsideBugs = [
  Bug(
    "outside.ticks-not-counted", breaks: "rule 8: the run of an outside dispatcher counts no ticks",
    in: "TaskDispatch/Work/TakenItem.swift",
    .without("(item as? RunItem)?.beginBody(at: now)"), suites: ["RepeatingTimerTests"]),
  Bug(
    "outside.begins-twice", breaks: "rule 2: an outside dispatcher begins what it has ended",
    in: "TaskDispatch/Work/TakenItem.swift",
    .expression("item.beginIfItWaits()", becomes: "item.beginIfItWaits() || true"),
    suites: ["TakenItemCallsTests"]),
  Bug(
    "outside.threads-sleep-on", breaks: "rule 20: threads wait until observers have been called",
    in: "TaskDispatch/Work/Endings.swift",
    .without("for end in all { end.item.wakeThreads(end.telling) }"), suites: ["EndingsTests"]),
  Bug(
    "outside.waits-go-on-late", breaks: "rule 20: what waits for a group does not go on",
    in: "TaskDispatch/Work/Endings.swift",
    .without("for end in all { end.item.resume(end.outcome, end.telling) }"),
    suites: ["EndingsTests"]),
  Bug(
    "outside.own-untold", breaks: "rule 20: an outside dispatcher cannot tell its own events",
    in: "TaskDispatch/Work/Endings.swift", .without("own()"), suites: ["EndingsTests"]),
  Bug(
    "outside.observers-untold", breaks: "rule 20: observers are not told",
    in: "TaskDispatch/Work/Endings.swift",
    .without("for end in all { end.item.tell(end.outcome, end.telling) }"),
    suites: ["EndingsTests"]),
  Bug(
    "outside.tells-in-a-task", breaks: "rule 20: observers are called in the task that has ended",
    in: "TaskDispatch/Work/Endings.swift",
    .statement(
      "TaskContext.delivering(for: dispatcher, outsideTasks: outsideTasks, tellAll)",
      becomes: "TaskContext.delivering(for: dispatcher, outsideTasks: false, tellAll)"),
    suites: ["EndingsTests"]),
  Bug(
    "outside.suspends-lane", breaks: "a suspend of what is no view passes silently",
    in: "UVDispatch/UVDispatcher+Submitting.swift",
    .without("queue.requireSuspendable()"), suites: ["SuspendedLaneTests"]),
  Bug(
    "outside.fake-suspends-lane",
    breaks: "a suspend of what is no view passes silently in the fake",
    in: "TaskDispatchTesting/RecordingDispatcher+Submitting.swift",
    .without("queue.requireSuspendable()"), suites: ["SuspendedLaneTests"]),
  Bug(
    "outside.waker-of-one-that-is-gone",
    breaks: "rule 14: a thread waits for ever, since an object before had its address",
    in: "TaskDispatch/Work/WorkGroup.swift",
    .expression(
      "name == ObjectIdentifier(other) && owner != nil", becomes: "name == ObjectIdentifier(other)"),
    suites: ["GroupWakerTests"]),
  Bug(
    "outside.dropped-silently", breaks: "rule 20: what waits for an item waits for ever, silently",
    in: "TaskDispatch/Work/Endings.swift",
    .expression("ended.isEmpty", becomes: "true"), suites: ["MisuseTests"]),
  Bug(
    "outside.ends-unfit", breaks: "rule 2: an item completes that has not run",
    in: "TaskDispatch/Work/Endings.swift",
    .without("requireFit(taken.item, outcome)"), suites: ["MisuseTests"]),
  Bug(
    "outside.asked-elsewhere", breaks: "rule 2: a dispatcher waits for an item of another one",
    in: "TaskDispatch/Work/WorkItem+Place.swift",
    .without("if isOutside { refuseElsewhere() }"), suites: ["MisuseTests"]),
]
