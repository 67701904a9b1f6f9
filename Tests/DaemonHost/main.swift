// Daemons that the tests start, each in a process of its own, with a service manager that the test plays. Each
// prints what it logs, and at the end how many of its jobs were done. A job ends when it has read a byte from
// the standard input.
#if Daemon
  import Glibc
  import Logging
  import UVDaemon
  import UVDispatch

  // A program that hangs must not outlive the test that gave up waiting for it.
  alarm(60)
  let arguments = CommandLine.arguments.dropFirst()
  let program = arguments.first ?? ""
  /// The parameter of the program, in milliseconds.
  let parameter = Duration.milliseconds(arguments.dropFirst().first.flatMap { Int64($0) } ?? 1000)
  let logger = Logger(label: "host") { StreamLogHandler.standardOutput(label: $0) }
  let done = Done()

  switch program {
  case "jobs": try jobs(secondSignalAfter: parameter)
  case "full": try full()
  case "long": try long()
  case "components": try components()
  case "hanging-reload": try hangingReload(timeout: parameter)
  case "blocked": try blocked()
  default:
    print("which program? jobs, full, long, components, hanging-reload, blocked")
    exit(64)
  }

  /// Six jobs run, or wait for a worker, when the daemon is told to say that it is ready.
  func jobs(secondSignalAfter: Duration) throws {
    let dispatcher = try UVDispatcher()
    let daemon = try Daemon(dispatcher, secondSignalAfter: secondSignalAfter, logger: logger)
    for _ in 1...6 { dispatcher.background(job) }
    dispatcher.foreground { daemon.ready() }
    end(try daemon.run(), of: 6)
  }

  /// Says that it is ready while the foreground has no room.
  func full() throws {
    let dispatcher = try UVDispatcher(.init(overflow: .reject(limit: 1)))
    let daemon = try Daemon(dispatcher, logger: logger)
    dispatcher.foreground {
      dispatcher.foreground {}
      guard dispatcher.foreground({}) == .refused(.limitReached) else { exit(2) }
      dispatcher.background { daemon.ready("there is no room") }
      job()
    }
    end(try daemon.run(), of: 1)
  }

  /// Has very much to say when it is ready, and when it has reloaded.
  func long() throws {
    let dispatcher = try UVDispatcher()
    let daemon = try Daemon(dispatcher, logger: logger)
    try daemon.onReload { throw Long() }
    dispatcher.foreground { daemon.ready("\(Long())") }
    end(try daemon.run(), of: 0)
  }

  struct Long: Error, CustomStringConvertible {
    var description: String { String(repeating: "very long, ", count: 1000) }
  }

  /// Components say that they are ready when they must not: in a reload, and at the end.
  func components() throws {
    let dispatcher = try UVDispatcher()
    let daemon = try Daemon(dispatcher, logger: logger)
    try daemon.onReload {
      daemon.ready("a component")
      try await dispatcher.background.run { daemon.ready("from a worker") }
    }
    daemon.onEnd {
      daemon.ready("at the end")
      try await dispatcher.background.run { daemon.notify(.ready) }
    }
    dispatcher.foreground { daemon.ready() }
    end(try daemon.run(), of: 0)
  }

  /// Never ends its first reload.
  func hangingReload(timeout: Duration) throws {
    let dispatcher = try UVDispatcher()
    let daemon = try Daemon(dispatcher, reloadTimeout: timeout, logger: logger)
    let isFirst = Confined(true, to: dispatcher.foreground)
    try daemon.onReload {
      let hangs = isFirst.withValue { isFirst in
        defer { isFirst = false }
        return isFirst
      }
      if hangs { for await _ in AsyncStream<Never>(unfolding: { await forEver() }) {} }
    }
    dispatcher.foreground { daemon.ready() }
    end(try daemon.run(), of: 0)
  }

  /// Starts with SIGTERM blocked, and unblocks it, also for programs that a body starts.
  func blocked() throws {
    var terminate = sigset_t()
    unsafe sigemptyset(&terminate)
    unsafe sigaddset(&terminate, SIGTERM)
    unsafe pthread_sigmask(SIG_BLOCK, &terminate, nil)
    let dispatcher = try UVDispatcher()
    let daemon = try Daemon(dispatcher, logger: logger)
    dispatcher.foreground {
      dispatcher.background(startProgram)
      daemon.ready()
    }
    // Another thread calls `begin()`, since the main thread goes on blocking SIGTERM.
    let helper = try UVDispatcher()
    try helper.start()
    helper.foreground {
      do { try daemon.begin() } catch { exit(2) }
    }
    try helper.foreground.sync {}
    let another = try UVDispatcher()
    another.foreground(startProgram)
    try another.start()
    let report = dispatcher.run()
    for other in [helper, another] {
      other.beginShutdown()
      _ = try other.waitForReport()
    }
    end(report, of: 2)
  }

  /// Counts as done if SIGTERM ends the program.
  @Sendable func startProgram() {
    var arguments = unsafe [strdup("sh"), strdup("-c"), strdup("kill -TERM $$; exit 0"), nil]
    defer { for index in unsafe arguments.indices { unsafe free(arguments[index]) } }
    var child = pid_t()
    guard unsafe posix_spawn(&child, "/bin/sh", nil, nil, &arguments, environ) == 0 else { return }
    var status: CInt = 0
    while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
    if status & 0x7f == SIGTERM { done.count() }
  }

  /// Never returns, and ignores cancellation.
  func forEver() async -> Never? {
    unsafe await withUnsafeContinuation { (_: UnsafeContinuation<Never?, Never>) in }
  }

  @Sendable func job() {
    var byte: UInt8 = 0
    while unsafe read(STDIN_FILENO, &byte, 1) < 0, errno == EINTR {}
    done.count()
  }

  func end(_ report: ShutdownReport, of jobs: Int) -> Never {
    print("done: \(done.value) of \(jobs)")
    fflush(nil)
    // Not `exit`: that would wait for the work that was left behind.
    _exit(report.unfinished.isEmpty ? 0 : 1)
  }
#else
  print("swift run --traits Daemon DaemonHost")
#endif
