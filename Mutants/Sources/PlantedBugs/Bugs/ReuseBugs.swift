/// Task objects that are kept for the next tasks.
let reuseBugs = [
  Bug(
    "reuse.held-by-the-loop", breaks: "each task on the loop allocates an object",
    in: "UVDispatch/Engine/Engine+Iteration.swift",
    .expression(
      "run(consume begun, in: loopContext, core, within: &budget, left: &left)",
      becomes: """
        withExtendedLifetime(begun) {
          run(begun, in: loopContext, core, within: &budget, left: &left)
        }
        """),
    suites: ["ReuseTests"]),
  Bug(
    "reuse.held-by-a-worker-run", breaks: "each task in a worker run allocates an object",
    in: "UVDispatch/Engine/Engine+Worker.swift",
    .expression(
      "run(consume next, in: context, core, within: &slice.budget, left: &left)",
      becomes: """
        withExtendedLifetime(next) {
          run(next, in: context, core, within: &slice.budget, left: &left)
        }
        """),
    suites: ["ReuseTests"]),
  Bug(
    "reuse.looked-at",
    breaks: "rule 14: a thread that waits for a task is told of another one's circle",
    in: "UVDispatch/Engine/Parts/RunningTasks.swift",
    .expression("isKnownUniquelyReferenced(&task)", becomes: "true"),
    suites: ["RunningTasksTests"]),
  Bug(
    "reuse.without-end", breaks: "what one burst needed is held for ever",
    in: "UVDispatch/Engine/Parts/RunningTasks.swift",
    .expression("freeTasks.count < FreeList.most", becomes: "true"),
    suites: ["RunningTasksTests"]),
  Bug(
    "reuse.keeps-the-item", breaks: "rule 17: an item lives until its object is used again",
    in: "UVDispatch/Engine/Tasks/RunningTask.swift",
    .without("letGo()", within: "letGo()\n    view = nil"),
    suites: ["RunningTasksTests"]),
  Bug(
    "reuse.keeps-the-view", breaks: "rule 17: a view lives until its object is used again",
    in: "UVDispatch/Engine/Tasks/RunningTask.swift",
    .without("view = nil", within: "letGo()\n    view = nil"),
    suites: ["RunningTasksTests"]),
  Bug(
    "reuse.abandoned-again", breaks: "rule 1: the outcome of a task is taken for another's",
    in: "UVDispatch/Engine/Tasks/RunningTask.swift",
    .without(
      "isAbandoned = false", within: "isAbandoned = false\n    isBlocked"),
    suites: ["ReuseTests"]),
  Bug(
    "reuse.old-age", breaks: "rule 8: a task expires by the time of another",
    in: "UVDispatch/Engine/Tasks/QueuedTask.swift",
    .without("cameDueAt = nil"),
    suites: ["ReuseTests"]),
  Bug(
    "abandoned.under-the-lock", breaks: "a deinit that calls the dispatcher waits for itself",
    in: "UVDispatch/Engine/Core/Core+Run.swift",
    .without(
      "callbacks.append { withExtendedLifetime((item, outcome)) {} }"),
    suites: ["AbandonedValueTests"]),
  Bug(
    "slice.never-over", breaks: "rule 12: a worker run keeps its thread while others wait for one",
    in: "UVDispatch/Engine/TimeSlice.swift",
    .expression("now - began >= Self.quantum", becomes: "false"),
    suites: ["TimeSliceTests"]),
  Bug(
    "slice.any-answer", breaks: "rule 12: an answer counts from before others came",
    in: "UVDispatch/Engine/TimeSlice.swift",
    .expression(
      "began + Self.asksAfter", becomes: "began", within: "hadThreadToSpare(began + Self.asksAfter)"
    ),
    suites: ["TimeSliceTests"]),
  Bug(
    "slice.goes-on-where-it-began", breaks: "a worker run that goes on is over at once",
    in: "UVDispatch/Engine/TimeSlice.swift",
    .without("self = TimeSlice(from: now)"),
    suites: ["TimeSliceTests"]),
  Bug(
    "slice.waits-a-whole-one", breaks: "rule 12: a worker run waits too long for its answer",
    in: "UVDispatch/Engine/TimeSlice.swift",
    .expression("began + Self.quantum - now", becomes: "Self.quantum"),
    suites: ["TimeSliceTests"]),
  Bug(
    "question.asked-once", breaks: "no worker run ever goes on after the first",
    in: "UVDispatch/LibUV/WorkerRuns.swift",
    .without("isAsked.store(false, ordering: .relaxed)"),
    suites: ["QuestionTests"]),
  Bug(
    "question.never-answered", breaks: "every lease ends with its quantum",
    in: "UVDispatch/LibUV/WorkerRuns.swift",
    .without("answeredAt.store(monotonicNanoseconds(), ordering: .relaxed)"),
    suites: ["QuestionTests"]),
  Bug(
    "question.answered-by-whom-it-asks", breaks: "rule 12: it is not known that others wait",
    in: "UVDispatch/LibUV/WorkerRuns.swift",
    .expression("answeredAt.load(ordering: .relaxed) >= time", becomes: "true"),
    suites: ["QuestionTests"]),
]
