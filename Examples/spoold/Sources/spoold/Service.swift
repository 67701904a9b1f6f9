internal import ArgumentParser
internal import Glibc
internal import Logging
internal import Spool
internal import UVDaemon
internal import UVDispatch

/// spoold for as long as it is wanted: keeps the spool until a signal ends it.
struct Service {
  let configuration: Configuration
  let console: Console
  let reload: @Sendable () throws(ConfigurationErrors) -> Configuration

  func run() throws {
    // Whoever reads what it says, or its dump, may go away; it stays.
    _ = signal(SIGPIPE, SIG_IGN)
    let logger = Logger(label: "spoold") { StreamLogHandler.standardError(label: $0) }
    // A worker may read for long; whoever holds the loop for so long is close to being restarted.
    let dispatcher = try UVDispatcher(
      .init(
        label: "spoold", stallThreshold: .seconds(10),
        observer: Stalls(log: LoggingObserver(logger))
      ))
    let systemd = try UVDaemon.Daemon(dispatcher, logger: logger)
    let daemon = try Spool.Daemon(
      configuration, dispatcher: dispatcher, listener: try listener(from: systemd.manager),
      lifecycle: lifecycle(systemd), reload: reload
    ) { [console] line in console.complain(line) }
    try daemon.start()
    systemd.keepAlive()
    let report = dispatcher.run()  // this thread is the foreground until a signal ends it
    let remains = daemon.finish()
    for message in remains.messages { console.complain(message) }
    let abandoned = report.unfinished.filter { $0.state == .abandoned }
    for left in abandoned { console.complain(Array("left behind: \(left)".utf8)) }
    let status: Int32 = remains.stop != nil ? 2 : remains.isEmpty && abandoned.isEmpty ? 0 : 1
    // A worker that waits for a disk would hold up the end of a process that ends in order.
    if !abandoned.isEmpty { _exit(status) }
    if status != 0 { throw ExitCode(status) }
  }

  /// The status socket, if systemd has made it.
  private func listener(from manager: ServiceManager) throws -> Listener? {
    guard let socket = manager.sockets.first else { return nil }
    guard manager.sockets.count == 1 else {
      throw EnvironmentError(
        variable: "LISTEN_FDS", value: "\(manager.sockets.count)",
        expected: "it must be 1: spoold has one socket, that of its status")
    }
    return try Listener(adopting: socket.descriptor)
  }

  private func lifecycle(_ systemd: UVDaemon.Daemon<UVDispatcher>) -> Lifecycle {
    let drain = configuration.drain
    return Lifecycle(
      ready: { systemd.ready() },
      reloading: { systemd.notify(.reloading) },
      stopping: { status in
        // The unit's own time may be shorter. Reads get 5 s more, and the manifest is written.
        systemd.notify(.stopping, .status(status), .extendTimeout(drain + .seconds(15)))
      },
      status: { systemd.status($0) })
  }
}

/// Logs what holds its thread. What is left at the end, spoold says itself.
private struct Stalls: TaskObserver {
  let log: LoggingObserver

  func observe(_ event: TaskEvent) {
    if case .stalled = event.kind { log.observe(event) }
  }
}
