/// `DispatchQueue.main` on a loop that runs on the main thread.
let mainQueueBugs = [
  Bug(
    "main-queue.elsewhere", breaks: "a loop on another thread takes the main queue for its own",
    in: "UVDispatch/LibUV/MainQueue.swift",
    .expression("cuv_is_main_thread() != 0", becomes: "true"),
    suites: ["MainQueueTests"]),
  Bug(
    "main-queue.unasked", breaks: "the main queue is served although it was not asked for",
    in: "UVDispatch/UVDispatcher+Loop.swift",
    .expression("servesMainQueue && MainQueue.isOnItsThread", becomes: "MainQueue.isOnItsThread"),
    suites: ["MainQueueTests"]),
  Bug(
    "main-queue.no-rest", breaks: "rule 16: the loop does not rest once the main queue had work",
    in: "UVDispatch/LibUV/MainQueue.swift",
    .expression("unsafe read(descriptor, &count, 8) == 8", becomes: "descriptor >= 0"),
    suites: ["MainQueueTests"]),
  Bug(
    "main-queue.again-and-again", breaks: "the loop never finds that nothing waits there",
    in: "UVDispatch/LibUV/EventLoop.swift",
    .without(
      "mainQueueHasWork = false", within: "mainQueueHasWork = false\n    MainQueue.runAll()"),
    suites: ["MainQueueTests"]),
  Bug(
    "main-queue.not-run", breaks: "what waits in the main queue is not run",
    in: "UVDispatch/LibUV/EventLoop.swift",
    .without("MainQueue.runAll()"),
    suites: ["MainQueueTests"]),
  Bug(
    "main-queue.watched-for-ever", breaks: "a loop that serves it no more takes its wakes",
    in: "UVDispatch/LibUV/EventLoop.swift",
    .without("if isOpen, let watcher = unsafe mainWatcher { unsafe uv_poll_stop(watcher) }"),
    suites: ["MainQueueTests"]),
  Bug(
    "main-queue.over-before-it", breaks: "the report is made before what waits in the main queue",
    in: "UVDispatch/Engine/Engine+Iteration.swift",
    .expression(
      "core.closing.hasBegun", becomes: "false",
      within: "loop.hasMainQueueWork(looks: core.closing.hasBegun)"),
    suites: ["MainQueueTests"]),
  Bug(
    "main-queue.left-early", breaks: "runUntilIdle() comes back while something waits there",
    in: "UVDispatch/Engine/Engine+Iteration.swift",
    .expression("loop.hasMainQueueWork(looks: true)", becomes: "false"),
    suites: ["MainQueueTests"]),
  Bug(
    "main-queue.nobody-awaited",
    breaks: "run() returns before a Task that awaits it on the main actor",
    in: "UVDispatch/UVDispatcher+Shutdown.swift",
    .expression("actor === MainActor.shared", becomes: "false"),
    suites: ["MainQueueTests"]),
  Bug(
    "main-queue.awaited-for-ever", breaks: "the loop never hears that an awaiter has gone on",
    in: "UVDispatch/UVDispatcher+Shutdown.swift",
    .without("core.closing.removeAwaiterOnMainActor()"),
    suites: ["MainQueueTests"]),
  Bug(
    "main-queue.awaited-elsewhere",
    breaks: "a loop that does not serve the main actor waits for a Task there",
    in: "UVDispatch/LibUV/EventLoop.swift",
    .expression("servesMainQueue", becomes: "true", within: "return servesMainQueue"),
    suites: ["MainQueueTests"]),
  Bug(
    "main-queue.inside-for-ever",
    breaks: "a loop inside a block of the main queue waits for another block",
    in: "UVDispatch/LibUV/EventLoop.swift",
    .expression("!probe.hasRun", becomes: "false"),
    suites: ["MainQueueTests"]),
  Bug(
    "main-queue.kept-wake", breaks: "a loop that ends keeps what it has heard of to itself",
    in: "UVDispatch/LibUV/EventLoop.swift",
    .without("if mainQueueHasWork { MainQueue.giveBackWake() }"),
    suites: ["MainQueueTests"]),
  Bug(
    "main-queue.unprepared", breaks: "the process ends where it has no descriptors left",
    in: "UVDispatch/LibUV/MainQueue.swift",
    .without("try Descriptors.reserve(1, for: \"eventfd\")"),
    suites: ["MainQueueTests"]),
]
