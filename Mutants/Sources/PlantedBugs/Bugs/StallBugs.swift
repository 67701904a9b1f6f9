/// The watch for stalls, and the names of threads.
let stallBugs: [Bug] = lookBugs + endBugs + watchBugs

private let lookBugs = [
  Bug(
    "stall.not-doubling", breaks: "a stall is told of again and again",
    in: "UVDispatch/Engine/Parts/StallWatch.swift",
    .expression(
      "sample.next.addingClamped(sample.next)", becomes: "sample.next + threshold"),
    suites: ["StallWatchTests"]),
  Bug(
    "stall.told-too-often", breaks: "doublings that lie between two looks are told of one by one",
    in: "UVDispatch/Engine/Parts/StallWatch.swift",
    .expression("sample.next <= held", becomes: "sample.next <= held / 2"),
    suites: ["StallWatchTests"]),
  Bug(
    "stall.one-threshold", breaks: "the loop has the threshold of the workers",
    in: "UVDispatch/Engine/Parts/StallWatch.swift",
    .expression("lane == .foreground ? loop : workers", becomes: "workers"),
    suites: ["StallWatchTests"]),
  Bug(
    "stall.start-ignored", breaks: "what is known of the start of a body is not used",
    in: "UVDispatch/Engine/Parts/StallWatch.swift",
    .expression("began ?? now", becomes: "now"),
    suites: ["StallWatchTests"]),
  Bug(
    "stall.samples-kept", breaks: "the watchdog remembers every body, and never parks",
    in: "UVDispatch/Engine/Parts/StallWatch.swift",
    .without("samples = samples.filter { $0.value.look == look }"),
    suites: ["StallWatchTests"]),
  Bug(
    "stall.look-not-noted", breaks: "the watchdog forgets since when a body runs",
    in: "UVDispatch/Engine/Parts/StallWatch.swift",
    .without("sample.look = look", within: "sample.look = look\n    let held"),
    suites: ["StallWatchTests"]),
  Bug(
    "stall.never-parks", breaks: "rule 16: an idle dispatcher wakes its watchdog",
    in: "UVDispatch/Engine/Parts/StallWatch.swift",
    .expression("!hasNew && numbered == self.numbered", becomes: "false"),
    suites: ["QuietTests", "StallWatchTests"]),
  Bug(
    "stall.parks-while-busy", breaks: "each burst of bodies has to wake the watchdog several times",
    in: "UVDispatch/Engine/Parts/StallWatch.swift",
    .expression("!hasNew && numbered == self.numbered", becomes: "!hasNew"),
    suites: ["StallWatchTests"]),
  Bug(
    "stall.parks-with-new-bodies", breaks: "each body of a burst has to wake the watchdog",
    in: "UVDispatch/Engine/Parts/StallWatch.swift",
    .expression(
      "!hasNew && numbered == self.numbered", becomes: "numbered == self.numbered"),
    suites: ["StallWatchTests", "WatchStallsTests"]),
  Bug(
    "stall.next-overflows", breaks: "a threshold that is never reached ends the process",
    in: "UVDispatch/Engine/Parts/StallWatch.swift",
    .expression("sample.since.addingClamped(sample.next)", becomes: "sample.since + sample.next"),
    suites: ["StallWatchTests"]),
  Bug(
    "stall.period-too-long", breaks: "a body is seen late, and told of late",
    in: "UVDispatch/Engine/Parts/StallWatch.swift",
    .expression("min(loop, workers) / 2", becomes: "min(loop, workers)"),
    suites: ["StallWatchTests"]),
  Bug(
    "stall.looks-all-the-time", breaks: "a short threshold keeps the watchdog busy",
    in: "UVDispatch/Engine/Parts/StallWatch.swift",
    .expression(
      "max(min(next, now + period), now + 1_000_000)",
      becomes: "min(next, now + period)"),
    suites: ["StallWatchTests"]),
]

private let endBugs = [
  Bug(
    "stall.plain-goes-on", breaks: "the end of a stall in a batch is never told of",
    in: "UVDispatch/Engine/Tasks/BatchContext.swift",
    .expression(
      "departures?.isMarked == true || isWatched", becomes: "departures?.isMarked == true"),
    suites: ["WatchStallsTests"]),
  Bug(
    "stall.flag-stays", breaks: "after a stall a thread ends each task alone, for ever",
    in: "UVDispatch/Engine/Core/Core+Stalls.swift",
    .without("task.isWatched = false"),
    suites: ["WatchStallsTests"]),
  Bug(
    "stall.not-flagged", breaks: "the end of a stall is never told of",
    in: "UVDispatch/Engine/Core/Core+Stalls.swift",
    .without(
      "task.isWatched = true", within: "else { continue }\n      task.isWatched = true"),
    suites: ["WatchStallsTests"]),
  Bug(
    "stall.end-of-context-untold", breaks: "the end of a stall is never told of",
    in: "UVDispatch/Engine/Core/Core+Run.swift",
    .without(
      "noteEndForWatchdog(of: context)"),
    suites: ["WatchStallsTests"]),
  Bug(
    "stall.end-of-task-untold", breaks: "the end of a stall is never told of",
    in: "UVDispatch/Engine/Core/Core+Run.swift",
    .without(
      "noteEndForWatchdog(of: task)"),
    suites: ["WatchStallsTests"]),
  Bug(
    "stall.end-of-sync-untold", breaks: "the end of a stall is never told of",
    in: "UVDispatch/Engine/Core/Core+Callers.swift",
    .without("noteEndForWatchdog(of: context)"),
    suites: ["WatchStallsTests"]),
  Bug(
    "stall.end-of-callbacks-untold",
    breaks: "the end of callbacks that keep a thread is never told of",
    in: "UVDispatch/Engine/Core/Core+Stalls.swift",
    .without("tellEnd(of: facts(of: thread, held, isOver: true))"),
    suites: ["WatchStallsTests"]),
  Bug(
    "stall.told-twice-at-the-end", breaks: "the end of a stall is told of again",
    in: "UVDispatch/Engine/Parts/StallWatch.swift",
    .without("samples[occupant] = nil", within: "samples[occupant] = nil\n    toldCount -= 1"),
    suites: ["StallWatchTests"]),
  Bug(
    "stall.count-stays", breaks: "the watchdog believes that a stall goes on",
    in: "UVDispatch/Engine/Parts/StallWatch.swift",
    .without("toldCount -= 1"),
    suites: ["StallWatchTests"]),
  Bug(
    "stall.counted-twice", breaks: "the watchdog believes that a stall goes on",
    in: "UVDispatch/Engine/Parts/StallWatch.swift",
    .expression("!sample.isTold", becomes: "true", within: "if !sample.isTold"),
    suites: ["WatchStallsTests", "StallWatchTests"]),
  Bug(
    "stall.untold-ends", breaks: "the end of a body that was not told of is told of",
    in: "UVDispatch/Engine/Parts/StallWatch.swift",
    .expression(
      "sample.isTold", becomes: "true",
      within: "guard let sample = samples[occupant], sample.isTold"),
    suites: ["StallWatchTests"]),
  Bug(
    "stall.ended-stays", breaks: "the end of a stall is told of again and again",
    in: "UVDispatch/Engine/Parts/StallWatch.swift",
    .without("ended = []", within: "ended = []\n    return taken"),
    suites: ["StallWatchTests"]),
  Bug(
    "stall.ended-lost",
    breaks: "the end of a stall is not told of if the watchdog tells of another",
    in: "UVDispatch/Engine/Core/Core+Stalls.swift",
    .without(
      "deferReportsOfEnds()", within: "stalls.beginLook()\n    deferReportsOfEnds()"),
    suites: ["StallOrderTests"]),
]

private let watchBugs = [
  Bug(
    "stall.not-woken", breaks: "no thread looks for stalls once the watchdog has parked",
    in: "UVDispatch/Engine/Core/Core+Run.swift",
    .without("noteStartForWatchdog()"),
    suites: ["ParkedWatchdogTests"]),
  Bug(
    "stall.woken-always", breaks: "each body wakes the watchdog",
    in: "UVDispatch/Engine/Core/Core+Stalls.swift",
    .without("stalls.unpark()"),
    suites: ["ParkedWatchdogTests"]),
  Bug(
    "stall.callbacks-unseen", breaks: "callbacks that keep a thread are not told of",
    in: "UVDispatch/Engine/Core/Core+Stalls.swift",
    .expression(
      "running.telling", becomes: "running.telling.filter { _ in false }",
      within: "for thread in running.telling"),
    suites: ["WatchStallsTests"]),
  Bug(
    "stall.callbacks-wake-no-thread", breaks: "callbacks after a long body are told of late",
    in: "UVDispatch/Engine/Core/Core+Stalls.swift",
    .without(
      "noteStartForWatchdog()", within: "noteStartForWatchdog()\n    return running.beginTelling"),
    suites: ["WatchStallsTests"]),
  Bug(
    "stall.end-wakes-no-thread", breaks: "the end of a stall is told of late",
    in: "UVDispatch/Engine/Core/Core+Stalls.swift",
    .without(
      "callbacks.appendWake { watchdog.wake() }",
      within:
        "stalls.append(ended: stall)\n    let watchdog = stalls.watchdog\n    callbacks.appendWake { watchdog.wake() }"
    ),
    suites: ["StallOrderTests"]),
  Bug(
    "stall.batch-unwatched",
    breaks: "what comes behind a body that the watchdog knows is not looked at",
    in: "UVDispatch/Engine/Core/Core+Stalls.swift",
    .without("task.isWatched = true", within: "for task in running.all { task.isWatched = true }"),
    suites: ["WatchStallsTests"]),
  Bug(
    "stall.end-after-idle", breaks: "runUntilIdle returns before the end of a stall was told of",
    in: "UVDispatch/Engine/Core/Core+Ending.swift",
    .expression(
      "stalls.ended.isEmpty", becomes: "true",
      within: "&& stalls.ended.isEmpty\n      && !hasForeground && !mayStart"),
    suites: ["StallOrderTests"]),
  Bug(
    "stall.end-after-shutdown", breaks: "a shutdown is over before the end of a stall was told of",
    in: "UVDispatch/Engine/Core/Core+Ending.swift",
    .expression(
      "stalls.ended.isEmpty", becomes: "true",
      within: "callbacks.isEmpty && stalls.ended.isEmpty && !hasForeground"),
    suites: ["StallOrderTests"]),
  Bug(
    "stall.end-lost-with-dispatcher", breaks: "the end of a stall is lost with the last reference",
    in: "UVDispatch/Engine/Engine.swift", .without("core.deferReportsOfEnds()"),
    suites: ["StallOrderTests"]),
  Bug(
    "stall.watchdog-blocks-signals", breaks: "a program that a receiver starts cannot be ended",
    in: "UVDispatch/Engine/Watchdog.swift",
    .expression("true", becomes: "false", within: "runsBodies: true"),
    suites: ["WatchdogSignalsTests"]),
  Bug(
    "stall.callbacks-stay", breaks: "callbacks count as being made after they were made",
    in: "UVDispatch/Engine/Engine.swift",
    .without("core.endTelling(number)"),
    suites: ["WatchStallsTests"]),
  Bug(
    "stall.other-callbacks", breaks: "the wrong thread counts as making callbacks",
    in: "UVDispatch/Engine/Parts/RunningTasks.swift",
    .without("telling.swapAt(index, telling.count - 1)"),
    suites: ["RunningTasksTests"]),
  Bug(
    "stall.observer-untold", breaks: "an observer is not told of stalls",
    in: "UVDispatch/Engine/Core/Core+Stalls.swift",
    .without("tell(.stalled(.nanoseconds(held)), task)"),
    suites: ["WatchStallsTests", "ParkedWatchdogTests"]),
  Bug(
    "stall.receivers-stay", breaks: "a dispatcher that is gone keeps the code that it has told",
    in: "UVDispatch/Engine/Parts/Observation.swift",
    .without("stallReceivers = []"),
    suites: ["ObservationTests"]),
  Bug(
    "stall.threads-start-twice", breaks: "each call starts a thread that watches",
    in: "UVDispatch/Engine/Watchdog.swift",
    .without("state.hasStarted = true"),
    suites: ["WatchStallsTests"]),
  Bug(
    "thread.role-cut-off", breaks: "a long label hides what a thread does",
    in: "UVDispatch/LibUV/ThreadName.swift",
    .without(
      "while label.utf8.count + 1 + role.utf8.count > 15, !label.isEmpty { label.removeLast() }"),
    suites: ["ThreadNameTests"]),
  Bug(
    "thread.keeps-former-name",
    breaks: "a thread of the pool is named after a dispatcher that it does not work for",
    in: "UVDispatch/LibUV/ThreadName.swift",
    .without("set(label, \"worker\")"),
    suites: ["ThreadNameTests"]),
  Bug(
    "thread.named-once", breaks: "a thread of the pool keeps the name of the first dispatcher",
    in: "UVDispatch/LibUV/ThreadName.swift",
    .expression(
      "TaskContext.threadIsNamedAfter == name", becomes: "TaskContext.threadIsNamedAfter != .none"),
    suites: ["ThreadNameTests"]),
  Bug(
    "thread.named-again", breaks: "each worker run names its thread",
    in: "UVDispatch/LibUV/ThreadName.swift",
    .without("TaskContext.threadIsNamedAfter = name"),
    suites: ["ThreadNameTests"]),
]
