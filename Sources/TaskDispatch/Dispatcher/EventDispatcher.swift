/// The loop's other events, for code that needs them. `UVDispatcher` and `RecordingDispatcher`
/// conform.
///
/// Handlers run on the foreground, as tasks that no limit counts, until the drain of a shutdown is
/// over, those of signals until its cancel phase is; the end of the shutdown removes them all. Of a
/// descriptor that becomes ready during the drain they may be told or not. A running body may wait for
/// one as little as for a timer.
public protocol EventDispatcher: TaskDispatcher {
  /// Calls `perform` on the foreground after `signal` was delivered to the process: at least once
  /// for each burst of deliveries, with the number of deliveries seen since the last call. What the
  /// kernel merges before it delivers, nobody can count.
  ///
  /// Any number of handlers may wait for one signal. While one does, the signal's disposition is the
  /// dispatcher's own; when the last is removed, that of before is put back. In a child of `fork` it
  /// is back at once.
  ///
  /// Some thread of the process has to let the signal in, which the main thread does unless somebody
  /// has blocked it there. Those of Swift's own, and the one of `UVDispatcher.start()`, let none in.
  ///
  /// - Parameter label: Names the calls; the signal's name if nil.
  /// - Throws: ``EventRefusal`` for a signal that cannot or must not be handled here.
  func onSignal(
    _ signal: Signal, label: String?, at site: CallSite,
    perform: @escaping @Sendable (_ deliveries: Int) -> Void
  ) throws(EventRefusal) -> Registration

  /// Calls `perform` on the foreground while `descriptor` is ready for any of `interest`
  /// (level-triggered: again and again until the cause is gone or the registration cancelled). It says
  /// what of `interest` there is; all of it if the descriptor is broken, and trying says how.
  ///
  /// Cancel the registration before you close the descriptor. If it is closed while it is watched, its
  /// handler is called at most once more, and may then find another file under its number: a call was
  /// on its way, or the file is still open under another number, in a child process for example.
  ///
  /// - Parameter label: Names the calls; the descriptor's number if nil.
  /// - Throws: ``EventRefusal`` for a descriptor that cannot be watched.
  func onReady(
    _ descriptor: CInt, for interest: Readiness, label: String?, at site: CallSite,
    perform: @escaping @Sendable (_ ready: Readiness) -> Void
  ) throws(EventRefusal) -> Registration
}

extension EventDispatcher {
  /// Calls `perform` on the foreground after `signal` was delivered. See the requirement.
  @discardableResult
  public func onSignal(
    _ signal: Signal, label: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    perform: @escaping @Sendable (_ deliveries: Int) -> Void
  ) throws(EventRefusal) -> Registration {
    try onSignal(
      signal, label: label, at: CallSite(fileID: fileID, line: line), perform: perform)
  }

  /// Calls `perform` on the foreground while `descriptor` is ready. See the requirement.
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

/// A handler that is registered with the loop. Letting go of it cancels nothing.
public final class Registration: Sendable {
  private let onCancel: Locked<(@Sendable () -> Void)?>

  /// For dispatchers.
  ///
  /// - Parameter onCancel: May be called more than once.
  public init(onCancel: @escaping @Sendable () -> Void) {
    self.onCancel = Locked(onCancel)
  }

  /// Removes the handler. When this returns on the foreground, it is never called again; elsewhere,
  /// a call that has begun may still be running. Any thread, any number of times.
  public func cancel() {
    // Taken out only after the call: a thread that finds it gone relies on the handler being removed.
    onCancel.withLock { $0 }?()
    // Released without the lock: that may run a `deinit` of the user's, which may ask this registration.
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
    case .windowChange: "SIGWINCH"
    default: Self.faults[rawValue] ?? "signal \(rawValue)"
    }
  }

  /// Those that come of a fault, with their names.
  private static let faults: [CInt: String] = [
    4: "SIGILL", 5: "SIGTRAP", 7: "SIGBUS", 8: "SIGFPE", 11: "SIGSEGV",
  ]

  /// Why no dispatcher handles it, or nil if they do.
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

  /// Reading would not block: there is data, or the end.
  public static let readable = Readiness(rawValue: 1)
  /// Writing would not block.
  public static let writable = Readiness(rawValue: 2)
  /// The other side has gone.
  public static let disconnected = Readiness(rawValue: 4)

  public var description: String {
    var names: [String] = []
    if contains(.readable) { names.append("readable") }
    if contains(.writable) { names.append("writable") }
    if contains(.disconnected) { names.append("disconnected") }
    return names.isEmpty ? "nothing" : names.joined(separator: ", ")
  }
}

/// Why a handler was not registered. Nothing has changed.
public enum EventRefusal: Error, Sendable, Hashable {
  /// The kernel lets nobody handle it.
  case cannotBeHandled(Signal)
  /// libuv waits for child processes with it.
  case belongsToTheLoop(Signal)
  /// The C library's threads use it among themselves.
  case belongsToTheThreadLibrary(Signal)
  /// A fault raises it, and would again as soon as the handler has returned.
  case endsTheProcess(Signal)
  case noSuchSignal(Signal)
  /// The descriptor is closed, or was never open.
  case notOpen(CInt)
  /// It is of a kind that is always ready, such as a regular file.
  case cannotBeWatched(CInt)
  /// It was already registered here; one registration watches a descriptor.
  case alreadyWatched(CInt)
  /// No readiness was asked for.
  case nothingToWatchFor(CInt)
  /// Shutdown has begun.
  case shutDown
  /// This process was forked from the one that made the dispatcher. Only `_exit` or exec is left.
  case forkedChild
  /// The system said no: which call, and what it answered.
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
