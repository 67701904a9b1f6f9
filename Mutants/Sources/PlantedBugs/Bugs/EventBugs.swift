/// Signals and descriptors, and the handlers that wait for them.
let eventBugs = [
  Bug(
    "event.second-signal-unheard",
    breaks: "a signal that comes while a shutdown cancels is not told",
    in: "TaskDispatch/Policy/ShutdownProgress.swift",
    .expression("ofSignals && !cancelIsOver(at: now)", becomes: "false"),
    suites: ["SignalAtTheEndTests"]),
  Bug(
    "event.second-signal-cancelled",
    breaks: "a signal that comes while a shutdown cancels is cancelled with the rest",
    in: "UVDispatch/Engine/Core/Core+Shutdown.swift",
    .expression("!outlivesDrain($0)", becomes: "true"),
    suites: ["SignalAtTheEndTests"]),
  Bug(
    "event.told-when-over", breaks: "a signal is told of when the shutdown has given up",
    in: "TaskDispatch/Policy/ShutdownProgress.swift",
    .expression("ofSignals && !cancelIsOver(at: now)", becomes: "ofSignals"),
    suites: ["SignalAtTheEndTests"]),
  Bug(
    "event.descriptor-in-cancel", breaks: "descriptors are told of while a shutdown cancels",
    in: "TaskDispatch/Policy/ShutdownProgress.swift",
    .expression("ofSignals && !cancelIsOver(at: now)", becomes: "!cancelIsOver(at: now)"),
    suites: ["SignalAtTheEndTests"]),
  Bug(
    "event.asker-abandoned", breaks: "a body that asks for an end at once is abandoned by that",
    in: "UVDispatch/Engine/Core/Core+Shutdown.swift",
    .expression("TaskContext.first { $0 === task } == nil", becomes: "true"),
    suites: ["SignalAtTheEndTests"]),
  Bug(
    "event.pending-kills",
    breaks: "a signal that was on its way when its handler went ends the process",
    in: "CSignals/csignals.c",
    .expression("before[signal].sa_handler == SIG_DFL", becomes: "0"),
    suites: ["SignalDispositionTests"]),
  Bug(
    "event.nothing-told", breaks: "a handler is told of no delivery",
    in: "UVDispatch/Engine/Tasks/EventHandler.swift",
    .without("news.deliveries += deliveries"),
    suites: ["SignalTests"]),
  Bug(
    "event.last-told", breaks: "deliveries are lost while a call waits",
    in: "UVDispatch/Engine/Tasks/EventHandler.swift",
    .statement("news.deliveries += deliveries", becomes: "news.deliveries = deliveries"),
    suites: ["SignalTests"]),
  Bug(
    "event.called-for-nothing", breaks: "a handler is called without a delivery",
    in: "UVDispatch/Engine/Tasks/EventHandler.swift",
    .expression("deliveries > 0", becomes: "true"),
    suites: ["SignalTests"]),
  Bug(
    "event.told-twice", breaks: "a delivery is told in two calls",
    in: "UVDispatch/Engine/Core/Core+Events.swift",
    .without("handler.news = EventHandler.News()"),
    suites: ["SignalTests"]),
  Bug(
    "event.called-once", breaks: "a handler is never called again",
    in: "UVDispatch/Engine/Core/Core+Events.swift",
    .without("handler.call = nil"),
    suites: ["SignalTests"]),
  Bug(
    "event.called-each-time", breaks: "what comes while a call waits is a call of its own",
    in: "UVDispatch/Engine/Core/Core+Events.swift",
    .expression("$0.call == nil", becomes: "true"),
    suites: ["SignalTests"]),
  Bug(
    "event.runs-when-removed", breaks: "rule 9: a call waits whose handler was removed",
    in: "UVDispatch/Engine/Core/Core+Events.swift",
    .without("if let call = handler.call.take() { _ = cancel(call) }"),
    suites: ["SignalTests"]),
  Bug(
    "event.still-told", breaks: "a handler is called after it was removed",
    in: "UVDispatch/Engine/Parts/Events.swift",
    .without("ofSignals.removeAll { $0 === handler }"),
    suites: ["SignalTests"]),
  Bug(
    "event.outlives-the-shutdown", breaks: "rule 13: a handler is there when the shutdown is over",
    in: "UVDispatch/Engine/Core/Core+Concluding.swift",
    .without("removeAllHandlers()"),
    suites: ["SignalAtTheEndTests"]),
  Bug(
    "event.outlives-its-dispatcher",
    breaks: "a signal writes to a descriptor that its dispatcher has closed",
    in: "UVDispatch/Engine/Core/Core+Telling.swift",
    .without("removeAllHandlers()"),
    suites: ["SignalDispositionTests"]),
  Bug(
    "event.accepted-at-the-end",
    breaks: "rule 13: a handler is registered after the gate is closed",
    in: "UVDispatch/Engine/Core/Core+Events.swift",
    .without("if closing.hasBegun { throw .shutDown }"),
    suites: ["SignalAtTheEndTests"]),
  Bug(
    "event.signal-stays-ours", breaks: "the disposition of before does not come back",
    in: "UVDispatch/Engine/Tasks/EventHandler.swift",
    .without("watch.end()"),
    suites: ["SignalDispositionTests"]),
  Bug(
    "event.signal-of-the-parent", breaks: "rule 15: a forked child has the parent's handler",
    in: "UVDispatch/LibUV/ForkGuard.swift",
    .without("csignals_after_fork_in_child()"),
    suites: ["SignalDispositionTests"]),
  Bug(
    "event.from-the-beginning", breaks: "a handler is told of what came before it",
    in: "UVDispatch/LibUV/SignalWatch.swift",
    .expression(
      "csignals_deliveries(signal.rawValue)", becomes: "0",
      within: "told = csignals_deliveries(signal.rawValue)"),
    suites: ["SignalTests"]),
  Bug(
    "event.stands-elsewhere", breaks: "rule 9: a call that waits is looked for where it is not",
    in: "UVDispatch/Engine/Core/Core+Items.swift",
    .expression(".due", becomes: ".queue", within: "item.stage = .due"),
    suites: ["SignalTests", "WaitingItemTests"]),
  Bug(
    "event.ready-once", breaks: "a descriptor that stays ready is told of once",
    in: "UVDispatch/Engine/Engine+Events.swift",
    .without("withCore { $0.waitAgain(handler) }"),
    suites: ["ReadinessTests"]),
  Bug(
    "event.ready-for-more", breaks: "a handler is told what it did not ask for",
    in: "UVDispatch/Engine/Tasks/EventHandler.swift",
    .expression("readiness.intersection(interest)", becomes: "readiness"),
    suites: ["ReadinessTests"]),
  Bug(
    "event.closed-and-kept", breaks: "a handler of a descriptor that was closed stays for ever",
    in: "UVDispatch/Engine/Core/Core+Events.swift",
    .without("if handler.source != nil, !handler.waitAgain() { remove(handler) }"),
    suites: ["ReadinessTests"]),
  Bug(
    "event.number-is-taken", breaks: "the number of a descriptor that was closed cannot be watched",
    in: "UVDispatch/Engine/Core/Core+Events.swift",
    .expression(
      "handler.waitAgain()", becomes: "true", within: "if handler.waitAgain() { throw"),
    suites: ["ClosedDescriptorTests"]),
  Bug(
    "event.watched-twice", breaks: "two handlers watch one descriptor, and one is never told",
    in: "UVDispatch/Engine/Core/Core+Events.swift",
    .expression(
      "handler.waitAgain()", becomes: "false", within: "if handler.waitAgain() { throw"),
    suites: ["ReadinessTests"]),
  Bug(
    "event.nobody-looks", breaks: "the loop does not watch what another thread has registered",
    in: "UVDispatch/Engine/Core/Core+Events.swift",
    .without("if handler.descriptor != nil { loop.want() }"),
    suites: ["ReadinessTests"]),
  Bug(
    "event.stays-in-the-set", breaks: "a descriptor is watched whose handler was removed",
    in: "UVDispatch/Engine/Tasks/EventHandler.swift",
    .without("set.remove(descriptor)"),
    suites: ["ReadinessTests"]),
  Bug(
    "event.not-looked-for", breaks: "runUntilIdle() leaves while a descriptor is ready",
    in: "UVDispatch/LibUV/EventLoop.swift",
    .expression("mayBeReady || looks", becomes: "mayBeReady"),
    suites: ["ReadinessTests"]),
  Bug(
    "event.idle-too-early", breaks: "runUntilIdle() leaves although a body has raised a signal",
    in: "UVDispatch/Engine/Engine+Iteration.swift",
    .without("if core.awaitsEvents { queueEventCalls(core, looks: true) }"),
    suites: ["SignalTests"]),
  Bug(
    "event.set-stays-open", breaks: "a dispatcher leaves a descriptor behind",
    in: "UVDispatch/LibUV/ReadySet.swift",
    .without("close(descriptor)", within: "deinit { close(descriptor) }"),
    suites: ["ClosedDescriptorTests"]),
  Bug(
    "deliveries.told-again", breaks: "an element has what was told in the one before",
    in: "TaskDispatch/Dispatcher/SignalSequence.swift",
    .without("count = 0", within: "let all = count\n          count = 0"),
    suites: ["SignalSequenceTests"]),
  Bug(
    "deliveries.never-end", breaks: "a Task that awaits a signal waits beyond the shutdown",
    in: "TaskDispatch/Dispatcher/SignalSequence.swift",
    .without("continuation.finish()"),
    suites: ["SignalSequenceTests"]),
  Bug(
    "deliveries.handler-stays", breaks: "the handler of a sequence stays when that is let go of",
    in: "TaskDispatch/Dispatcher/SignalSequence.swift",
    .without("continuation.onTermination = { _ in registration.cancel() }"),
    suites: ["SignalSequenceTests"]),
  Bug(
    "event.lost-at-the-end", breaks: "rule 13: a signal that came before a shutdown is lost",
    in: "UVDispatch/Engine/Core/Core+Shutdown.swift",
    .expression("isIteration", becomes: "true", within: "guard isIteration, !hasWorkThatCanEnd"),
    suites: ["SignalAtTheEndTests", "CancelPhaseTests"]),
  Bug(
    "event.told-too-late", breaks: "rule 13: a handler is called when a shutdown cancels",
    in: "UVDispatch/Engine/Core/Core+Events.swift",
    .expression("closing.callsHandlers(ofSignals: $0.isOfSignal, at: now)", becomes: "true"),
    suites: ["SignalAtTheEndTests"]),
  Bug(
    "event.nobody-takes",
    breaks: "rule 16: a descriptor that no handler waits for keeps the loop awake",
    in: "UVDispatch/Engine/Engine+Iteration.swift",
    .expression("core.awaitsEvents || loop.mayBeReady", becomes: "core.awaitsEvents"),
    suites: ["ClosedDescriptorTests"]),
  Bug(
    "event.child-lets-go", breaks: "rule 15: a child takes the parent's descriptors out of its set",
    in: "UVDispatch/UVDispatcher.swift",
    .without("if ForkGuard.isForked { return }"),
    suites: ["ForkTests"]),
  Bug(
    "event.child-closes", breaks: "rule 15: a child closes what the parent's loop polls",
    in: "UVDispatch/LibUV/EventLoop.swift",
    .without("if ForkGuard.isForked { return }"),
    suites: ["ForkTests"]),
  Bug(
    "event.watched-for-ever", breaks: "a signal writes into a descriptor whose watch has ended",
    in: "UVDispatch/LibUV/SignalWatch.swift",
    .without("if let watch = unsafe watch { unsafe csignals_unwatch(watch) }"),
    suites: ["SignalWatchTests"]),
  Bug(
    "event.blocks-faults", breaks: "a crash in the handler of a signal prints no backtrace",
    in: "CSignals/csignals.c",
    .expression("index < sizeof faults / sizeof *faults", becomes: "0"),
    suites: ["FaultSignalTests"]),
  Bug(
    "event.released-under-lock", breaks: "a registration that is cancelled in a deinit hangs",
    in: "TaskDispatch/Dispatcher/EventDispatcher.swift",
    .statement(
      "let released = onCancel.withLock { $0.take() }\n    _ = consume released",
      becomes: "onCancel.withLock { $0 = nil }"),
    suites: ["RegistrationTests", "LastOwnerTests"]),
  Bug(
    "event.own-not-marked", breaks: "rule 19: a registration that was cancelled does not say so",
    in: "UVDispatch/UVDispatcher+CurrentTask.swift",
    .without("registration?.cancel()"),
    suites: ["UVContractTests"]),
  Bug(
    "event.own-not-known", breaks: "rule 19: a handler cannot cancel its own registration",
    in: "UVDispatch/Engine/Core/Core+Events.swift",
    .without("handler.served = handler.call"),
    suites: ["UVContractTests"]),
  Bug(
    "timer.own-run-alone", breaks: "rule 9: a run that cancels itself does not end its timer",
    in: "UVDispatch/UVDispatcher+CurrentTask.swift",
    .expression("item.handled", becomes: "item"),
    suites: ["UVContractTests"]),
  Bug(
    "timer.long-past-traps", breaks: "a sleep until an instant long past ends the process",
    in: "UVDispatch/Engine/Engine+Iteration.swift",
    .expression("next > core.now ? next - core.now : 0", becomes: "next - core.now"),
    suites: ["ExtremeNumbersTests"]),
]
