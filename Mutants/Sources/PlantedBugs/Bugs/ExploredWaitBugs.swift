/// Bodies of the fake that wait while others run on top of them on the stack, in every order.
let exploredWaitBugs: [Bug] = [
  Bug(
    "explore.no-look-before-sync", breaks: "no task comes between a body and its place in a queue",
    in: "TaskDispatchTesting/RecordingDispatcher+Waiting.swift",
    .without("try letOthersSubmitFirst()"),
    suites: ["BlockedBodyTests"]),
  Bug(
    "explore.own-turn-again",
    breaks: "a waiting body's start is a move beside that the body goes on",
    in: "TaskDispatchTesting/Engine/State+Exploring.swift",
    .expression("caller.entry === entry", becomes: "false"),
    suites: ["BlockedBodyTests"]),
  Bug(
    "explore.foreground-twice", breaks: "a sync body runs while a body of the foreground waits",
    in: "TaskDispatchTesting/Engine/State+Waiting.swift",
    .expression(
      "!foregroundIsBusy", becomes: "true",
      within: "!foregroundIsBusy\n      && foreground.withNext("),
    suites: ["BlockedBodyTests"]),
  Bug(
    "explore.admission-below-kept",
    breaks: "a body that waits below on the stack keeps its place in a queue from others",
    in: "TaskDispatchTesting/Engine/State+WaitingCalls.swift",
    .expression(
      "caller.admission.take()", becomes: "nil",
      within: "other.reason, let admission = caller.admission.take()"),
    suites: ["BlockedBodyTests"]),
  Bug(
    "explore.caller-of-another", breaks: "a body on top of another's sees that one's queue",
    in: "TaskDispatchTesting/Engine/State+WaitingCalls.swift",
    .without("entry.runsAboveItsCaller = true"),
    suites: ["BlockedBodyTests"]),
  Bug(
    "explore.others-cannot-go-on",
    breaks: "a wait for a body below on the stack is called a deadlock",
    in: "TaskDispatchTesting/Engine/State+WaitingCalls.swift",
    .expression("waitingCalls.contains { $0 !== mine && canGoOn($0) }", becomes: "false"),
    suites: ["BlockedBodyTests"]),
  Bug(
    "explore.others-do-not-run", breaks: "a wait for what has not run is called a deadlock",
    in: "TaskDispatchTesting/Engine/State+WaitingCalls.swift",
    .statement(
      "return takeBackground(hidesOuter: true)", becomes: "return nil",
      within:
        "if !foregroundIsBusy, let next = takeForeground(hidesOuter: true) { return next }\n    return takeBackground(hidesOuter: true)\n  }\n\n  /// What `mine`"
    ),
    suites: ["BlockedBodyTests"]),
  Bug(
    "explore.those-below-refuse", breaks: "a queue below is one's own",
    in: "TaskDispatchTesting/Engine/State+Waiting.swift",
    .without("if place == .elsewhere, decisions != nil { continue }"),
    suites: ["BlockedBodyTests"]),
  Bug(
    "explore.room-below-refused",
    breaks: "a wait for room that a body below on the stack makes is refused",
    in: "TaskDispatchTesting/RecordingDispatcher+Waiting.swift",
    .without("withState { $0.noteIfOthersCanGoOn(than: waiting, \"room on \\(queue.label)\") }"),
    suites: ["BlockedBodyTests"]),
  Bug(
    "explore.time-out-unordered", breaks: "a wait that may be too late is left out",
    in: "TaskDispatchTesting/RecordingDispatcher+Waiting.swift",
    .expression("end == nil ? refusal : nil", becomes: "refusal"),
    suites: ["BlockedBodyTests"]),
]
