/// The surroundings of a daemon: its service manager, signals, reloads, logs and metrics.
let daemonBugs = [
  // MARK: What the daemon tells the service manager

  Bug(
    "daemon.ready-twice", breaks: "READY=1 is told twice after a reload",
    in: "UVDaemon/ServiceManager/Teller.swift",
    .statement(
      "state.withLock { $0.endReload(status) }",
      becomes: """
        state.withLock { $0.endReload(status) }
        sendAll()
        state.withLock { $0.endReload(status) }
        """),
    suites: ["ReloadTests"]),
  Bug(
    "daemon.nanoseconds", breaks: "MONOTONIC_USEC= is in nanoseconds",
    in: "UVDaemon/ServiceManager/Notification.swift",
    .expression("monotonicNanoseconds() / 1_000", becomes: "monotonicNanoseconds()"),
    suites: ["ReloadTests"]),
  Bug(
    "daemon.rounds-down", breaks: "the time that is asked for is less than what is needed",
    in: "UVDaemon/ServiceManager/Notification.swift",
    .expression("rest > 0", becomes: "false"),
    suites: ["TellingTests"]),
  Bug(
    "daemon.lines-in-status", breaks: "a status with a line in it becomes two assignments",
    in: "UVDaemon/ServiceManager/Notification.swift",
    .expression(#"$0 == "\n" || $0 == "\r" || $0 == "\0""#, becomes: #"$0 == "\0""#),
    suites: ["TellingTests"]),
  Bug(
    "daemon.watchdog-late", breaks: "a sign of life comes only when the time for it is over",
    in: "UVDaemon/ServiceManager/Teller.swift",
    .statement(
      #"dispatcher.foreground.every(timeout / 2, label: "watchdog") { self.tell([.watchdog]) }"#,
      becomes:
        #"dispatcher.foreground.every(timeout, label: "watchdog") { self.tell([.watchdog]) }"#),
    suites: ["TellingTests"]),
  Bug(
    // A timer of the background would not do: the loop's thread makes it due.
    "daemon.alive-while-stuck", breaks: "a loop that is stuck is told to be alive, by a Task",
    in: "UVDaemon/ServiceManager/Teller.swift",
    .statement(
      #"dispatcher.foreground.every(timeout / 2, label: "watchdog") { self.tell([.watchdog]) }"#,
      becomes: """
        Task {
          while !self.endIsTold {
            _ = self.send([.watchdog])
            try await Task.sleep(for: timeout / 2)
          }
        }
        """),
    suites: ["SocketTests"]),
  Bug(
    "daemon.stopping-not-told", breaks: "STOPPING=1 is not told",
    in: "UVDaemon/ServiceManager/Teller.swift",
    .expression(".stopping", becomes: ".watchdog", within: "[.stopping, .extendTimeout(time)]"),
    suites: ["EndingTests"]),
  Bug(
    "daemon.end-told-again", breaks: "each request to end is told as if it were the first",
    in: "UVDaemon/ServiceManager/Teller.swift",
    .expression("!endIsTold", becomes: "true", within: "return !endIsTold"),
    suites: ["EndingTests"]),
  Bug(
    "daemon.drain-not-asked-for", breaks: "no time is asked for what comes before the shutdown",
    in: "UVDaemon/ServiceManager/Teller.swift",
    .expression(
      "DispatcherInstant.start.advanced(by: longest).advanced(by: policy.drain)",
      becomes: "DispatcherInstant.start.advanced(by: policy.drain)"),
    suites: ["OnEndTests"]),
  Bug(
    "daemon.unsent-grows", breaks: "what waits for room is all that was ever told",
    in: "UVDaemon/ServiceManager/Teller.swift",
    .without("unsent.removeAll { $0.name == notification.name }"),
    suites: ["TellingTests"]),
  Bug(
    "daemon.retries-pile-up", breaks: "each notification that finds no room sets a timer",
    in: "UVDaemon/ServiceManager/Teller.swift",
    .expression("!retryIsSet", becomes: "true"),
    suites: ["TellingTests"]),
  Bug(
    "daemon.no-retry", breaks: "what finds no room is lost",
    in: "UVDaemon/ServiceManager/ServiceManager.swift",
    .expression(
      "[EAGAIN, ENOBUFS, ENOMEM, EMFILE, ENFILE].contains(code)", becomes: "false"),
    suites: ["TellingTests", "SocketTests"]),
  Bug(
    "daemon.keeps-dispatcher", breaks: "a daemon that never ran keeps its dispatcher for ever",
    in: "UVDaemon/ServiceManager/Teller.swift",
    .statement(
      "self.dispatcher = { [weak dispatcher] in dispatcher }",
      becomes: "self.dispatcher = { dispatcher }"),
    suites: ["LifetimeTests"]),

  // MARK: What the service manager says and passes

  Bug(
    "daemon.abstract-as-path", breaks: "a name of the abstract namespace is taken for a path",
    in: "CDaemon/daemon.c",
    .expression("address[0] == '@'", becomes: "0"),
    suites: ["SocketTests"]),
  Bug(
    "daemon.other-process", breaks: "what is meant for another process is taken",
    in: "UVDaemon/ServiceManager/Environment.swift",
    .expression("number == Int64(process)", becomes: "true"),
    suites: ["EnvironmentTests"]),
  Bug(
    "daemon.no-process", breaks: "sockets are taken that are not said to be for this process",
    in: "UVDaemon/ServiceManager/Environment.swift",
    .expression("false", becomes: "true", within: #"isForMe("LISTEN_PID", orUnset: false)"#),
    suites: ["EnvironmentTests"]),
  Bug(
    "daemon.sockets-inherited", breaks: "programs that the daemon starts inherit its sockets",
    in: "UVDaemon/ServiceManager/ServiceManager.swift",
    .expression("cdaemon_close_on_exec(socket.descriptor) != 0", becomes: "false"),
    suites: ["SocketTests"]),
  Bug(
    "daemon.close-on-exec", breaks: "the flag of a passed socket is read and not set",
    in: "CDaemon/daemon.c",
    .expression("flags | FD_CLOEXEC", becomes: "flags"),
    suites: ["SocketTests"]),

  // MARK: Ending

  Bug(
    "daemon.second-ignored", breaks: "a second signal changes nothing",
    in: "UVDaemon/Daemon.swift",
    .expression("now >= before.advanced(by: secondSignalAfter)", becomes: "false"),
    suites: ["EndingTests"]),
  Bug(
    "daemon.second-waits", breaks: "a second signal leaves what runs the time of the cancel phase",
    in: "UVDaemon/Daemon.swift",
    .expression(
      "ShutdownPolicy(drain: .zero, cancel: .zero)",
      becomes: "ShutdownPolicy(drain: .zero, cancel: policy.cancel)"),
    suites: ["EndingTests"]),
  Bug(
    "daemon.passed-on-twice", breaks: "a signal that is passed on twice means now",
    in: "UVDaemon/Daemon.swift",
    .expression("now >= before.advanced(by: secondSignalAfter)", becomes: "true"),
    suites: ["EndingTests"]),
  Bug(
    "daemon.burst-means-now", breaks: "two signals that are told in one call mean now",
    in: "UVDaemon/Daemon.swift",
    .expression("deliveries > 1 && secondSignalAfter <= .zero", becomes: "deliveries > 1"),
    suites: ["EndingTests"]),
  Bug(
    "daemon.burst-is-one",
    breaks: "two signals that are told in one call are one where each counts",
    in: "UVDaemon/Daemon.swift",
    .expression("deliveries > 1 && secondSignalAfter <= .zero", becomes: "false"),
    suites: ["EndingTests"]),
  Bug(
    "daemon.last-request-counts",
    breaks: "the second is counted from the last signal, not from the first",
    in: "UVDaemon/Daemon.swift",
    .expression("first ?? now", becomes: "now"),
    suites: ["EndingTests"]),
  Bug(
    "daemon.limit-refuses",
    breaks: "READY=1 from another thread is lost where the foreground is full",
    in: "UVDaemon/Daemon.swift",
    .expression(".reply", becomes: ".task", within: "kind: .reply"),
    suites: ["TellingTests"]),
  Bug(
    "daemon.status-too-long", breaks: "a status is longer than a service manager takes",
    in: "UVDaemon/ServiceManager/Notification.swift",
    .expression("4000", becomes: "5000", within: "{ 4000 }"),
    suites: ["TellingTests"]),
  Bug(
    "daemon.ready-in-a-reload", breaks: "READY=1 ends a reload that goes on",
    in: "UVDaemon/ServiceManager/Teller.swift",
    .expression("!isReloading", becomes: "true", within: "case .ready: !endIsTold && !isReloading"),
    suites: ["TellingTests"]),
  Bug(
    "daemon.ready-after-the-end", breaks: "READY=1 comes after STOPPING=1",
    in: "UVDaemon/ServiceManager/Teller.swift",
    .expression("!endIsTold", becomes: "true", within: "case .ready: !endIsTold && !isReloading"),
    suites: ["TellingTests"]),
  Bug(
    "daemon.warns-with-each-beat", breaks: "the same warning comes with each sign of life",
    in: "UVDaemon/ServiceManager/Teller.swift",
    .expression("lastError != error?.code", becomes: "true"),
    suites: ["TellingTests"]),
  Bug(
    "daemon.handler-hangs", breaks: "a handler that hangs is not left behind",
    in: "UVDaemon/Handler.swift",
    .expression("max(.zero, deadline)", becomes: "max(.seconds(86_400), deadline)"),
    suites: ["ReloadTests", "OnEndTests"]),
  Bug(
    "daemon.handler-not-cancelled",
    breaks: "the Task of a handler that was left behind is not cancelled",
    in: "UVDaemon/Handler.swift",
    .without("task.cancel()"),
    suites: ["ReloadTests", "OnEndTests"]),
  Bug(
    "daemon.handler-timer-left", breaks: "the timer of a handler that has ended stays",
    in: "UVDaemon/Handler.swift",
    .without("timer.cancel()"),
    suites: ["ReloadTests", "OnEndTests"]),

  // MARK: What the daemon must do before its end

  Bug(
    "daemon.ends-in-order", breaks: "the first that was registered is called first",
    in: "UVDaemon/Endings.swift",
    .expression(
      "state.handlers.popLast()",
      becomes: "state.handlers.isEmpty ? nil : state.handlers.removeFirst()"),
    suites: ["OnEndTests"]),
  Bug(
    "daemon.ends-not-run", breaks: "the gate closes before what is to be done",
    in: "UVDaemon/Endings.swift",
    .expression("!state.handlers.isEmpty", becomes: "false"),
    suites: ["OnEndTests"]),
  Bug(
    "daemon.ends-in-spite", breaks: "what is to be done is done although there is no time to drain",
    in: "UVDaemon/Endings.swift",
    .expression(
      "policy.drain > .zero", becomes: "policy.drain >= .zero",
      within: "policies = before + policies\n          if policy.drain > .zero"),
    suites: ["OnEndTests"]),
  Bug(
    "daemon.ends-first-policy", breaks: "a later request does not shorten the shutdown",
    in: "UVDaemon/Endings.swift",
    .expression("before + policies", becomes: "before"),
    suites: ["OnEndTests"]),
  Bug(
    "daemon.handler-waits-for-ever",
    breaks: "a handler that was left behind keeps the next from being called",
    in: "UVDaemon/Handler.swift",
    .without("ends.finish()"),
    suites: ["ReloadTests", "OnEndTests"]),
  Bug(
    "daemon.end-not-left", breaks: "a second signal waits for what is being done",
    in: "UVDaemon/Endings.swift",
    .without(
      "leave?()", within: "leave?()\n      withExtendedLifetime(released) {}\n      return start"),
    suites: ["OnEndTests"]),
  Bug(
    "daemon.end-of-a-stuck-loop", breaks: "a stuck loop keeps the shutdown from beginning",
    in: "UVDaemon/Daemon+End.swift",
    .without(
      "for policy in policies { dispatcher.beginShutdown(policy) }"),
    suites: ["OnEndTests"]),

  // MARK: What it is started with

  Bug(
    "daemon.broken-pipe-ends-it", breaks: "a write to a peer that has gone ends the process",
    in: "CDaemon/daemon.c",
    .expression("before.sa_handler != SIG_DFL", becomes: "1"),
    suites: ["ProcessStateTests"]),
  Bug(
    "daemon.own-handler-replaced",
    breaks: "what the process has said that SIGPIPE is to do is forgotten",
    in: "CDaemon/daemon.c",
    .expression("before.sa_handler != SIG_DFL", becomes: "0"),
    suites: ["ProcessStateTests"]),
  Bug(
    "daemon.signal-stays-blocked", breaks: "a signal that was blocked is never heard",
    in: "UVDispatch/LibUV/SignalMasks.swift",
    .expression(
      "SIG_UNBLOCK", becomes: "SIG_BLOCK", within: "pthread_sigmask(SIG_UNBLOCK, &one, &before)"),
    suites: ["ProcessStateTests"]),
  Bug(
    "daemon.half-registered", breaks: "a signal stays registered when another one is refused",
    in: "UVDaemon/Daemon.swift",
    .without("for registration in registered { registration.cancel() }"),
    suites: ["EndingTests"]),

  // MARK: Reloads

  Bug(
    "daemon.reload-backwards", breaks: "handlers are not called in the order of registration",
    in: "UVDaemon/Reloads.swift",
    .expression(
      "state.handlers.filter { asked.contains($0.signal) }.map(\\.number)",
      becomes: "state.handlers.filter { asked.contains($0.signal) }.map(\\.number).reversed()"),
    suites: ["ReloadTests"]),
  Bug(
    "daemon.reload-of-all-signals", breaks: "a handler is called for another signal's reload",
    in: "UVDaemon/Reloads.swift",
    .expression(
      "state.handlers.filter { asked.contains($0.signal) }.map(\\.number)",
      becomes: "state.handlers.map(\\.number)"),
    suites: ["ReloadTests"]),
  Bug(
    "daemon.reload-stops", breaks: "a handler that fails keeps the next from being called",
    in: "UVDaemon/Reloads.swift",
    .statement(
      "failures.append(failure)",
      becomes: """
        failures.append(failure)
        break
        """),
    suites: ["ReloadTests"]),
  Bug(
    "daemon.reload-lost", breaks: "what asks while a reload goes on gets none",
    in: "UVDaemon/Reloads.swift",
    .expression("!state.asked.isEmpty", becomes: "false"),
    suites: ["ReloadTests"]),
  Bug(
    "daemon.reloads-overlap", breaks: "a reload begins while another goes on",
    in: "UVDaemon/Reloads.swift",
    .expression("!state.isGoingOn", becomes: "true"),
    suites: ["ReloadTests"]),
  Bug(
    "daemon.reloads-at-the-end", breaks: "handlers are called once the end was asked for",
    in: "UVDaemon/Reloads.swift",
    .expression("!self.teller.endIsTold", becomes: "true"),
    suites: ["ReloadTests"]),
  Bug(
    "daemon.still-listens", breaks: "a signal stays taken when its last handler was removed",
    in: "UVDaemon/Daemon+Reload.swift",
    .without("last?.registration?.cancel()"),
    suites: ["ReloadTests"]),

  // MARK: Readiness, handlers, deadlines, and what is meant for another process

  Bug(
    "daemon.ready-after-all", breaks: "READY=1 of the middle of a reload is told after it",
    in: "UVDaemon/Daemon.swift",
    .expression("teller.legal(notifications)", becomes: "notifications"),
    suites: ["TellingTests"]),
  Bug(
    "daemon.blocked-signal", breaks: "a signal that was blocked when the daemon began never comes",
    in: "UVDaemon/Daemon.swift",
    .without("if dispatcher is UVDispatcher { letIn(signals + forSnapshots) }"),
    suites: ["ProcessStateTests"]),
  Bug(
    "daemon.deadline-too-early", breaks: "what a reload has changed of a deadline does not count",
    in: "UVDaemon/Daemon+End.swift",
    .expression(
      "endings.add(deadline, handler)",
      becomes: "{ early in endings.add({ early }, handler) }(deadline())"),
    suites: ["OnEndTests"]),
  Bug(
    "daemon.never-cut-short", breaks: "a request that leaves no time is not noted",
    in: "UVDaemon/Endings.swift",
    .without("if policy.drain <= .zero { state.isCutShort = true }"),
    suites: ["EndingTests"]),
  Bug(
    "daemon.left-is-flood", breaks: "each task that never started is a line of the log",
    in: "UVDaemon/Daemon.swift",
    .expression("task.state == .abandoned", becomes: "true"),
    suites: ["EndingTests"]),
  Bug(
    "daemon.strays-unsaid", breaks: "what is for another process is not used, without a word",
    in: "UVDaemon/Daemon.swift",
    .without(#"for stray in manager.strays { logger.warning("\(stray)") }"#),
    suites: ["EnvironmentTests"]),
  Bug(
    "daemon.strays-of-a-child",
    breaks: "a program that a service has started is said to lack sockets",
    in: "UVDaemon/ServiceManager/Environment.swift",
    .expression("isSocket(Self.firstDescriptor)", becomes: "true"),
    suites: ["EnvironmentTests"]),
  Bug(
    "daemon.watchdog-not-meant",
    breaks: "a watchdog of another process is said to be in vain without a manager",
    in: "UVDaemon/ServiceManager/Environment.swift",
    .expression(#"nonempty("NOTIFY_SOCKET") != nil"#, becomes: "true"),
    suites: ["EnvironmentTests"]),
  Bug(
    "daemon.reload-makes-ready", breaks: "a reload tells that a daemon is ready that never said so",
    in: "UVDaemon/ServiceManager/Teller.swift",
    .expression("isReady", becomes: "true", within: "if isReady {"),
    suites: ["ReloadTests"]),
  Bug(
    "daemon.reloading-too-early", breaks: "RELOADING=1 is told of a daemon that is not ready",
    in: "UVDaemon/ServiceManager/Teller.swift",
    .expression("isReady", becomes: "true", within: "!isReloading && isReady"),
    suites: ["ReloadTests"]),
  Bug(
    "daemon.end-told-no-more", breaks: "an end for which there is no room is never told",
    in: "UVDaemon/ServiceManager/Teller.swift",
    .expression("time < end", becomes: "false"),
    suites: ["SocketTests"]),
  Bug(
    "daemon.end-told-in-part", breaks: "what is told of the end is told again",
    in: "UVDaemon/ServiceManager/Teller.swift",
    .statement(
      "state.withLock { _ = $0.untoldEnd.removeFirst() }",
      becomes: "state.withLock { _ = $0.untoldEnd.removeLast() }"),
    suites: ["SocketTests"]),
  Bug(
    "daemon.late-unsaid", breaks: "a handler that holds the loop beyond its time is not logged",
    in: "UVDaemon/Handler.swift",
    .expression("took > deadline", becomes: "false"),
    suites: ["ReloadTests"]),
  Bug(
    "daemon.late-end-unsaid",
    breaks: "that a handler which was left behind has ended is not logged",
    in: "UVDaemon/Handler.swift",
    .expression("!end(how)", becomes: "!end(how) && false"),
    suites: ["ReloadTests", "OnEndTests"]),
]
