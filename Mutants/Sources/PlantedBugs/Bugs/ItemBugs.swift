/// An item between those who begin, end and watch it, and what is known of its submission.
let itemBugs = [
  Bug(
    "item.begun-and-forgotten", breaks: "nobody is told of the outcome who asked before the start",
    in: "TaskDispatch/Work/WorkItem.swift",
    .expression("known & ~Phase.all | new", becomes: "new"),
    suites: ["EarlyQuestionTests"]),
  Bug(
    "item.gives-up-beside-a-bit", breaks: "an item that somebody watches cannot begin",
    in: "TaskDispatch/Work/WorkItem.swift",
    .expression("found & Phase.all == old", becomes: "found == old"),
    suites: ["EarlyQuestionTests"]),
  Bug(
    "item.observers-not-told", breaks: "rule 2: who waits for an outcome is not told",
    in: "TaskDispatch/Work/WorkItem.swift",
    .without("tellObservers(outcome)"),
    suites: ["EarlyQuestionTests"]),
  Bug(
    "item.observed-in-secret",
    breaks: "rule 2: who ends an item does not know that somebody watches",
    in: "TaskDispatch/Work/WorkItem.swift",
    .expression(
      "Phase.isObserved", becomes: "0",
      within: "state.bitwiseOr(Phase.isObserved, ordering: .acquiringAndReleasing)"),
    suites: ["EarlyQuestionTests"]),
  Bug(
    "item.observer-too-late", breaks: "rule 2: who asks after the end is never told",
    in: "TaskDispatch/Work/WorkItem.swift",
    .without("if before & Phase.all == Phase.finished { return outcomeIfFinished }"),
    suites: ["ItemRaceTests"]),
  Bug(
    "item.observers-stay", breaks: "rule 17: what watched an item lives as long as its handle",
    in: "TaskDispatch/Work/WorkItem.swift",
    .without("self.observers = []"),
    suites: ["ItemRaceTests"]),
  Bug(
    "item.unseen", breaks: "a failure that somebody was handed is reported once more",
    in: "TaskDispatch/Work/WorkItem.swift",
    .without("state.bitwiseOr(Phase.failureIsSeen, ordering: .relaxed)"),
    suites: ["EarlyQuestionTests"]),
  Bug(
    "time.observed-early", breaks: "rule 16: an observer is told of a time before the submission",
    in: "UVDispatch/Engine/Core.swift",
    .expression("isObserved || clock.isKnown", becomes: "clock.isKnown"),
    suites: ["TimeOfSubmissionTests"]),
  Bug(
    "time.known-twice", breaks: "a submission reads a clock that has been read",
    in: "UVDispatch/Engine/Core.swift",
    .expression("isObserved || clock.isKnown", becomes: "isObserved"),
    suites: ["TimeOfSubmissionTests"]),
  Bug(
    "time.expires-early", breaks: "rule 8: a task expires before its time to live is over",
    in: "UVDispatch/Engine/Core+Submit.swift",
    .expression(
      "item.timeToLive != nil", becomes: "false", within: "hasTimeToLive: item.timeToLive != nil"),
    suites: ["TimeOfSubmissionTests"]),
  Bug(
    "time.before-the-start", breaks: "a task was submitted before its dispatcher was made",
    in: "UVDispatch/Engine/Core.swift",
    .expression(
      "max(0, recentMonotonicNanoseconds() - origin)",
      becomes: "recentMonotonicNanoseconds() - origin"),
    suites: ["TimeOfSubmissionTests"]),
  Bug(
    "spares.given-twice", breaks: "two tasks are one object",
    in: "UVDispatch/Engine/Spares.swift",
    .expression("task.nextSpare.take()", becomes: "task", within: "first = task.nextSpare.take()"),
    suites: ["ReuseTests"]),
  Bug(
    "spares.forgotten", breaks: "what is kept is never used again but the last",
    in: "UVDispatch/Engine/Spares.swift",
    .without("task.nextSpare = first.take()"),
    suites: ["ReuseTests"]),
  Bug(
    "spares.counted-up-alone", breaks: "after a thousand tasks, none is used again",
    in: "UVDispatch/Engine/Spares.swift",
    .without("count -= 1"),
    suites: ["ReuseTests"]),
  Bug(
    "spares.go-as-a-chain", breaks: "a dispatcher that ends overflows a small stack",
    in: "UVDispatch/Engine/Spares.swift",
    .without("while let task = next { next = task.nextSpare.take() }"),
    suites: ["ReuseTests"]),
]
