public import TaskDispatch

/// All of spoold but the process: it keeps a spool, answers at its status socket, reads its
/// configuration again, and ends in order. Its caller decides when it does which.
public final class Daemon: Sendable {
  let dispatcher: any EventDispatcher
  let keeper: Keeper
  let server: StatusServer?
  let read: (@Sendable () throws(ConfigurationErrors) -> Configuration)?
  let say: @Sendable ([UInt8]) -> Void
  let configuration: Confined<Configuration>
  let began: DispatcherInstant
  private let status: @Sendable (String) -> Void
  /// Ends when the keeper does.
  private let (keeping, ended) = AsyncStream.makeStream(of: Never.self)

  /// Opens the spool, the manifest and the status socket.
  ///
  /// - Parameters:
  ///   - listener: The status socket, if a service manager has made it. If nil, it is made where the
  ///     configuration says.
  ///   - read: Reads the configuration again, on a worker. Nil if there is none to be read.
  ///   - status: Called on the foreground with a line for a person, which says what the daemon does
  ///     now.
  ///   - say: Called on the foreground with lines for a person.
  /// - Throws: ``Stop`` or ``ListenRefusal``. Nothing is left then but an empty manifest, perhaps.
  public convenience init(
    _ configuration: Configuration, dispatcher: any EventDispatcher,
    listener: consuming Listener? = nil,
    read: (@Sendable () throws(ConfigurationErrors) -> Configuration)? = nil,
    status: @escaping @Sendable (String) -> Void, say: @escaping @Sendable ([UInt8]) -> Void
  ) throws {
    let reader = FileReader(try SpoolDirectory(configuration.spool), settling: Settling())
    try self.init(
      configuration, reader: reader, dispatcher: dispatcher, listener: listener, read: read,
      status: status, say: say)
  }

  init(
    _ configuration: Configuration, reader: FileReader, dispatcher: any EventDispatcher,
    listener: consuming Listener?,
    read: (@Sendable () throws(ConfigurationErrors) -> Configuration)?,
    status: @escaping @Sendable (String) -> Void, say: @escaping @Sendable ([UInt8]) -> Void
  ) throws {
    self.dispatcher = dispatcher
    self.read = read
    self.status = status
    self.say = say
    began = dispatcher.now
    self.configuration = Confined(configuration, to: dispatcher.foreground)
    // The manifest first: another spoold that has locked it may have the same status socket.
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

  /// Begins. Any thread may call it, once; the dispatcher's loop does the rest. On SIGUSR1 the daemon
  /// writes down what it knows of itself.
  ///
  /// - Parameter onStop: Called once, on the foreground, if the daemon cannot go on. The caller must
  ///   end it then.
  /// - Throws: ``EventRefusal`` if the signal cannot be handled.
  public func start(onStop: @escaping @Sendable () -> Void) throws(EventRefusal) {
    try dispatcher.onSignal(.user1) { _ in self.writeDump() }
    keeper.start(
      onNotice: { self.tell($0) },
      onEnd: {
        self.ended.finish()
        if self.isKeeping { onStop() }
      })
    dispatcher.foreground.async(label: "serve") {
      self.server?.start(onNotice: { self.tell($0) }, answer: { self.answer($0) })
    }
  }

  private var isKeeping: Bool { keeper.state.withValue { $0.phase == .keeping } }

  private func tell(_ notice: Notice) {
    guard case .scanned = notice else { return say(notice.message) }
    // Not while the daemon ends: the last status says how it ends. The text has no number of files,
    // which would soon be out of date; the status socket tells it.
    if isKeeping { status("keeping the manifest") }
  }

  // MARK: The end

  /// How long ``drain()`` may take. Call it on the foreground.
  public var drainTime: Duration { configuration.withValue { $0.drain } }

  /// Ends what was begun, and begins nothing new. Call it in a Swift Task that prefers the foreground.
  /// It returns when that is done, when nothing more can be done, or when the Task is cancelled.
  public func drain() async {
    keeper.drain()
    let left = keeper.state.withValue { $0.pending.count + $0.found.count + $0.reading.count }
    status("ending: \(left) files are still to be read")
    for await _ in keeping {}
  }

  /// Ends everything, once the dispatcher has shut down. Any thread may call it, once.
  ///
  /// - Parameter isInHurry: Whether the manifest stays as it is: the next run corrects it.
  /// - Returns: What was left.
  public func finish(inHurry isInHurry: Bool) -> Keeper.Remains {
    server?.finish()
    return keeper.finish(inHurry: isInHurry)
  }
}
