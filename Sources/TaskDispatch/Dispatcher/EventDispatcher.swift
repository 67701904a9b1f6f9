/// The loop's other events, signals and ready descriptors, for code that needs them. `UVDispatcher` and
/// `RecordingDispatcher` conform.
///
/// Handlers run on the foreground, as tasks that no limit counts. During a shutdown, handlers of descriptors
/// are called until the drain is over, and handlers of signals until the cancel phase is over. The end of the
/// shutdown removes all handlers. Readiness that occurs during the drain may go unreported. A running body
/// must not block until a handler is called, just as it must not block until a timer fires.
public protocol EventDispatcher: TaskDispatcher {
  /// Calls `perform` on the foreground after `signal` was delivered to the process. Any thread.
  ///
  /// `perform` is called at least once for each burst of deliveries, with the number of deliveries seen since
  /// the last call. Deliveries that the kernel merges cannot be counted.
  ///
  /// Any number of handlers may be registered for one signal. While there is one, the dispatcher owns the
  /// signal's disposition. When the last is removed, the dispatcher restores the former disposition. In a
  /// child of `fork` the former disposition is restored at once.
  ///
  /// At least one thread of the process must not block the signal. The main thread does not, unless code has
  /// blocked it there. Swift's own threads, and the thread of `UVDispatcher.start()`, block all signals.
  ///
  /// - Parameter label: The label of the calls; the signal's name if nil.
  /// - Throws: ``EventRefusal`` for a signal that cannot or must not be handled here. Then nothing has
  ///   changed.
  func onSignal(
    _ signal: Signal, label: String?, at site: CallSite,
    perform: @escaping @Sendable (_ deliveries: Int) -> Void
  ) throws(EventRefusal) -> Registration

  /// Calls `perform` on the foreground while `descriptor` is ready for any of `interest`. Any thread.
  ///
  /// It is level-triggered: `perform` is called again and again until the cause is gone or the registration
  /// is cancelled. Its argument says what of `interest` the descriptor is ready for. If the descriptor is
  /// broken, the argument is all of `interest`, and an attempt to use the descriptor returns the error.
  ///
  /// Cancel the registration before you close the descriptor. If the descriptor is closed first, its handler
  /// is called at most once more, and may then find another file under the number. That happens if a call was
  /// on its way, or if the file is still open under another number, for example in a child process.
  ///
  /// - Parameter label: The label of the calls; the descriptor's number if nil.
  /// - Throws: ``EventRefusal`` for a descriptor that cannot be watched. Then nothing has changed.
  func onReady(
    _ descriptor: CInt, for interest: Readiness, label: String?, at site: CallSite,
    perform: @escaping @Sendable (_ ready: Readiness) -> Void
  ) throws(EventRefusal) -> Registration
}

extension EventDispatcher {
  /// Calls `perform` on the foreground after `signal` was delivered. See ``onSignal(_:label:at:perform:)``.
  @discardableResult
  public func onSignal(
    _ signal: Signal, label: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    perform: @escaping @Sendable (_ deliveries: Int) -> Void
  ) throws(EventRefusal) -> Registration {
    try onSignal(
      signal, label: label, at: CallSite(fileID: fileID, line: line), perform: perform)
  }

  /// Calls `perform` on the foreground while `descriptor` is ready. See ``onReady(_:for:label:at:perform:)``.
  @discardableResult
  public func onReady(
    _ descriptor: CInt, for interest: Readiness, label: String? = nil,
    fileID: StaticString = #fileID, line: UInt = #line,
    perform: @escaping @Sendable (_ ready: Readiness) -> Void
  ) throws(EventRefusal) -> Registration {
    try onReady(
      descriptor, for: interest, label: label, at: CallSite(fileID: fileID, line: line),
      perform: perform)
  }
}

/// A handler that is registered with the loop. Releasing the registration cancels nothing.
public final class Registration: Sendable {
  private let onCancel: Locked<(@Sendable () -> Void)?>

  /// Makes a registration. For dispatchers.
  ///
  /// - Parameter onCancel: Removes the handler. May be called more than once, on any thread, under no lock.
  public init(onCancel: @escaping @Sendable () -> Void) {
    self.onCancel = Locked(onCancel)
  }

  /// Removes the handler. Any thread, any number of times.
  ///
  /// On the foreground, the handler is never called again once this has returned. On another thread, a call
  /// that has begun may still be running.
  public func cancel() {
    // Cleared only after the call: a thread that finds `onCancel` nil relies on the handler being removed.
    onCancel.withLock { $0 }?()
    // Released outside the lock: the release may run a `deinit` of user code, which may call this
    // registration.
    let released = onCancel.withLock { $0.take() }
    _ = consume released
  }

  /// Whether ``cancel()`` was called. A shutdown, which removes every handler, does not call it.
  public var isCancelled: Bool { onCancel.withLock { $0 == nil } }
}

/// A Unix signal, by its number.
public struct Signal: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
  public let rawValue: CInt
  public init(rawValue: CInt) { self.rawValue = rawValue }

  /// SIGHUP, by convention: read the configuration again.
  public static let hangup = Signal(rawValue: 1)
  /// SIGINT: Control-C.
  public static let interrupt = Signal(rawValue: 2)
  public static let quit = Signal(rawValue: 3)
  /// SIGKILL. Cannot be handled.
  public static let kill = Signal(rawValue: 9)
  public static let user1 = Signal(rawValue: 10)
  public static let user2 = Signal(rawValue: 12)
  public static let pipe = Signal(rawValue: 13)
  public static let alarm = Signal(rawValue: 14)
  /// SIGTERM: the request to end.
  public static let terminate = Signal(rawValue: 15)
  /// SIGCHLD. libuv's own.
  public static let child = Signal(rawValue: 17)
  public static let `continue` = Signal(rawValue: 18)
  /// SIGSTOP. Cannot be handled.
  public static let stop = Signal(rawValue: 19)
  /// SIGURG. Ignored where nothing handles it.
  public static let urgent = Signal(rawValue: 23)
  public static let windowChange = Signal(rawValue: 28)

  public var description: String {
    switch self {
    case .hangup: "SIGHUP"
    case .interrupt: "SIGINT"
    case .quit: "SIGQUIT"
    case .kill: "SIGKILL"
    case .user1: "SIGUSR1"
    case .user2: "SIGUSR2"
    case .pipe: "SIGPIPE"
    case .alarm: "SIGALRM"
    case .terminate: "SIGTERM"
    case .child: "SIGCHLD"
    case .continue: "SIGCONT"
    case .stop: "SIGSTOP"
    case .urgent: "SIGURG"
    case .windowChange: "SIGWINCH"
    default: Self.faults[rawValue] ?? "signal \(rawValue)"
    }
  }

  /// The signals that a fault raises, with their names.
  private static let faults: [CInt: String] = [
    4: "SIGILL", 5: "SIGTRAP", 7: "SIGBUS", 8: "SIGFPE", 11: "SIGSEGV",
  ]

  /// Why no dispatcher handles this signal. Nil if dispatchers handle it.
  package var refusal: EventRefusal? {
    switch rawValue {
    case ..<1, 65...: .noSuchSignal(self)
    case Self.kill.rawValue, Self.stop.rawValue: .cannotBeHandled(self)
    case Self.child.rawValue: .belongsToTheLoop(self)
    case 32, 33: .belongsToTheThreadLibrary(self)
    default: Self.faults[rawValue] == nil ? nil : .endsTheProcess(self)
    }
  }
}

/// What a descriptor can be ready for.
public struct Readiness: OptionSet, Sendable, Hashable, CustomStringConvertible {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Reading would not block: there is data, or the end of the file.
  public static let readable = Readiness(rawValue: 1)
  /// Writing would not block.
  public static let writable = Readiness(rawValue: 2)
  /// The peer has closed its end.
  public static let disconnected = Readiness(rawValue: 4)

  public var description: String {
    var names: [String] = []
    if contains(.readable) { names.append("readable") }
    if contains(.writable) { names.append("writable") }
    if contains(.disconnected) { names.append("disconnected") }
    return names.isEmpty ? "nothing" : names.joined(separator: ", ")
  }
}

/// Why a handler was not registered. The call that throws it has changed nothing.
public enum EventRefusal: Error, Sendable, Hashable {
  /// The kernel lets no process handle this signal.
  case cannotBeHandled(Signal)
  /// libuv uses this signal to wait for child processes.
  case belongsToTheLoop(Signal)
  /// The C library's threads use this signal among themselves.
  case belongsToTheThreadLibrary(Signal)
  /// A fault raises this signal. It would raise it again as soon as the handler has returned.
  case endsTheProcess(Signal)
  case noSuchSignal(Signal)
  /// The descriptor is closed, or was never open.
  case notOpen(CInt)
  /// The descriptor is always ready, for example a regular file.
  case cannotBeWatched(CInt)
  /// The descriptor has a registration already. Only one registration can watch a descriptor.
  case alreadyWatched(CInt)
  /// `interest` was empty.
  case nothingToWatchFor(CInt)
  /// Shutdown has begun.
  case shutDown
  /// This process was forked from the process that made the dispatcher. It can only call `_exit` or exec.
  case forkedChild
  /// A system call failed: which one, and its error.
  case system(String)
}

extension EventRefusal: CustomStringConvertible {
  public var description: String {
    switch self {
    case .cannotBeHandled(let signal): "\(signal) cannot be handled by any program"
    case .belongsToTheLoop(let signal):
      "\(signal) belongs to libuv, which waits for child processes with it"
    case .belongsToTheThreadLibrary(let signal): "\(signal) belongs to the thread library"
    case .endsTheProcess(let signal):
      "\(signal) comes of a fault, which a handler that returns would repeat for ever"
    case .noSuchSignal(let signal): "there is no \(signal): signals are numbered 1 to 64"
    case .notOpen(let descriptor): "descriptor \(descriptor) is not open"
    case .cannotBeWatched(let descriptor):
      "descriptor \(descriptor) cannot be watched: it is a regular file or a directory"
    case .alreadyWatched(let descriptor):
      "descriptor \(descriptor) is watched already; cancel that registration first"
    case .nothingToWatchFor(let descriptor):
      "descriptor \(descriptor): say what to watch for, such as .readable"
    case .shutDown: "the dispatcher is shutting down"
    case .forkedChild: "this is a forked child; it can only exec or _exit"
    case .system(let answer): answer
    }
  }
}
