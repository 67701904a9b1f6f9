internal import Glibc
internal import TaskDispatch

/// What a daemon does on a request or a signal before it goes on.
extension Daemon {
  /// Reads the configuration again, takes over what may change, and goes through all of the spool. Call
  /// it in a Swift Task that prefers the foreground, one call at a time.
  ///
  /// - Throws: ``ConfigurationErrors``. Then the configuration stays as it was.
  public func reload() async throws {
    // In any case: the reload may be asked for because a file has changed unnoticed.
    defer { keeper.rescan() }
    guard let read else { return }
    let new = try await dispatcher.background.run(label: "reload") { try read() }
    // A later reload may already have read the file again when this one was given up.
    try Task.checkCancellation()
    apply(new)
  }

  private func apply(_ new: Configuration) {
    let fixed = configuration.withValue { configuration in
      let before = configuration
      configuration = new
      configuration.spool = before.spool
      configuration.manifest = before.manifest
      configuration.status = before.status
      return new.fixedDifferences(from: before)
    }
    for name in fixed {
      say(Array("\(name) cannot change while spoold runs: restart it to change that".utf8))
    }
    keeper.apply(new.keeper)
    server?.apply(new.clients)
  }

  // MARK: Answering what it is doing

  private func report() -> StatusReport {
    let configuration = configuration.withValue { $0 }
    let uptime = began.duration(to: dispatcher.now)
    let clients = server?.clientCount
    return keeper.state.withValue { state in
      StatusReport(state, configuration: configuration, uptime: uptime, clients: clients)
    }
  }

  /// Everything that there is to report, as lines.
  private func dump() -> [[UInt8]] {
    var report = report()
    keeper.state.withValue { report.addNames(of: $0) }
    report.add(dispatcher.ledger)
    return report.lines
  }

  func answer(_ request: StatusRequest) -> JSON {
    switch request {
    case .status: return report().reply
    case .rescan:
      keeper.rescan()
      return .object([.init("ok", true)])
    case .dump:
      return .object([.init("ok", true), .init("dump", .array(dump().map { .string($0) }))])
    }
  }

  func writeDump() {
    let lines = dump()
    guard let path = configuration.withValue({ $0.dump }) else {
      for line in lines { say(line) }
      return
    }
    dispatcher.background.async(label: "dump") {
      // Not blocking: otherwise opening a pipe would wait for a reader.
      let flags = O_WRONLY | O_CREAT | O_APPEND | O_NOCTTY | O_NONBLOCK
      let file = try Descriptor(opening: path, flags, mode: 0o640)
      var rest = Array((lines + [[]]).joined(separator: "\n".utf8))[...]
      while !rest.isEmpty { rest = rest.dropFirst(try file.write(rest)) }
    } then: { (result: Result<Void, any Error>) in
      guard case .failure(let error) = result.ofSystem else { return }
      self.say("cannot write the dump to ".utf8 + path.shown + ": \(error)".utf8)
    }
  }
}
