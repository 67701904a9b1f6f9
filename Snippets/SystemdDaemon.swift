// A daemon under systemd: ready, alive, reloading, ending. Needs the trait `Daemon`.
#if Daemon
  import Glibc
  import Logging
  import UVDaemon
  import UVDispatch

  let logger = Logger(label: "clockd")
  let dispatcher = try UVDispatcher(.init(label: "clockd"))
  let daemon = try Daemon(dispatcher, logger: logger)
  let ticks = Confined<TimerHandle?>(nil, to: dispatcher.foreground)

  @Sendable func tick(every interval: Duration) {
    ticks.withValue { ticks in
      ticks?.cancel()
      ticks = dispatcher.foreground.every(interval) { daemon.status("at \(dispatcher.now)") }
    }
  }

  // SIGHUP. systemd hears RELOADING=1, and READY=1 when it is over.
  try daemon.onReload { tick(every: .seconds(10)) }

  dispatcher.foreground {
    tick(every: .seconds(60))
    daemon.ready("ticks every minute")
  }

  // Before the gate closes: its timers still come, and what it submits still runs.
  daemon.onEnd(deadline: .seconds(5)) { try await dispatcher.background.run { sync() } }

  // Until SIGTERM or SIGINT; one more, a second later or after that, means now.
  let report = try daemon.run()
  if !report.unfinished.isEmpty { logger.error("ended with work left: \(report)") }
#else
  print("swift run --traits Daemon SystemdDaemon")
#endif
