internal import ArgumentParser
internal import Glibc
internal import Logging
internal import Spool
internal import UVDaemon
internal import UVDispatch

/// spoold as a service: it keeps the spool until a signal ends it.
struct Service {
  let configuration: Configuration
  let console: Console
  let read: @Sendable () throws(ConfigurationErrors) -> Configuration

  func run() throws {
    var logger = Logger(label: "spoold") { StreamLogHandler.standardError(label: $0) }
    // Nothing is logged while all is well.
    logger.logLevel = .notice
    // A worker may read for long. If the loop is blocked for so long, the service manager is about to
    // restart the service.
    let dispatcher = try UVDispatcher(
      .init(label: "spoold", stallThresholds: .init(.seconds(10))))
    let systemd = try UVDaemon.Daemon(dispatcher, shutdown: .ofSpoold, logger: logger)
    let spool = try Spool.Daemon(
      configuration, dispatcher: dispatcher, listener: try listener(from: systemd.manager),
      read: read, status: { systemd.status($0) }, say: { [console] in console.complain($0) })
    try systemd.keep(spool)
    let report = try systemd.run()  // this thread is the foreground until a signal ends it
    let remains = spool.finish(inHurry: systemd.wasCutShort)
    for message in remains.messages { console.complain(message) }
    let isAbandoned = report.unfinished.contains { $0.state == .abandoned }
    let status: Int32 = remains.stop != nil ? 2 : remains.isEmpty && !isAbandoned ? 0 : 1
    // A worker that waits for a disk would delay the end of a process that leaves by `exit`.
    if isAbandoned { _exit(status) }
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
}

extension UVDaemon.Daemon {
  /// Connects `spool` with the signals and the service manager. Call it once, before the loop runs.
  func keep(_ spool: Spool.Daemon) throws(EventRefusal) {
    try onReload { try await spool.reload() }
    onEnd(deadline: spool.drainTime) { await spool.drain() }
    try spool.start { self.beginShutdown(because: "it cannot go on") }
    // Runs after what `start` has submitted: from then on spoold serves.
    dispatcher.foreground.async(label: "ready") { self.ready("going through the spool") }
  }
}

extension ShutdownPolicy {
  /// After the drain: a second for bodies that read no file, such as a dump, and then five more for
  /// reads that have begun.
  static let ofSpoold = ShutdownPolicy(drain: .seconds(1), cancel: .seconds(5))
}
