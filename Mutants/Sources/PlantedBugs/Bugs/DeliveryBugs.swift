/// How the end of a task reaches callbacks, and the threads and Tasks that wait for it.
let deliveryBugs: [Bug] = [
  Bug(
    "telling.with-the-next", breaks: "rule 20: a worker that calls back holds the next task",
    in: "UVDispatch/Engine/Engine+Bodies.swift",
    .expression("told.isNothing", becomes: "true", within: "guard told.isNothing else"),
    suites: ["UVContractTests"]),
  Bug(
    "telling.in-a-context",
    breaks: "rule 20: a callback on a worker's thread is in a task's context",
    in: "UVDispatch/Engine/Engine.swift",
    .expression("true", becomes: "false", within: "unlock(outsideTasks: true)"),
    suites: ["UVContractTests", "HelperFrameTests"]),
  Bug(
    "telling.share-kept",
    breaks: "rule 20: a callback that takes its time keeps its share of the pool",
    in: "UVDispatch/Engine/Engine.swift",
    .without("if isWorker { core.workers.beginTelling() }"), suites: ["RunsOfCallbacksTests"]),
  Bug(
    "telling.share-never-back", breaks: "rule 4: after a callback more bodies run than the width",
    in: "UVDispatch/Engine/Engine.swift",
    .without("if isWorker { core.workers.endTelling() }"), suites: ["RunsOfCallbacksTests"]),
  Bug(
    "telling.batch-unwoken",
    breaks: "rule 20: the first callback of a batch holds back a waiting thread",
    in: "UVDispatch/Engine/Engine.swift",
    .without("for note in notes { note.wake() }"), suites: ["UVContractTests"]),
  Bug(
    "telling.batch-unresumed", breaks: "rule 20: a Task that awaits one of a batch waits on",
    in: "UVDispatch/Engine/Engine.swift",
    .without("for note in notes { note.resume() }"), suites: ["UVContractTests"]),
  Bug(
    "telling.one-unresumed", breaks: "rule 20: a Task that awaits an outcome waits on",
    in: "UVDispatch/Engine/Engine.swift",
    .without("note.resume()", within: "note.resume()\n        if isEnding"),
    suites: ["UVContractTests"]),
  Bug(
    "telling.tasks-with-threads",
    breaks:
      "rule 13: the executor of a Task keeps the deadline's own thread from its next deadline",
    in: "UVDispatch/Engine/Engine.swift",
    .statement(
      "for note in notes { note.wake() }",
      becomes: "for note in notes {\nnote.wake()\nnote.resume()\n}"),
    .without("for note in notes { note.resume() }"), suites: ["ExecutorsThatWaitTests"]),
  Bug(
    "telling.ending-unresumed",
    breaks: "rule 20: a Task that awaits an item waits on when that is taken out",
    in: "UVDispatch/Engine/Engine.swift",
    .without(
      "item.resume(outcome, telling)", within: "item.resume(outcome, telling)\n      item.tell"),
    suites: ["UVContractTests"]),
  Bug(
    "telling.ending-unwoken",
    breaks: "rule 20: a thread that waits for a group waits on when its last is taken out",
    in: "UVDispatch/Engine/Engine.swift",
    .without("item.wakeThreads(telling)", within: "item.wakeThreads(telling)\n      item.resume"),
    suites: ["WaitForOthersTests"]),
  Bug(
    "telling.fake-batch-unresumed",
    breaks: "rule 20: a Task that awaits an outcome of a fake waits on",
    in: "TaskDispatchTesting/RecordingDispatcher.swift",
    .without(
      "for ending in callbacks.endings { ending.item.resume(ending.outcome, ending.telling) }"),
    suites: ["ContractFakeTests"]),
  Bug(
    "telling.fake-batch-unwoken",
    breaks:
      "rule 2: a thread that waits elsewhere for a group sleeps on when a fake has emptied it",
    in: "TaskDispatchTesting/RecordingDispatcher.swift",
    .without(
      "for ending in callbacks.endings { ending.item.wakeThreads(ending.telling) }"),
    suites: ["WaitForOthersTests"]),
  Bug(
    "telling.quiet-observed",
    breaks: "rule 20: an observer that came while the body ran is not told",
    in: "TaskDispatch/Work/WorkItem.swift",
    .expression(
      "Phase.all | Phase.isWatched | Phase.isAwaited", becomes: "Phase.all | Phase.isAwaited"),
    suites: ["UVContractTests"]),
  Bug(
    "telling.quiet-awaited",
    breaks: "rule 14: a blocked thread is not told that its task has ended",
    in: "TaskDispatch/Work/WorkItem.swift",
    .expression(
      "Phase.all | Phase.isWatched | Phase.isAwaited", becomes: "Phase.all | Phase.isWatched"),
    suites: ["UVContractTests"]),
  Bug(
    "telling.quiet-object",
    breaks: "rule 20: a value is released by a worker that holds the next task",
    in: "TaskDispatch/Work/WorkItem.swift",
    .expression("!marks.contains(.makesObject)", becomes: "true"),
    suites: ["UVContractTests"]),
  Bug(
    "telling.quiet-member", breaks: "rule 11: a task that ends stays in its group",
    in: "TaskDispatch/Work/WorkItem.swift",
    .expression("!isMember", becomes: "true"),
    suites: ["UVContractTests"]),
]
