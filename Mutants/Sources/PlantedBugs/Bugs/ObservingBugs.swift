/// What a daemon logs, measures and carries.
let observingBugs = [
  Bug(
    "daemon.counted-twice", breaks: "a task is counted twice",
    in: "UVDaemon/Observing/MetricsObserver.swift",
    .statement(
      "count(outcome.name)",
      becomes: """
        count(outcome.name)
        count(outcome.name)
        """),
    suites: ["MetricsObserverTests"]),
  Bug(
    "daemon.sleep-has-run", breaks: "a sleep on the clock has a time of its own",
    in: "UVDaemon/Observing/TaskStories.swift",
    .expression(
      "story.startedAt", becomes: "story.startedAt ?? story.dueAt",
      within: "guard let startedAt = story.startedAt else"),
    suites: ["MetricsObserverTests"]),
  Bug(
    "daemon.timer-waits-too-long", breaks: "a timer waits from its submission",
    in: "UVDaemon/Observing/TaskStories.swift",
    .expression("story.dueAt ?? event.task.enqueuedAt", becomes: "event.task.enqueuedAt"),
    suites: ["MetricsObserverTests"]),
  Bug(
    "daemon.story-begins-late", breaks: "a timer that is told to be due last leaves an entry",
    in: "UVDaemon/Observing/TaskStories.swift",
    .expression("stories[id] == nil", becomes: "false"),
    suites: ["MetricsObserverTests"]),
  Bug(
    "daemon.story-ends-early", breaks: "what is told late of a task leaves an entry",
    in: "UVDaemon/Observing/TaskStories.swift",
    .expression("isAccepted", becomes: "true", within: "guard isAccepted, let end"),
    suites: ["MetricsObserverTests"]),
  Bug(
    "daemon.early-grows", breaks: "timers that are told to be due last fill the memory",
    in: "UVDaemon/Observing/TaskStories.swift",
    .expression("early.count >= Self.mostEarly", becomes: "false"),
    suites: ["MetricsObserverTests"]),
  Bug(
    "daemon.context-lost", breaks: "a body that carries a context runs without it",
    in: "UVDaemon/Observing/CarriedContext.swift",
    .expression("ServiceContext.$current.withValue(context) { body() }", becomes: "body()"),
    suites: ["CarriedContextTests"]),
  Bug(
    "daemon.refusals-flood", breaks: "each refusal is logged, thousands a second",
    in: "UVDaemon/Observing/StallLog.swift",
    .expression("time < entry.next", becomes: "false"),
    suites: ["LoggingObserverTests"]),
  Bug(
    "daemon.shutdown-is-logged", breaks: "what a shutdown refuses is logged",
    in: "UVDaemon/Observing/LoggingObserver.swift",
    .expression("reason != .shutDown", becomes: "true"),
    suites: ["LoggingObserverTests"]),
  Bug(
    "daemon.counts-itself", breaks: "a body that was held back is told to be one of the others",
    in: "UVDaemon/Observing/StallLog.swift",
    .expression("isAgain ? 1 : 0", becomes: "0"),
    suites: ["LoggingObserverTests"]),
  Bug(
    "daemon.stalls-flood", breaks: "a stall is logged each time that it is told of",
    in: "UVDaemon/Observing/StallLog.swift",
    .expression("held < next", becomes: "false"),
    suites: ["LoggingObserverTests"]),
  Bug(
    "daemon.stall-said-once", breaks: "a body that goes on holding its thread is not told of again",
    in: "UVDaemon/Observing/StallLog.swift",
    .expression("held < next", becomes: "true"),
    suites: ["LoggingObserverTests"]),
  Bug(
    "daemon.stall-never-ends", breaks: "the end of a stall is not logged",
    in: "UVDaemon/Observing/StallLog.swift",
    .expression("count.load(ordering: .relaxed) > 0", becomes: "false"),
    suites: ["LoggingObserverTests"]),
  Bug(
    "daemon.held-back-ends", breaks: "the end of a stall is logged of which nothing was said",
    in: "UVDaemon/Observing/StallLog.swift",
    .expression("stall.next != nil", becomes: "true"),
    suites: ["LoggingObserverTests"]),
  Bug(
    "daemon.each-stall", breaks: "each body of one line is logged to stall",
    in: "UVDaemon/Observing/StallLog.swift",
    .expression("others == nil ? nil : held * 10", becomes: "held"),
    suites: ["LoggingObserverTests"]),
  Bug(
    "daemon.stalls-grow", breaks: "stalls that never end fill the memory",
    in: "UVDaemon/Observing/StallLog.swift",
    .expression(
      "known.count >= Self.mostKnown", becomes: "false",
      within: "if before == nil, known.count >= Self.mostKnown"),
    suites: ["LoggingObserverTests"]),
  Bug(
    "daemon.held-back-again", breaks: "what was held back is counted more than once",
    in: "UVDaemon/Observing/StallLog.swift",
    .expression("before != nil", becomes: "false", within: "isAgain: before != nil"),
    suites: ["LoggingObserverTests"]),
  Bug(
    "daemon.held-back-for-ever",
    breaks: "a body that hangs is never told of if another of its line was just before",
    in: "UVDaemon/Observing/StallLog.swift",
    .expression(
      "others == nil ? nil : held * 10", becomes: "others == nil ? .seconds(1 << 30) : held * 10"),
    suites: ["LoggingObserverTests"]),
  Bug(
    "daemon.abandoned-ends",
    breaks: "a body that a shutdown abandons is logged to have let its thread go",
    in: "UVDaemon/Observing/LoggingObserver.swift",
    .expression("outcome == .abandoned", becomes: "false"),
    suites: ["LoggingObserverTests"]),
]
