/// What the threads of a dispatcher do about signals, and what programs that bodies start inherit.
let signalMaskBugs = [
  Bug(
    "pipe.ends-the-process", breaks: "a write to a broken pipe on the loop ends the process",
    in: "UVDispatch/LibUV/BrokenPipes.swift",
    .without("unsafe pthread_sigmask(SIG_BLOCK, &pipe, &before)"),
    suites: ["BrokenPipeTests"]),
  Bug(
    "pipe.comes-later", breaks: "what was held back ends the process after the loop",
    in: "UVDispatch/LibUV/BrokenPipes.swift",
    .without("while unsafe sigtimedwait(&pipe, nil, &noTime) > 0 {}"),
    suites: ["BrokenPipeTests"]),
  Bug(
    "pipe.held-back-for-ever", breaks: "a thread that ran the loop is not as it was",
    in: "UVDispatch/LibUV/BrokenPipes.swift",
    .without("unsafe pthread_sigmask(SIG_SETMASK, &before, nil)"),
    suites: ["BrokenPipeTests"]),
  Bug(
    "thread.blocks-faults", breaks: "a crash on the watchdog's thread prints no backtrace",
    in: "UVDispatch/LibUV/OwnThread.swift",
    .without("SignalMasks.letFaultsIn()"),
    suites: ["FaultSignalTests", "WatchdogSignalsTests"]),
  Bug(
    "pool.blocks-faults", breaks: "a crash on a worker prints no backtrace",
    in: "UVDispatch/LibUV/ThreadPool.swift",
    .statement(
      "SignalMasks.whileThatOfBodies { WorkerRuns.start {} }", becomes: "WorkerRuns.start {}"),
    suites: ["FaultSignalTests"]),
  Bug(
    "thread.blocks-all",
    breaks: "a program that a body on the thread of start() starts hears no SIGTERM",
    in: "UVDispatch/LibUV/OwnThread.swift",
    .statement("SignalMasks.setThatOfBodies()", becomes: "SignalMasks.letFaultsIn()"),
    suites: ["SignalMaskTests"]),
  Bug(
    "late.blocks-all", breaks: "a program that a late job starts hears no SIGTERM",
    in: "UVDispatch/Engine/Engine+LateJobs.swift",
    .expression("true", becomes: "false", within: "runsBodies: true"),
    suites: ["SignalMaskTests"]),
  Bug(
    "thread.makers-mask",
    breaks: "a thread that runs bodies blocks what the thread blocks that makes it",
    in: "UVDispatch/LibUV/SignalMasks.swift",
    .expression("lock.withLock({ _ in maskOfIdleMainThread() })", becomes: "UInt64?.none"),
    suites: ["SignalMaskTests"]),
  Bug(
    "thread.another-mask",
    breaks: "a thread that runs bodies does not block what the main thread does",
    in: "UVDispatch/LibUV/SignalMasks.swift",
    .expression(
      "signals >> UInt64(signal - 1) & 1 == 1", becomes: "signals >> UInt64(signal) & 1 == 1"),
    suites: ["SignalMaskTests"]),
  Bug(
    "thread.crash-is-silent",
    breaks: "a crash of a body on the thread of start() prints no backtrace",
    in: "UVDispatch/LibUV/SignalMasks.swift",
    .expression("faults + [SIGPIPE]", becomes: "[SIGPIPE]"),
    suites: ["FaultSignalTests"]),
  Bug(
    "pipe.blocked-everywhere",
    breaks: "a program that a body starts inherits that SIGPIPE is blocked",
    in: "UVDispatch/LibUV/SignalMasks.swift",
    .expression("faults + [SIGPIPE]", becomes: "faults"),
    suites: ["SignalMaskTests"]),
  Bug(
    "pipe.blocked-in-vain",
    breaks: "SIGPIPE is held back although the process has a handler for it",
    in: "UVDispatch/LibUV/BrokenPipes.swift",
    .without("guard endTheProcess else { return body() }"),
    suites: ["SignalMaskTests"]),
  Bug(
    "thread.maker-stays-blocked",
    breaks: "the thread that makes another blocks every signal afterwards",
    in: "UVDispatch/LibUV/SignalMasks.swift",
    .without("unsafe pthread_sigmask(SIG_SETMASK, &before, nil)"),
    suites: ["StartTests", "FaultSignalTests"]),
  Bug(
    "thread.mask-of-a-moment",
    breaks: "a thread blocks what the main thread does while the C library makes another",
    in: "UVDispatch/LibUV/SignalMasks.swift",
    .expression("blocked & own == 0", becomes: "true"),
    suites: ["SignalMaskTests"]),
  Bug(
    "pool.let-in-too-late",
    breaks: "a program that a worker starts inherits what a daemon has let in",
    in: "UVDispatch/LibUV/WorkerRuns.swift",
    .without("SignalMasks.letInOnWorker()"),
    suites: ["SupervisedTests"]),
  Bug(
    "thread.not-let-in", breaks: "the thread of start() blocks what a daemon has let in",
    in: "UVDispatch/LibUV/SignalMasks.swift",
    .expression("lettingIn >> UInt64(signal - 1) & 1 == 1", becomes: "false"),
    suites: ["SupervisedTests"]),
]
