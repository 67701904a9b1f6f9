/// What an exploration tries, names, compares, shortens and reports about itself.
let explorationBugs: [Bug] =
  strategyBugs + decisionBugs + factBugs + tokenBugs + shrinkingBugs + honestyBugs

private let folder = "TaskDispatchTesting/Exploration/"

private let strategyBugs = [
  Bug(
    "explore.bounded-forgets-last", breaks: "the last choice of a schedule is never another one",
    in: folder + "Strategy.swift",
    .expression("start..<taken.count", becomes: "start..<max(start, taken.count - 1)"),
    suites: ["StrategyTests"]),
  Bug(
    "explore.bounded-depth-first", breaks: "what fails first does not differ in as few as possible",
    in: folder + "Strategy.swift",
    .expression(
      "waiting[first]", becomes: "waiting.popLast() ?? []", within: "current = waiting[first]"),
    .without("waiting[first] = []\n    first += 1"),
    .expression(
      "first < waiting.count", becomes: "!waiting.isEmpty", within: "guard first < waiting.count"),
    suites: ["StrategyTests"]),
  Bug(
    "explore.bounded-is-never-cut", breaks: "a bound that left orders out says that it did not",
    in: folder + "Strategy.swift",
    .without("isCut = true"),
    suites: ["StrategyTests"]),
  Bug(
    "explore.exhaustive-skips-option", breaks: "the last thing to choose is never tried",
    in: folder + "Strategy.swift",
    .expression("$0.chosen + 1 < $0.count", becomes: "$0.chosen + 1 < max(2, $0.count - 1)"),
    suites: ["CountedOrdersTests", "StrategyTests"]),
  Bug(
    "explore.random-seed-ignored", breaks: "every seed gives the same schedules",
    in: folder + "SplitMix64.swift",
    .expression("seed", becomes: "0", within: "{ state = seed }"),
    suites: ["StrategyTests"]),
  Bug(
    "explore.priorities-constant", breaks: "every chain has the same priority",
    in: folder + "Priorities.swift",
    .expression("SplitMix64.mixed(seed ^ chain) | 1 << 63", becomes: "1 << 63"),
    suites: ["StrategyTests"]),
  Bug(
    "explore.priorities-never-fall", breaks: "a bug that takes two orderings is not found",
    in: folder + "Priorities.swift",
    .without("fallen[chain(of: moves[chosen])] = UInt64(fallen.count + 1)"),
    suites: ["StrategyTests"]),
  Bug(
    "explore.priorities-not-inherited", breaks: "a task does not go on with its parent's chain",
    in: folder + "Priorities.swift",
    .expression("chains[parent] ?? entry.id", becomes: "entry.id"),
    suites: ["StrategyTests"]),
]

private let decisionBugs = [
  Bug(
    "explore.nobody-after-sync", breaks: "a body that comes out of sync goes on before all others",
    in: "TaskDispatchTesting/RecordingDispatcher+Waiting.swift",
    .without("_ = othersRun(before: end, waiting)"),
    suites: ["WaitingOrdersTests"]),
  Bug(
    "explore.time-out-afterwards",
    breaks: "a time-out passes although what it is for has come about",
    in: "TaskDispatchTesting/RecordingDispatcher+Waiting.swift",
    .expression("end == nil || isOver(&$0)", becomes: "end == nil"),
    suites: ["WaitingOrdersTests"]),
  Bug(
    "explore.younger-lane-first", breaks: "of two tasks that are next, the younger one runs",
    in: "TaskDispatchTesting/Engine/Move.swift",
    .expression("foreground < $0", becomes: "foreground > $0"),
    suites: ["ManyStepsTests"]),
  Bug(
    "explore.lanes-by-place", breaks: "the foreground is preferred, however young its task",
    in: "TaskDispatchTesting/Engine/State+Exploring.swift",
    .expression("moves[place].entry.id < entry.id", becomes: "false"),
    suites: ["StrategyTests"]),
  Bug(
    "explore.no-start-choices", breaks: "whether a task had its slot is never tried",
    in: "TaskDispatchTesting/Engine/State+Exploring.swift",
    .expression("!startable.isEmpty", becomes: "false", within: "guard !startable.isEmpty"),
    suites: ["StrategyTests", "CountedOrdersTests"]),
  Bug(
    "explore.cancel-always-wins", breaks: "a cancellation never comes after the start",
    in: "TaskDispatchTesting/Engine/State+Exploring.swift",
    .expression(
      "decisions.chooseStarts(of: [startable[index]], before: name) > 0", becomes: "false"),
    suites: ["StrategyTests"]),
  Bug(
    "explore.no-time-ahead", breaks: "no timer ever fires before work that waits",
    in: "TaskDispatchTesting/Engine/State+Exploring.swift",
    .expression(
      "!moves.isEmpty", becomes: "false", within: "if !moves.isEmpty, let move = timeAhead"),
    suites: ["FoundBugsTests"]),
  Bug(
    "explore.time-ahead-without-end", breaks: "a repeating timer passes work for ever",
    in: folder + "Decisions.swift",
    .without("aheadOfWork[timer.site, default: 0] += 1"),
    suites: ["StrategyTests"]),
  Bug(
    "explore.value-always-first", breaks: "choose(_:_:) gives its first value only",
    in: folder + "Explore.swift",
    .expression("values[index ?? 0]", becomes: "values[0 * (index ?? 0)]"),
    suites: ["StrategyTests"]),
  Bug(
    "explore.choices-not-compared", breaks: "another number of choices is not noticed",
    in: folder + "Decisions.swift",
    .expression(
      "expected.map({ $0 != count }) ?? (chosen >= count)", becomes: "false"),
    suites: ["FailingRunTests"]),
  Bug(
    "explore.deadlock-not-noted", breaks: "a deadlock that a body catches is no failure",
    in: folder + "Decisions.swift",
    .expression("deadlock ?? refusal", becomes: "deadlock"),
    suites: ["FailingRunTests"]),
]

private let factBugs = [
  Bug(
    "explore.facts-pick-last", breaks: "of all that may go, the last goes",
    in: folder + "OrderingFact.swift",
    .expression(
      "index", becomes: "moves.count - 1", within: "awaited.contains(path) { return index }"),
    suites: ["RoundTripTests", "FoundBugsTests"]),
  Bug(
    "explore.facts-any-is-enough", breaks: "a task that waits for two goes after the first of them",
    in: folder + "OrderingFact.swift",
    .expression(
      "waits[path]?.filter { !names.isOver.contains($0) } ?? []",
      becomes: "waits[path].map { $0.contains(where: names.isOver.contains) ? [] : $0 } ?? []"),
    suites: ["RoundTripTests"]),
  Bug(
    "explore.slot-before-time", breaks: "a wait for a time is explained by a slot of another task",
    in: folder + "OrderingFact.swift",
    .without(
      "awaitsTime = true", within: "others.contains(where: \\.isFiring) { awaitsTime = true }"),
    suites: ["RoundTripTests"]),
  Bug(
    "explore.starts-of-anybody", breaks: "a moment is thought to tell of tasks that it does not",
    in: "TaskDispatchTesting/Engine/State+Exploring.swift",
    .expression("matters(entry)", becomes: "true"),
    suites: ["RoundTripTests"]),
  Bug(
    "explore.ordinal-not-counted", breaks: "the second task of a name is taken for the first",
    in: folder + "TaskNames.swift",
    .expression(
      "count == 1 ? path : path.numbered(count)", becomes: "path",
      within: "let unique = count == 1 ? path : path.numbered(count)"),
    suites: ["RoundTripTests", "TokenTests"]),
  Bug(
    "explore.calls-named-by-count", breaks: "a stranger makes a fact about another call",
    in: folder + "TaskNames.swift",
    .expression(
      "path(of: subject).call(call)",
      becomes: "unique(TaskPath(call.rawValue, under: caller.map { self.path(of: $0) }))"),
    suites: ["RoundTripTests"]),
  Bug(
    "explore.firing-not-over", breaks: "what waits for the time of a timer waits for ever",
    in: folder + "TaskNames.swift",
    .without("over(path)", within: "all.insert(path)\n    over(path)"),
    suites: ["FoundBugsTests", "RoundTripTests"]),
  Bug(
    "explore.deadline-unnamed",
    breaks: "an order that names the deadline of a shutdown cannot be had again",
    in: "TaskDispatchTesting/Engine/State+Timers.swift",
    .without("noteDeadlines(until: time.nanoseconds)"),
    suites: ["RegressionTests"]),
]

private let tokenBugs = [
  Bug(
    "explore.label-not-encoded", breaks: "a label with a slash is taken for two tasks",
    in: folder + "TaskPath.swift",
    .expression(
      "UInt8(ascii: \"-\")", becomes: "UInt8(ascii: \"/\")",
      within: "UInt8(ascii: \":\"), UInt8(ascii: \"-\")"),
    suites: ["TokenTests"]),
  Bug(
    "explore.one-digit-short", breaks: "a byte below 16 is written with one digit",
    in: folder + "TaskPath.swift",
    .expression("byte < 16", becomes: "false"),
    suites: ["TokenTests"]),
  Bug(
    "explore.digest-of-names", breaks: "the second task of a name is taken for the first",
    in: folder + "TaskPath.swift",
    .expression(
      "one.node.digest == other.node.digest", becomes: "one.node.unmarked == other.node.unmarked"),
    suites: ["RoundTripTests", "TokenTests", "ChainTests"]),
  Bug(
    "explore.marks-in-names",
    breaks: "a token whose task is the third of its name this time means nothing",
    in: folder + "TaskPath.swift",
    .expression("part.utf8.prefix { $0 != UInt8(ascii: \"+\") }", becomes: "part.utf8[...]"),
    suites: ["RoundTripTests", "TokenTests"]),
  Bug(
    "explore.run-not-written",
    breaks: "of tasks of the same name that submitted each other, a token knows one",
    in: folder + "TaskPath.swift",
    .expression("parent.run + 1", becomes: "1"),
    suites: ["ChainTests"]),
  Bug(
    "explore.part-ends-nowhere", breaks: "a/b and ab are the same path",
    in: folder + "TaskPath.swift",
    .without("digest.add(0)"),
    suites: ["TokenTests", "ChainTests"]),
  Bug(
    "explore.starves", breaks: "rule 11: what a choice has put off waits for a poll for ever",
    in: folder + "Decisions.swift",
    .without("putOff.removeAll { fairness.isStarved($0) }"),
    suites: ["FairProgramsTests"]),
  Bug(
    "explore.starves-by-priority",
    breaks: "rule 11: a poll of a high priority starves what it polls for",
    in: folder + "Decisions.swift",
    .expression("fairness.starved(among: moves)", becomes: "nil"),
    suites: ["FairProgramsTests"]),
  Bug(
    "explore.waits-too-long", breaks: "a fact names a task that only came between",
    in: folder + "Explorer+Explaining.swift",
    .without("for index in shrunk.indices { weaken(&shrunk, at: index, by: &shrinking) }"),
    suites: ["FoundBugsTests"]),
  Bug(
    "explore.time-out-is-no-order", breaks: "orders in which a wait times out are taken for others",
    in: folder + "Decisions.swift",
    .without("order.add((isInTime ? 4 : 5) | 1 << 63)"),
    suites: ["WaitingOrdersTests"]),
  Bug(
    "explore.unknown-names-pass", breaks: "a token that means nothing replays as if it did",
    in: folder + "Explorer+Checks.swift",
    .expression("!unknown.isEmpty", becomes: "false", within: "if !unknown.isEmpty { throw"),
    suites: ["RoundTripTests"]),
]

private let shrinkingBugs = [
  Bug(
    "explore.shrinks-nothing", breaks: "a failure is said to need every fact",
    in: folder + "Shrinking.swift",
    .expression("current.count >= 2", becomes: "false"),
    suites: ["ShrinkingTests"]),
  Bug(
    "explore.shrinks-by-halves-only", breaks: "what could be left out alone stays",
    in: folder + "Shrinking.swift",
    .expression("parts > 2 || size == 1", becomes: "false"),
    suites: ["ShrinkingTests"]),
  Bug(
    "explore.shrinks-for-ever", breaks: "the budget of replays is not kept to",
    in: folder + "Shrinking.swift",
    .without("left -= 1"),
    suites: ["ShrinkingTests"]),
]

private let honestyBugs = [
  Bug(
    "explore.always-exhausted", breaks: "isExhausted says nothing",
    in: folder + "Explorer.swift",
    .expression(
      "search.hasTriedEverything", becomes: "true",
      within: "guard search.hasTriedEverything"),
    suites: ["StrategyTests"]),
  Bug(
    "explore.cut-forgotten", breaks: "isExhausted although a timer could have passed work",
    in: folder + "Exploration.swift",
    .without("if decisions.wasCut { wasCut = true }"),
    suites: ["StrategyTests"]),
  Bug(
    "explore.two-runs-not-compared", breaks: "a scenario that differs each time is explored",
    in: folder + "Explorer+Checks.swift",
    .expression(
      "first.events != second.events || first.ending != second.ending", becomes: "false"),
    suites: ["FailingRunTests"]),
  Bug(
    "explore.ending-not-compared", breaks: "what does not come again is said to be explained",
    in: folder + "Explorer+Explaining.swift",
    .expression("ending == found.ending", becomes: "true"),
    suites: ["FailingRunTests"]),
  Bug(
    "explore.self-check-always-passes", breaks: "a strategy that is blind is believed",
    in: folder + "SelfCheck.swift",
    .expression(
      "Set(seen.map { $0[0] }) == [1, 2] && Set(seen.map { $0[1] }) == [0, 1]\n      && Set(seen.map { $0[2] }) == [0, 1]",
      becomes: "true"),
    suites: ["StrategyTests"]),
]
