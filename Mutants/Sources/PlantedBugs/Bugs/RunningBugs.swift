/// Cancelling, timers, executors, and the handles of libuv.
let runningBugs: [Bug] = cancelBugs + timerBugs + executorBugs + handleBugs + idleBugs

private let cancelBugs = [
  Bug(
    "cancel.left-in-the-queue", breaks: "rule 9: a cancelled task runs",
    in: "UVDispatch/Engine/Core/Core+Cancelling.swift",
    .expression(
      "takeBack(item)", becomes: "true", within: "guard takeBack(item) else { return .tooLate }"),
    suites: ["UVContractTests"]),
  Bug(
    "cancel.timer-left-in-the-heap", breaks: "rule 9: a cancelled timer fires",
    in: "UVDispatch/Engine/Core/Core+Items.swift",
    .expression("timers.remove(item)", becomes: "true"),
    suites: ["CancelRaceTests", "UVContractTests"]),
  Bug(
    "cancel.due-as-posted",
    breaks: "rule 9: a timer that is due is looked for among the tasks that were posted",
    in: "UVDispatch/Engine/Core/Core+Items.swift",
    .expression(
      "removeDue(at: item.place.position)", becomes: "removeForeground(at: item.place.position)"),
    suites: ["CancelRaceTests", "UVContractTests"]),
  Bug(
    "cancel.callers-not-told",
    breaks: "rule 2: a caller of sync waits on when the task before it was cancelled",
    in: "UVDispatch/Engine/Core/Core+Items.swift",
    .without("admitCallers()", within: "noteTaken(item)\n      admitCallers()"),
    suites: ["WithdrawingTests"]),
  Bug(
    "cancel.running-as-waiting", breaks: "rule 9: a running body is cancelled as if it waited",
    in: "UVDispatch/Engine/Core/Core+Cancelling.swift",
    .expression("item.isRunning", becomes: "false"),
    suites: ["UVContractTests"]),
  Bug(
    "cancel.flag-not-raised", breaks: "rule 9: a running body does not see that it was cancelled",
    in: "UVDispatch/Engine/Core/Core+Cancelling.swift",
    .without(
      "item.requestCancellation()", within: "item.requestCancellation()\n      return .requested"),
    suites: ["UVContractTests"]),
  Bug(
    "expiry.ignored", breaks: "rule 2: a body starts after its time to live",
    in: "UVDispatch/Engine/Core/Core+Run.swift",
    .expression(
      "task.waitsSince.advanced(by: timeToLive)", becomes: "DispatcherInstant(nanoseconds: .max)"),
    suites: ["UVContractTests"]),
  Bug(
    "expiry.keeps-its-share", breaks: "rule 4: an expired task keeps its share of the width",
    in: "UVDispatch/Engine/Core/Core+Background.swift",
    .without(
      "giveBackShare(of: task)",
      within: "if begin(task) { return .task(task) }\n    giveBackShare(of: task)"),
    suites: ["UVContractTests"]),
  Bug(
    "flush.end-unnoticed", breaks: "rule 2: a Task that flushes waits on",
    in: "UVDispatch/Engine/Parts/RunningTasks.swift",
    .without("for index in flushes.indices { flushes[index].remaining.remove(number) }"),
    suites: ["UVContractTests"]),
]

private let timerBugs = [
  Bug(
    "timer.early", breaks: "rule 8: a timer fires up to three milliseconds early",
    in: "UVDispatch/Engine/Core/Core+Timers.swift",
    .expression("now", becomes: "now + 3_000_000", within: "timers.takeNext(dueBy: now)"),
    suites: ["CancelRaceTests", "UVContractTests"]),
  Bug(
    "timer.no-tolerance", breaks: "rule 8: a tolerance saves no wake-up",
    in: "UVDispatch/Engine/Parts/Timers.swift",
    .expression("item.toleranceInNanoseconds", becomes: "0"),
    suites: ["EventLoopTests"]),
  Bug(
    "timer.before-posted-always", breaks: "rule 11: overdue timers starve what was posted",
    in: "TaskDispatch/Policy/ForegroundOrder.swift",
    .expression("postedIsNext ? nil : due.take(now: now)", becomes: "due.take(now: now)"),
    suites: ["OverdueTests"]),
  Bug(
    "foreground.due-forgotten-after-due",
    breaks: "rule 11: a due task follows another one, after two with nothing posted between",
    in: "TaskDispatch/Policy/ForegroundOrder.swift",
    .expression(
      "entry != nil", becomes: "entry != nil && !tookDue", within: "tookDue = entry != nil\n"),
    suites: ["ForegroundOrderTests"]),
  Bug(
    "timer.rounded-down", breaks: "rule 8: libuv's timer comes early, and the loop spins",
    in: "UVDispatch/LibUV/EventLoop.swift",
    .expression(
      "(UInt64(max(0, nanoseconds)) + 999_999) / 1_000_000",
      becomes: "UInt64(max(0, nanoseconds)) / 1_000_000"),
    suites: ["EventLoopTests"]),
]

private let executorBugs = [
  Bug(
    "executor.isolated-everywhere", breaks: "rule 4: assumeIsolated passes on any thread",
    in: "UVDispatch/UVExecutors.swift",
    .expression(
      "dispatcher.isCurrent(TaskQueue(dispatcher: dispatcher, view: view, lane: lane))",
      becomes: "true"),
    suites: ["ActorTests"]),
  Bug(
    "executor.isolated-nowhere", breaks: "rule 4: assumeIsolated traps on the actor's own queue",
    in: "UVDispatch/UVExecutors.swift",
    .expression(
      "dispatcher.isCurrent(TaskQueue(dispatcher: dispatcher, view: view, lane: lane))",
      becomes: "false"),
    suites: ["ActorTests"]),
  Bug(
    "executor.band-ignored", breaks: "rule 7: every job is medium",
    in: "UVDispatch/Engine/Tasks/QueuedTask.swift",
    .expression(
      "PriorityBand(ofPriority: job.priority.rawValue)", becomes: "PriorityBand.medium"),
    suites: ["UVContractTests"]),
]

private let handleBugs = [
  Bug(
    "handle.waker-left-open", breaks: "the loop is closed while its waker is open",
    in: "UVDispatch/LibUV/EventLoop.swift",
    .without(
      "unsafe uv_close(UnsafeMutableRawPointer(waker).assumingMemoryBound(to: uv_handle_t.self), nil)"
    ),
    suites: ["RunTests"]),
  Bug(
    "handle.wakes-left", breaks: "a loop that was woken once never sleeps again",
    in: "UVDispatch/LibUV/EventLoop.swift",
    .without("loop.takeWakes()"),
    suites: ["WokenLoopTests"]),
  Bug(
    "worker-run.never-seen", breaks: "each lease takes memory for ever",
    in: "UVDispatch/LibUV/WorkerRuns.swift",
    .without("if unsafe loop.pointee.data == nil { unsafe uv_run(loop, UV_RUN_NOWAIT) }"),
    suites: ["MemoryTests"]),
  Bug(
    "handle.timer-left-open", breaks: "the loop is closed while its timer is open",
    in: "UVDispatch/LibUV/EventLoop.swift",
    .without(
      "unsafe uv_close(UnsafeMutableRawPointer(timer).assumingMemoryBound(to: uv_handle_t.self), nil)"
    ),
    suites: ["RunTests"]),
  Bug(
    "handle.idle-left-open", breaks: "the loop is closed while its idle handle is open",
    in: "UVDispatch/LibUV/EventLoop.swift",
    .without(
      "unsafe uv_close(UnsafeMutableRawPointer(idle).assumingMemoryBound(to: uv_handle_t.self), nil)"
    ),
    suites: ["RunTests"]),
  Bug(
    "handle.callbacks-not-awaited", breaks: "handles are freed before libuv has let go of them",
    in: "UVDispatch/LibUV/EventLoop.swift",
    .without(
      "unsafe uv_run(loop, UV_RUN_DEFAULT)",
      within:
        "// The memory of a handle is ours again only once its close callback has run.\n    unsafe uv_run(loop, UV_RUN_DEFAULT)"
    ),
    suites: ["RunTests"]),
  Bug(
    "handle.loop-left-open", breaks: "a descriptor leaks with each dispatcher",
    in: "UVDispatch/Engine/Engine+Iteration.swift",
    .without("loop.close()"),
    suites: ["ClosedLoopTests"]),
  Bug(
    "handle.others-unnoticed",
    breaks: "an open handle of a C library keeps the dispatcher for ever",
    in: "UVDispatch/LibUV/EventLoop.swift",
    .without("requireNoOthers()\n", within: "onIteration = {}\n    requireNoOthers()\n"),
    suites: ["LoopMisuseTests", "WithLoopTests"]),
  Bug(
    "handle.descriptors-not-reserved", breaks: "libuv aborts where it has no descriptor left",
    in: "UVDispatch/LibUV/EventLoop.swift",
    .without("try Descriptors.reserve(Descriptors.ofLoop + 2, for: \"uv_loop_init\")"),
    suites: ["DescriptorTests"]),
  Bug(
    "handle.worker-run-leaked", breaks: "rule 17: a dispatcher that is let go of stays",
    in: "UVDispatch/LibUV/WorkerRuns.swift",
    .expression(
      "unsafe Unmanaged<Body>.fromOpaque(request!.pointee.data).takeRetainedValue()",
      becomes: "unsafe Unmanaged<Body>.fromOpaque(request!.pointee.data).takeUnretainedValue()"),
    suites: ["DroppedTests"]),
  Bug(
    "handle.request-leaked", breaks: "memory leaks with each lease",
    in: "UVDispatch/LibUV/WorkerRuns.swift",
    .without("unsafe PrivateLoop.free(request!, of: request!.pointee.loop)"),
    suites: ["MemoryTests"]),
]

private let idleBugs = [
  Bug(
    "idle.stays-leaving", breaks: "a loop that was run until idle stops when it is idle again",
    in: "UVDispatch/UVDispatcher+Loop.swift",
    .without("core.leaveWhenIdle(false)"),
    suites: ["RunAfterIdleTests"]),
  Bug(
    "idle.running-ignored", breaks: "runUntilIdle returns while a body runs",
    in: "UVDispatch/Engine/Core/Core+Ending.swift",
    .expression("running.isEmpty && !blocked.hasAdmitted", becomes: "!blocked.hasAdmitted"),
    suites: ["RunUntilIdleTests", "IdleTests"]),
  Bug(
    "loop.re-entered", breaks: "rule 18: run() inside a task is not refused",
    in: "UVDispatch/UVDispatcher+Loop.swift",
    .expression("engine.currentTask", becomes: "nil as RunningTask?"),
    suites: ["LoopMisuseTests"]),
]
