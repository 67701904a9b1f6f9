/// How the loop's thread looks for tasks before it sleeps, and how it learns whether that is
/// worthwhile.
let loopSearchBugs: [Bug] = [
  Bug(
    "looks.hint-missing", breaks: "invariant W: the loop looks on while something waits for it",
    in: "UVDispatch/Engine/Core/Core+Reconciling.swift",
    .without("doors.hints.setLoopMustLook(true)"),
    suites: ["LoopSearchTests"]),
  Bug(
    "looks.as-if-due", breaks: "invariant W: the loop looks on while something waits for it",
    in: "UVDispatch/Engine/Parts/LoopWakeups.swift",
    .expression("state == .asleep || state == .spinning", becomes: "state == .asleep"),
    suites: ["LoopSearchTests"]),
  Bug(
    "looks.drained-by-a-search",
    breaks: "invariant W: the loop looks on while a search for deadlocks has drained its inbox",
    in: "UVDispatch/Engine/Core/Core+Reconciling.swift",
    .without("if loop.isSpinning, hasForeground { tellLoop() }"),
    suites: ["HintTests"]),
  Bug(
    "looks.elsewhere", breaks: "what is posted waits until the loop has looked long enough",
    in: "UVDispatch/Engine/Engine+Iteration.swift",
    .expression(
      "doors.foreground.mayHoldEntries", becomes: "false",
      within: "doors.foreground.mayHoldEntries ||"),
    suites: ["LoopSearchTests"]),
  Bug(
    "looks.past-timer", breaks: "rule 8: a timer that is due waits until the loop has looked",
    in: "UVDispatch/Engine/Core/Core+Reconciling.swift",
    .expression(
      "nextDeadline >= now.addingClamped(loop.spinLimit.length)", becomes: "true"),
    suites: ["LoopSearchTests"]),
  Bug(
    "looks.instead-of-leaving", breaks: "runUntilIdle() comes back late",
    in: "UVDispatch/Engine/Core/Core+Reconciling.swift",
    .expression(
      "!leavesWhenIdle", becomes: "true",
      within: "!leavesWhenIdle && !closing.hasBegun"),
    suites: ["LoopSearchTests"]),
  Bug(
    "looks.instead-of-ending", breaks: "rule 13: the end of a shutdown comes late",
    in: "UVDispatch/Engine/Core/Core+Reconciling.swift",
    .expression(
      "!closing.hasBegun", becomes: "true",
      within: "!leavesWhenIdle && !closing.hasBegun"),
    suites: ["LoopSearchTests"]),
  Bug(
    "looks.not-learned-by-hand", breaks: "the loop sleeps after each of tasks that come one by one",
    in: "UVDispatch/Engine/Parts/LoopWakeups.swift",
    .without("spinLimit.learn(at: now())"), suites: ["LoopSearchTests"]),
  Bug(
    "looks.learned-late", breaks: "the loop sleeps after every few tasks of a stream",
    in: "UVDispatch/Engine/Engine+Iteration.swift",
    .expression("wokenForPosts ?? core.now", becomes: "core.now"),
    suites: ["LoopSearchTests"]),
  Bug(
    "looks.learned-for-others", breaks: "what has woken the loop is noted for a later iteration",
    in: "UVDispatch/Engine/Engine+Iteration.swift",
    .expression(
      "doors.hints.takeWakeForPosts()",
      becomes: "doors.hints.wakeForPosts"),
    suites: ["LoopSearchTests"]),
  Bug(
    "looks.unnoted", breaks: "it is not noted when the loop was woken for a post",
    in: "UVDispatch/Engine/Engine.swift",
    .without("doors.hints.noteWakeForPosts(at: now.nanoseconds)"),
    suites: ["LoopSearchTests"]),
  Bug(
    "looks.vain-forgotten", breaks: "the loop does not learn from a search that has found nothing",
    in: "UVDispatch/Engine/Engine+Iteration.swift",
    .without("if !search.hasFound { core.loop.spinLimit.noteInVain(since: began) }"),
    suites: ["LoopSearchTests"]),
  Bug(
    "looks.for-ever", breaks: "rule 11: a loop that finds nothing to run looks on",
    in: "UVDispatch/Engine/Engine+Iteration.swift",
    .without("mayLookOnce = false"), suites: ["LoopSearchTests"]),
]
