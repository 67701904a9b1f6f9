internal import Glibc
public import TaskDispatch

/// All of spoold but the process: it keeps a spool, hears signals, answers at its status socket, and
/// ends in order.
///
/// | Signal | |
/// |---|---|
/// | SIGHUP | reads the configuration again, and goes through all of the spool |
/// | SIGUSR1 | writes down what it knows of itself |
/// | SIGTERM, SIGINT | ends what was begun, for as long as `drain` says; a second one ends at once |
public final class Daemon: Sendable {
  struct State {
    var configuration: Configuration
    var isReloading = false
    var reloadsAgain = false
    /// How often it was asked to end.
    var endings = 0
    var drainTimer: TimerHandle?
  }

  let dispatcher: any EventDispatcher
  let keeper: Keeper
  let server: StatusServer?
  let lifecycle: Lifecycle
  let reload: (@Sendable () throws(ConfigurationErrors) -> Configuration)?
  let say: @Sendable ([UInt8]) -> Void
  let state: Confined<State>
  let began: DispatcherInstant

  /// How long reads that have begun get to end when there is no time left.
  private static let grace = Duration.seconds(5)

  /// Opens the spool, the manifest and the status socket.
  ///
  /// - Parameters:
  ///   - listener: The status socket, if somebody else has made it; else it is made where the
  ///     configuration says.
  ///   - reload: Reads the configuration again, on a worker. Nil if there is nothing to be read.
  ///   - say: Given lines for a person, on the foreground.
  /// - Throws: ``Stop`` or ``ListenRefusal``. Nothing is left then but an empty manifest, perhaps.
  public convenience init(
    _ configuration: Configuration, dispatcher: any EventDispatcher,
    listener: consuming Listener? = nil, lifecycle: Lifecycle = Lifecycle(),
    reload: (@Sendable () throws(ConfigurationErrors) -> Configuration)? = nil,
    say: @escaping @Sendable ([UInt8]) -> Void
  ) throws {
    let reader = FileReader(try SpoolDirectory(configuration.spool), settling: Settling())
    try self.init(
      configuration, reader: reader, dispatcher: dispatcher, listener: listener,
      lifecycle: lifecycle, reload: reload, say: say)
  }

  init(
    _ configuration: Configuration, reader: FileReader, dispatcher: any EventDispatcher,
    listener: consuming Listener?, lifecycle: Lifecycle,
    reload: (@Sendable () throws(ConfigurationErrors) -> Configuration)?,
    say: @escaping @Sendable ([UInt8]) -> Void
  ) throws {
    self.dispatcher = dispatcher
    self.lifecycle = lifecycle
    self.reload = reload
    self.say = say
    began = dispatcher.now
    state = Confined(State(configuration: configuration), to: dispatcher.foreground)
    // The manifest first: who has it locked may be another spoold, with the same status socket.
    keeper = try Keeper(
      reader: reader, into: configuration.manifest, dispatcher: dispatcher,
      settings: configuration.keeper)
    var listener = listener
    if listener == nil, let path = configuration.status { listener = try Listener(path) }
    if let listener = listener.take() {
      server = StatusServer(listener, dispatcher: dispatcher, limits: configuration.clients)
    } else {
      server = nil
    }
  }

  /// Begins. Any thread, once; the dispatcher's loop does the rest.
  ///
  /// - Throws: ``EventRefusal`` if a signal cannot be handled.
  public func start() throws {
    for (signal, perform) in [
      (Signal.hangup, hangUp), (.user1, writeDump), (.terminate, end), (.interrupt, end),
    ] as [(Signal, @Sendable () -> Void)] {
      try dispatcher.onSignal(signal) { _ in perform() }
    }
    keeper.start(onNotice: { self.tell($0) }, onEnd: { self.keeperHasEnded() })
    dispatcher.foreground(label: "ready") {
      // A signal that was faster has begun the end: then it never is.
      guard !self.isEnding else { return }
      self.server?.start(onNotice: { self.tell($0) }, answer: { self.answer($0) })
      self.lifecycle.ready()
      self.lifecycle.status("going through the spool")
    }
  }

  /// Whether it was asked to end, or ends by itself.
  var isEnding: Bool { state.withValue { $0.endings > 0 } }

  private func tell(_ notice: Notice) {
    guard case .scanned = notice else { return say(notice.message) }
    // How it ends is the last that is told.
    guard !isEnding else { return }
    // Without a number: it would be true for a moment only. The status socket knows.
    lifecycle.status("keeping the manifest")
  }

  // MARK: The end

  private func end() {
    let endings = state.withValue { state in
      state.endings += 1
      return state.endings
    }
    guard endings == 1 else {
      // Nobody waits for anything any more.
      return dispatcher.beginShutdown(ShutdownPolicy(drain: .zero, cancel: .zero))
    }
    let drain = state.withValue { $0.configuration.drain }
    let left = keeper.state.withValue { $0.pending.count + $0.found.count + $0.reading.count }
    lifecycle.stopping("ending: \(left) files are still to be read")
    let timer = dispatcher.foreground.after(drain, label: "drain") {
      self.shutDown(drain: .zero)
    }
    state.withValue { $0.drainTimer = timer }
    keeper.drain()
  }

  private func keeperHasEnded() {
    let wasAsked = state.withValue { state in
      state.drainTimer.take()?.cancel()
      defer { state.endings = max(1, state.endings) }
      return state.endings > 0
    }
    if !wasAsked { lifecycle.stopping("ending: it cannot go on") }
    // For what is no file to be read, such as a dump.
    shutDown(drain: .seconds(1))
  }

  private func shutDown(drain: Duration) {
    server?.stop()
    dispatcher.beginShutdown(ShutdownPolicy(drain: drain, cancel: Self.grace))
  }

  /// Brings everything to its end, once the dispatcher has shut down. Any thread, once.
  ///
  /// - Returns: What was left.
  public func finish() -> Keeper.Remains {
    let wasHurried = state.takeValue().endings > 1
    return keeper.finish(inHurry: wasHurried)
  }
}
