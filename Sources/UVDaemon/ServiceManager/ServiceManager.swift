#if Daemon
  internal import CDaemon
  internal import Glibc

  /// The service manager that has started this process, if one has: systemd, or another that speaks
  /// its protocol. It says where it is in the environment, and passes sockets that it has opened.
  ///
  /// Without one, everything here does nothing.
  public struct ServiceManager: Sendable, Hashable {
    /// Where it listens for notifications: a path, or a name of the abstract namespace behind `@`.
    public let address: String?
    /// How long after a ``Notification/watchdog`` it takes the process for stuck, and ends it.
    public let watchdogTimeout: Duration?
    /// What it has passed, in its order. Their descriptors are open, and the taker's to close.
    public let sockets: [PassedSocket]
    /// What the environment says for another process, and nothing here uses: sentences for a person.
    let strays: [String]

    /// A socket that was opened before the process was started.
    public struct PassedSocket: Sendable, Hashable {
      public let descriptor: CInt
      /// `FileDescriptorName=` of its unit; `unknown` if nobody has named it.
      public let name: String
    }

    /// Nobody: as if a person had started the process.
    public static let absent = ServiceManager(
      address: nil, watchdogTimeout: nil, sockets: [], strays: [])

    /// The one that the environment of this process tells of. Ask before other threads change that.
    ///
    /// Programs that this process starts do not inherit the sockets any more.
    ///
    /// - Throws: ``EnvironmentError`` for what no service manager says.
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

    /// - Parameters:
    ///   - process: The number of this process.
    ///   - isSocket: Whether a descriptor is a socket that is open.
    ///   - variable: The value of an environment variable, or nil.
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

    /// Sends notifications, in one datagram. Any thread; does not wait.
    ///
    /// - Returns: Nil if it has them, or nobody is there; otherwise what the system said.
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
    /// `errno`.
    let code: CInt

    /// Its queue is full, or this process has run out of something: later there may be room.
    var mayPass: Bool { [EAGAIN, ENOBUFS, ENOMEM, EMFILE, ENFILE].contains(code) }

    var description: String {
      let reason = unsafe String(cString: strerror(code))
      return "no notification reaches the service manager at \(address): \(reason)"
    }
  }
#endif
