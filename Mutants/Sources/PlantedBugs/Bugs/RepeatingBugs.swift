/// What decides when a repeating timer runs, and how both dispatchers follow it.
let repeatingBugs = tickBugs + repeatingInCoreBugs + repeatingInFakeBugs

private let tickBugs = [
  Bug(
    "ticks.due-late-forgotten",
    breaks: "rule 8: with .all, ticks that the loop is late for get no run",
    in: "TaskDispatch/Work/Ticks.swift",
    .without("owed = owed.addingClamped(late)"),
    suites: ["TicksTests", "CatchUpTests"]),
  Bug(
    "ticks.once-late-not-told", breaks: "rule 8: with .once, late ticks are not counted as missed",
    in: "TaskDispatch/Work/Ticks.swift",
    .statement("miss(late)", becomes: "miss(0)"),
    suites: ["TicksTests"]),
  Bug(
    "ticks.skip-starves", breaks: "rule 11: a timer shorter than any look never runs",
    in: "TaskDispatch/Work/Ticks.swift",
    .expression("late > 0 && !isOnTick && !hasDropped", becomes: "late > 0 && !isOnTick"),
    suites: ["TicksTests"]),
  Bug(
    "ticks.skip-drops-now", breaks: "rule 8: with .skip, a tick that is now is dropped",
    in: "TaskDispatch/Work/Ticks.swift",
    .expression("late > 0 && !isOnTick && !hasDropped", becomes: "late > 0 && !hasDropped"),
    suites: ["TicksTests", "CatchUpTests"]),
  Bug(
    "ticks.skip-drops-late-by-less", breaks: "rule 8: with .skip, one tick that is late is dropped",
    in: "TaskDispatch/Work/Ticks.swift",
    .expression("late > 0 && !isOnTick && !hasDropped", becomes: "!isOnTick && !hasDropped"),
    suites: ["TicksTests", "CatchUpTests"]),
  Bug(
    "ticks.skip-dropped-not-told", breaks: "rule 8: what .skip drops is not counted as missed",
    in: "TaskDispatch/Work/Ticks.swift",
    .expression("hasDropped ? late + 1 : late", becomes: "late"),
    suites: ["TicksTests"]),
  Bug(
    "ticks.begin-counts-nothing", breaks: "rule 8: ticks while a run waits are not told to it",
    in: "TaskDispatch/Work/Ticks.swift",
    .without(
      "noteTicks(through: now.nanoseconds)",
      within: "noteTicks(through: now.nanoseconds)\n    isInBody = true"),
    suites: ["TicksTests"]),
  Bug(
    "ticks.told-twice", breaks: "rule 8: missed ticks are told to more than one run",
    in: "TaskDispatch/Work/Ticks.swift",
    .without("missed = 0", within: "let told = missed\n    missed = 0"),
    suites: ["TicksTests"]),
  Bug(
    "ticks.spaced-from-start", breaks: "rule 8: a fixed delay counts from the start of its run",
    in: "TaskDispatch/Work/Ticks.swift",
    .without("tick = now.nanoseconds.addingClamped(interval)"),
    suites: ["TicksTests", "CatchUpTests"]),
  Bug(
    "ticks.skip-end-takes-now", breaks: "rule 8: with .skip, a tick at the end of a run is missed",
    in: "TaskDispatch/Work/Ticks.swift",
    .expression(
      "now.nanoseconds - 1", becomes: "now.nanoseconds",
      within: "noteTicks(through: now.nanoseconds - 1)"),
    suites: ["TicksTests"]),
  Bug(
    "ticks.body-never-ends", breaks: "rule 8: with .once, a tick while a run waits makes another",
    in: "TaskDispatch/Work/Ticks.swift",
    .without("isInBody = false", within: "isInBody = false\n    guard"),
    suites: ["TicksTests"]),
  Bug(
    "ticks.owed-for-ever", breaks: "rule 8: an owed run is owed again when it has been made",
    in: "TaskDispatch/Work/Ticks.swift",
    .without("owed -= 1"),
    suites: ["TicksTests"]),
  Bug(
    "ticks.stop-forgets", breaks: "rule 13: ticks before a shutdown get no run",
    in: "TaskDispatch/Work/Ticks.swift",
    .without(
      "noteTicks(through: now.nanoseconds)",
      within: "noteTicks(through: now.nanoseconds)\n    isStopped = true"),
    suites: ["TicksTests"]),
  Bug(
    "ticks.stop-goes-on", breaks: "rule 13: a timer ticks on after a shutdown",
    in: "TaskDispatch/Work/Ticks.swift",
    .without("isStopped = true"),
    suites: ["TicksTests", "ContractFakeTests"]),
  Bug(
    "ticks.once-owed-more",
    breaks: "rule 8: with .once, the tick that gets a run is missed as well",
    in: "TaskDispatch/Work/Ticks.swift",
    .expression("new - 1", becomes: "new"),
    suites: ["TicksTests"]),
  Bug(
    "ticks.length-overflows", breaks: "a century of nanoseconds traps",
    in: "TaskDispatch/Work/Ticks.swift",
    .expression(
      "overflow ? DispatcherInstant.distantFuture.nanoseconds : tick.addingClamped(length)",
      becomes: "tick &+ length"),
    suites: ["ExtremeNumbersOfTheFakeTests", "TicksTests"]),
]

private let repeatingInCoreBugs = [
  Bug(
    "repeating.not-known", breaks: "rule 13: a shutdown does not see a timer that has a run",
    in: "UVDispatch/Engine/Core/Core+Timers.swift",
    .without("timers.addRun(of: timer)"),
    suites: ["UVContractTests"]),
  Bug(
    "repeating.run-without-task", breaks: "rule 9: a run that is cancelled ends without its timer",
    in: "UVDispatch/Engine/Core/Core+Timers.swift",
    .without("_ = task(for: run)"),
    suites: ["CancelRaceTests"]),
  Bug(
    "repeating.run-not-counted", breaks: "rule 13: a run is not in the ledger",
    in: "UVDispatch/Engine/Core/Core+Timers.swift",
    .without("accept(run)"),
    suites: ["UVContractTests"]),
  Bug(
    "repeating.run-kept", breaks: "rule 8: a timer has no second run",
    in: "TaskDispatch/Work/BodyItem.swift",
    .without("letGoOfRun()", within: "letGoOfRun()\n    if isCancellationRequested"),
    suites: ["UVContractTests"]),
  Bug(
    "repeating.never-forgotten", breaks: "rule 17: the dispatcher keeps a timer that has ended",
    in: "UVDispatch/Engine/Parts/Timers.swift",
    .without("withRun[ObjectIdentifier(timer)] = nil"),
    suites: ["UVContractTests", "AbandonedRunTests"]),
  Bug(
    "repeating.rearms-cancelled", breaks: "rule 9: a timer that cancels itself goes on",
    in: "TaskDispatch/Work/BodyItem.swift",
    .without("if isCancellationRequested { return .end }"),
    suites: ["UVContractTests"]),
  Bug(
    "repeating.owed-not-run", breaks: "rule 8: an owed run is made at the next tick",
    in: "TaskDispatch/Work/BodyItem.swift",
    .statement("if ticks.endRun(at: now) { return .run }", becomes: "_ = ticks.endRun(at: now)"),
    suites: ["UVContractTests"]),
  Bug(
    "repeating.stopped-rearms", breaks: "rule 13: a timer waits for a tick after a shutdown",
    in: "TaskDispatch/Work/BodyItem.swift",
    .expression("ticks.isStopped", becomes: "false"),
    suites: ["UVContractTests"]),
  Bug(
    "repeating.rearmed-unseen",
    breaks: "rule 8: the loop sleeps over the next tick of a timer whose run was on the pool",
    in: "UVDispatch/Engine/Core/Core+Timers.swift",
    .statement("schedule(timer, at: time)", becomes: "timers.add(timer, due: time)"),
    suites: ["UVContractTests"]),
  Bug(
    "repeating.given-up-goes-on", breaks: "rule 2: a timer whose run was given up never ends",
    in: "UVDispatch/Engine/Core/Core+Timers.swift",
    .without(
      "endUnstarted(run.timer, .cancelled)"),
    suites: ["UVContractTests", "CancelRaceTests"]),
  Bug(
    "repeating.cancel-forgets", breaks: "rule 9: a timer that is cancelled in a run goes on",
    in: "UVDispatch/Engine/Core/Core+Timers.swift",
    .without("timer.requestCancellation()"),
    suites: ["UVContractTests"]),
  Bug(
    "repeating.ticks-through-shutdown", breaks: "rule 13: a shutdown does not stop the ticks",
    in: "UVDispatch/Engine/Parts/Timers.swift",
    .statement("timer.ticks.stop(at: now)", becomes: "_ = timer"),
    suites: ["UVContractTests"]),
  Bug(
    "repeating.missed-not-told", breaks: "rule 8: a run does not learn how many ticks were missed",
    in: "UVDispatch/Engine/Core/Core+Run.swift",
    .without("if item.kind == .timer { (item as? RunItem)?.beginBody(at: instant) }"),
    suites: ["UVContractTests"]),
  Bug(
    "repeating.abandoned-timer-lives", breaks: "rule 2: the timer of an abandoned run never ends",
    in: "UVDispatch/Engine/Core/Core+Concluding.swift",
    .without("if let run = item as? RunItem { endTimer(of: run) }"),
    suites: ["AbandonedRunTests"]),
  Bug(
    "repeating.unseen-in-groups",
    breaks: "rule 14: a wait for a group does not see a timer that has a run",
    in: "UVDispatch/Engine/Parts/Timers.swift",
    .without("for timer in withRun.values { body(timer) }"),
    suites: ["UVContractTests", "RandomHistoryTests"]),
  Bug(
    "repeating.wait-does-not-follow",
    breaks: "rule 14: a wait for a timer does not look at its run",
    in: "UVDispatch/Engine/Waiting/DeadlockSearch.swift",
    .without("if item.next !== item { return blocker(of: item.next) }"),
    suites: ["UVContractTests"]),
  Bug(
    "repeating.own-end", breaks: "rule 14: a run may wait for its own timer",
    in: "UVDispatch/UVDispatcher+Waiting.swift",
    .expression("context.item?.handled === item", becomes: "context.item === item"),
    suites: ["UVContractTests"]),
  Bug(
    "repeating.own-group", breaks: "rule 14: a run may wait for a group that its timer is in",
    in: "UVDispatch/UVDispatcher+Waiting.swift",
    .expression("context.item?.handled.group === group", becomes: "context.item?.group === group"),
    suites: ["UVContractTests"]),
]

private let repeatingInFakeBugs = [
  Bug(
    "fake-repeating.not-known", breaks: "rule 13: a shutdown does not see a timer that has a run",
    in: "TaskDispatchTesting/Engine/State+Timers.swift",
    .without("timersWithRun[ObjectIdentifier(timed.item)] = timed"),
    suites: ["ContractFakeTests"]),
  Bug(
    "fake-repeating.run-kept", breaks: "rule 17: a timer that was cancelled is never released",
    in: "TaskDispatchTesting/Engine/State+Timers.swift",
    .without("run.timer.letGoOfRun()"),
    suites: ["EndedTimerTests"]),
  Bug(
    "fake-repeating.given-up-goes-on", breaks: "rule 2: a timer whose run was given up never ends",
    in: "TaskDispatchTesting/Engine/State+Timers.swift",
    .without("if let timed = takeRun(of: run.timer) { endUnstarted(timed.entry, .cancelled) }"),
    suites: ["ContractFakeTests"]),
  Bug(
    "repeating.cancelled-run-kept", breaks: "rule 17: a timer that was cancelled is never released",
    in: "UVDispatch/Engine/Core/Core+Timers.swift",
    .without("run.timer.letGoOfRun()"),
    suites: ["EndedTimerTests"]),
  Bug(
    "repeating.owed-after-the-drain", breaks: "rule 13: a run begins after the drain",
    in: "UVDispatch/Engine/Core/Core+Shutdown.swift",
    .without("timers.dropOwedRuns()"),
    suites: ["OwedRunsTests"]),
  Bug(
    "fake-repeating.owed-after-the-drain", breaks: "rule 13: a run begins after the drain",
    in: "TaskDispatchTesting/Engine/State+Shutdown.swift",
    .without("dropOwedRuns()"),
    suites: ["OwedRunsTests"]),
  Bug(
    "fake-repeating.cancel-forgets", breaks: "rule 9: a timer that is cancelled in a run goes on",
    in: "TaskDispatchTesting/Engine/State+Timers.swift",
    .without("timer.requestCancellation()"),
    suites: ["ContractFakeTests"]),
  Bug(
    "fake-repeating.ticks-through-shutdown", breaks: "rule 13: a shutdown does not stop the ticks",
    in: "TaskDispatchTesting/Engine/State+Timers.swift",
    .statement(
      "timer(timed).ticks.stop(at: DispatcherInstant(nanoseconds: now))", becomes: "_ = timed"),
    suites: ["ContractFakeTests"]),
  Bug(
    "fake-repeating.missed-not-told", breaks: "rule 8: a run does not learn of missed ticks",
    in: "TaskDispatchTesting/Engine/State+Run.swift",
    .without("(item as? RunItem)?.beginBody(at: DispatcherInstant(nanoseconds: now))"),
    suites: ["ContractFakeTests"]),
  Bug(
    "fake-repeating.leftovers", breaks: "a run of a timer that may be left is a failure",
    in: "TaskDispatchTesting/Engine/State+Timers.swift",
    .without(
      "if allowedLeftovers.contains(timed.entry.id) { allowedLeftovers.insert(entry.id) }"),
    suites: ["LeftoverTests"]),
  Bug(
    "fake-repeating.stuck-does-not-follow",
    breaks: "rule 14: a wait for a timer that cannot end stands",
    in: "TaskDispatchTesting/Engine/State+Waiting.swift",
    .expression("awaited.next", becomes: "awaited", within: "let item = awaited.next\n      if"),
    suites: ["ContractFakeTests"]),
  Bug(
    "fake-repeating.own-end", breaks: "rule 14: a run may wait for its own timer",
    in: "TaskDispatchTesting/Engine/Entry.swift",
    .expression("body.item?.handled", becomes: "body.item", within: "item === body.item?.handled"),
    suites: ["ContractFakeTests"]),
  Bug(
    "fake-repeating.own-group", breaks: "rule 14: a run may wait for a group that its timer is in",
    in: "TaskDispatchTesting/Engine/Entry.swift",
    .expression("body.item?.handled.group", becomes: "body.item?.group"),
    suites: ["ContractFakeTests"]),
  Bug(
    "fake-repeating.now-waits",
    breaks: "a tick that is now when a body ends waits for time to move",
    in: "TaskDispatchTesting/Engine/State+Timers.swift",
    .without("if case .wait(let time) = next, time.nanoseconds <= now { moveDueTimers() }"),
    suites: ["CatchUpTests"]),
  Bug(
    "fake-repeating.clock-never-ends",
    breaks: "a clock of one step at a time goes on without a limit",
    in: "TaskDispatchTesting/Steps/RecordingDispatcher+Time.swift",
    .without("try check(budget, driven)"),
    suites: ["StepLimitTests"]),
]
