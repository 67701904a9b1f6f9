// A daemon under systemd: ready, alive, reloading, ending. Needs the trait `Daemon`.
#if Daemon
  import Logging
  import UVDaemon
  import UVDispatch

  let logger = Logger(label: "clockd")
  let dispatcher = try UVDispatcher(.init(label: "clockd", observer: LoggingObserver(logger)))
  let daemon = try Daemon(dispatcher, logger: logger)
  let interval = Confined(Duration.seconds(1), to: dispatcher.foreground)

  // SIGHUP. systemd hears RELOADING=1, and READY=1 when it is over.
  try daemon.onReload { interval.withValue { $0 = .seconds(2) } }

  dispatcher.foreground {
    dispatcher.foreground.every(.seconds(60)) { daemon.status("at \(dispatcher.now)") }
    daemon.ready("ticks every \(interval.withValue { $0 })")
  }

  // Until SIGTERM or SIGINT; a second one means now.
  let report = try daemon.run()
  if !report.unfinished.isEmpty { logger.error("ended with work left: \(report)") }
#else
  print("swift run --traits Daemon SystemdDaemon")
#endif
