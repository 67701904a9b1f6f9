#if Daemon
  internal import CDaemon
  internal import Glibc

  /// The service manager that has started this process, if there is one: systemd, or another one with its protocol.
  /// The environment says where it listens, and which sockets it has opened and passed.
  ///
  /// Without a service manager, everything here does nothing.
  public struct ServiceManager: Sendable, Hashable {
    /// Where it listens for notifications: a path, or `@` and a name of the abstract namespace. Nil if it does not
    /// listen.
    public let address: String?
    /// How long after a ``Notification/watchdog`` it takes the process for stuck and ends it. Nil if it expects no
    /// such notifications.
    public let watchdogTimeout: Duration?
    /// The sockets that it has passed, in its order. Their descriptors are open, and the program has to close them.
    public let sockets: [PassedSocket]
    /// What the environment says for another process, and this one does not use: sentences for the log.
    let strays: [String]

    /// A socket that was opened before the process was started.
    public struct PassedSocket: Sendable, Hashable {
      /// Its descriptor, which is open.
      public let descriptor: CInt
      /// `FileDescriptorName=` of its unit, or `unknown` if the unit sets none.
      public let name: String
    }

    /// No service manager, as if a person had started the process.
    public static let absent = ServiceManager(
      address: nil, watchdogTimeout: nil, sockets: [], strays: [])

    /// The service manager that the environment of this process names. Call it before other threads change the
    /// environment.
    ///
    /// Programs that this process starts do not inherit the sockets any more.
    ///
    /// - Throws: ``EnvironmentError`` for a value that no service manager sets.
    public static func current() throws(EnvironmentError) -> ServiceManager {
      let manager = try ServiceManager(process: getpid()) { name in
        unsafe getenv(name).map { unsafe String(cString: $0) }
      }
      for socket in manager.sockets where cdaemon_close_on_exec(socket.descriptor) != 0 {
        throw EnvironmentError(
          variable: "LISTEN_FDS", value: "\(manager.sockets.count)",
          expected:
            "it must be the number of open descriptors, and \(socket.descriptor) is not open")
      }
      return manager
    }

    private init(
      address: String?, watchdogTimeout: Duration?, sockets: [PassedSocket], strays: [String]
    ) {
      self.strays = strays
      self.address = address
      self.watchdogTimeout = watchdogTimeout
      self.sockets = sockets
    }

    /// Reads the environment.
    ///
    /// - Parameters:
    ///   - process: The number of this process.
    ///   - isSocket: Whether a descriptor is an open socket.
    ///   - variable: The value of an environment variable, or nil.
    /// - Throws: ``EnvironmentError`` for a value that no service manager sets.
    init(
      process: pid_t, isSocket: @escaping (CInt) -> Bool = Self.isSocket,
      variable: @escaping (String) -> String?
    ) throws(EnvironmentError) {
      let environment = Environment(process: process, isSocket: isSocket, variable: variable)
      address = try environment.address()
      watchdogTimeout = try environment.watchdogTimeout()
      sockets = try environment.sockets()
      strays = try environment.strays()
    }

    private static func isSocket(_ descriptor: CInt) -> Bool {
      var status = stat()
      return unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }

    /// Sends notifications, in one datagram. Does not wait. Any thread.
    ///
    /// - Returns: The error if the system refused. Nil if they were sent, or there is no service manager to send them
    ///   to.
    func send(_ notifications: [Notification]) -> SendError? {
      guard let address, !notifications.isEmpty else { return nil }
      let text = notifications.map(\.assignment).joined(separator: "\n")
      let code = unsafe cdaemon_send(address, text)
      return code == 0 ? nil : SendError(address: address, code: code)
    }
  }

  /// A notification that did not reach the service manager.
  struct SendError: Error, CustomStringConvertible {
    let address: String
    /// The value of `errno`.
    let code: CInt

    /// Whether to try again later: the queue of the service manager is full, or this process has run out of a
    /// resource.
    var mayPass: Bool { [EAGAIN, ENOBUFS, ENOMEM, EMFILE, ENFILE].contains(code) }

    var description: String {
      let reason = unsafe String(cString: strerror(code))
      return "no notification reaches the service manager at \(address): \(reason)"
    }
  }
#endif
