#if Daemon
  /// A variable of the environment has a value that makes no sense.
  public struct EnvironmentError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The name of the variable.
    public let variable: String
    /// Its value.
    public let value: String
    /// What the value must be: the end of the message.
    public let expected: String

    public init(variable: String, value: String, expected: String) {
      self.variable = variable
      self.value = value
      self.expected = expected
    }

    public var description: String { "\(variable) is \"\(value)\": \(expected)" }
  }

  /// What a service manager has put into the environment.
  struct Environment {
    /// The number of this process. Some variables name the process that they are for, and its children inherit them.
    let process: Int32
    /// Whether the descriptor is an open socket.
    let isSocket: (CInt) -> Bool
    /// The value of a variable, or nil.
    let variable: (String) -> String?

    /// The first descriptor that is passed. Those before it are the standard streams.
    private static let firstDescriptor: CInt = 3
    /// More sockets than any list has, and small enough for the number of a descriptor.
    private static let mostDescriptors = 1 << 20
    /// How many bytes fit into the address of a Unix socket.
    private static let longestAddress = 108

    func address() throws(EnvironmentError) -> String? {
      guard let text = nonempty("NOTIFY_SOCKET") else { return nil }
      let isAddress = text.hasPrefix("/") || text.hasPrefix("@")
      guard isAddress, (2...Self.longestAddress).contains(text.utf8.count) else {
        throw EnvironmentError(
          variable: "NOTIFY_SOCKET", value: text,
          expected: "it must be an absolute path, or a name behind @, of at most "
            + "\(Self.longestAddress) bytes")
      }
      return text
    }

    func watchdogTimeout() throws(EnvironmentError) -> Duration? {
      guard let text = nonempty("WATCHDOG_USEC"), try isForMe("WATCHDOG_PID", orUnset: true) else {
        return nil
      }
      guard let microseconds = number(text), microseconds > 0 else {
        throw EnvironmentError(
          variable: "WATCHDOG_USEC", value: text,
          expected: "it must be a number of microseconds above 0")
      }
      return .microseconds(microseconds)
    }

    func sockets() throws(EnvironmentError) -> [ServiceManager.PassedSocket] {
      guard try isForMe("LISTEN_PID", orUnset: false), let text = nonempty("LISTEN_FDS") else {
        return []
      }
      guard let count = number(text), count <= Self.mostDescriptors else {
        throw EnvironmentError(
          variable: "LISTEN_FDS", value: text,
          expected: "it must be a number of descriptors, at most \(Self.mostDescriptors)")
      }
      guard count > 0 else { return [] }
      var names = [String](repeating: "unknown", count: Int(count))
      if let text = variable("LISTEN_FDNAMES") {
        names = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard names.count == count else {
          throw EnvironmentError(
            variable: "LISTEN_FDNAMES", value: text,
            expected: "it must be as many names, with colons between them, as LISTEN_FDS says: "
              + "\(count)")
        }
      }
      return names.enumerated().map { index, name in
        .init(descriptor: Self.firstDescriptor + CInt(index), name: name)
      }
    }

    /// The variables that were meant for another process and reach this one: a script has started this process
    /// instead of becoming it. Each is a sentence for the log. Nothing else would say why clients wait, or why the
    /// service manager ends a process that works.
    ///
    /// If the sockets are not open, nothing is said of them: then this process is a program that the service itself
    /// has started.
    func strays() throws(EnvironmentError) -> [String] {
      var strays: [String] = []
      func add(_ name: String, _ consequence: String) {
        let value = nonempty(name).map { "\"\($0)\"" } ?? "not set"
        strays.append(
          "\(name) is \(value), and this process is \(process): \(consequence); a script that starts the program "
            + "must do so with exec")
      }
      if nonempty("LISTEN_FDS").flatMap(number) ?? 0 > 0, isSocket(Self.firstDescriptor),
        try sockets().isEmpty
      {
        add("LISTEN_PID", "the sockets that were passed are not used, and their clients wait")
      }
      if nonempty("NOTIFY_SOCKET") != nil, nonempty("WATCHDOG_USEC") != nil,
        try watchdogTimeout() == nil
      {
        add("WATCHDOG_PID", "it gives no sign of life, for which the service manager may end it")
      }
      return strays
    }

    /// Whether the variable names this process.
    ///
    /// - Parameter orUnset: The answer if it is not set.
    private func isForMe(_ name: String, orUnset: Bool) throws(EnvironmentError) -> Bool {
      guard let text = nonempty(name) else { return orUnset }
      guard let number = number(text), number > 0 else {
        throw EnvironmentError(
          variable: name, value: text, expected: "it must be the number of a process")
      }
      return number == Int64(process)
    }

    private func nonempty(_ name: String) -> String? {
      guard let text = variable(name), !text.isEmpty else { return nil }
      return text
    }

    /// The number that `text` consists of. Only decimal digits: `Int64` alone would accept a sign.
    private func number(_ text: String) -> Int64? {
      text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        ? Int64(text) : nil
    }
  }
#endif
