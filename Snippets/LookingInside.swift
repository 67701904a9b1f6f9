// What a daemon writes of a body that keeps its loop, and what it holds. Needs the trait `Daemon`.
#if Daemon
  import Logging
  import UVDaemon
  import UVDispatch

  let dispatcher = try UVDispatcher(.init(label: "clockd", stallStacks: StackCapture()))
  // It watches for stalls, and logs a snapshot at SIGUSR2.
  let daemon = try Daemon(dispatcher, logger: Logger(label: "clockd"))

  @Sendable func rescan() {
    let end = dispatcher.now.advanced(by: .milliseconds(300))
    while dispatcher.now < end {}
  }
  dispatcher.foreground.async(label: "rescan") { rescan() }
  dispatcher.foreground.after(.milliseconds(500)) {
    print(dispatcher.snapshot())
    daemon.beginShutdown(because: "it has shown enough")
  }
  try daemon.run()
#else
  print("swift run --traits Daemon LookingInside")
#endif
