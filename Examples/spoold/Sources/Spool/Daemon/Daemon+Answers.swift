internal import Glibc
internal import TaskDispatch

/// What a daemon does when it is asked to, and goes on.
extension Daemon {
  // MARK: SIGHUP

  func hangUp() {
    let isNews = state.withValue { state in
      // What was read by now may be out of date already: it is read once more, however often asked.
      state.reloadsAgain = state.isReloading
      defer { state.isReloading = true }
      return !state.isReloading && state.endings == 0
    }
    if isNews { takeOver() }
  }

  private func takeOver() {
    lifecycle.reloading()
    let reload = reload
    dispatcher.background(label: "reload") { () -> Result<Configuration?, ConfigurationErrors> in
      guard let reload else { return .success(nil) }
      do throws(ConfigurationErrors) { return .success(try reload()) } catch {
        return .failure(error)
      }
    } then: { result in
      // What ends begins nothing new, and is not ready again.
      guard !self.isEnding else { return }
      switch try! result.get() {
      case .success(let configuration?): self.apply(configuration)
      case .success(nil): break
      case .failure(let errors):
        for error in errors.all { self.say(error.message) }
        self.say(Array("the configuration stays as it was".utf8))
      }
      self.keeper.rescan()
      self.lifecycle.ready()
      let again = self.state.withValue { state in
        state.isReloading = state.reloadsAgain
        state.reloadsAgain = false
        return state.isReloading
      }
      if again { self.takeOver() }
    }
  }

  private func apply(_ new: Configuration) {
    let fixed = state.withValue { state in
      let names = new.fixedDifferences(from: state.configuration)
      let (spool, manifest, status) = (
        state.configuration.spool, state.configuration.manifest, state.configuration.status
      )
      state.configuration = new
      state.configuration.spool = spool
      state.configuration.manifest = manifest
      state.configuration.status = status
      return names
    }
    for name in fixed {
      say(Array("\(name) cannot change while spoold runs: restart it to change that".utf8))
    }
    keeper.apply(new.keeper)
    server?.apply(new.clients)
  }

  // MARK: Asked what it is doing

  private func report() -> StatusReport {
    let configuration = state.withValue { $0.configuration }
    let uptime = began.duration(to: dispatcher.now)
    let clients = server?.clientCount
    return keeper.state.withValue { state in
      StatusReport(state, configuration: configuration, uptime: uptime, clients: clients)
    }
  }

  /// All that there is to say, as lines.
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
    guard let path = state.withValue({ $0.configuration.dump }) else {
      for line in lines { say(line) }
      return
    }
    dispatcher.background(label: "dump") {
      // Not blocking: a pipe would wait for a reader.
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
