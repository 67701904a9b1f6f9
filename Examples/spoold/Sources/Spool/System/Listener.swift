internal import Glibc

/// A Unix stream socket that clients connect to. Removes its name at its end, if it has made it.
public struct Listener: ~Copyable, Sendable {
  let descriptor: Descriptor
  /// The socket's name, and the identity of its file; nil if another process has made the socket.
  private let place: (path: BytePath, identity: Stamp.Identity)?

  /// How many clients may wait to be accepted.
  private static let backlog: Int32 = 128

  /// Makes the socket at `path`, for its owner and group. It replaces a socket at which no process
  /// listens any more, and nothing else.
  public init(_ path: BytePath) throws(ListenRefusal) {
    let address = try SocketAddress(path)
    do throws(SystemError) { descriptor = try Self.listening(path, address) } catch {
      throw error.code == EADDRINUSE ? .inUse(path) : .system(path, error)
    }
    place = Self.identity(path).map { (path, $0) }
  }

  private static func listening(
    _ path: BytePath, _ address: SocketAddress
  ) throws(SystemError) -> Descriptor {
    let opened = try open()
    // Before the name exists, so that no process finds it more open than it must be.
    try checked("fchmod") { fchmod(opened.number, 0o660) }
    do throws(SystemError) { try address.bind(opened) } catch {
      guard error.code == EADDRINUSE, try isStale(path, address) else { throw error }
      try LineFile.remove(path)
      try address.bind(opened)
    }
    // The mask of the process may have removed the group's rights.
    try checked("chmod") { unsafe path.withCString { unsafe chmod($0, 0o660) } }
    try checked("listen") { listen(opened.number, backlog) }
    return opened
  }

  private static func identity(_ path: BytePath) -> Stamp.Identity? {
    var status = stat()
    let result = unsafe path.withCString { unsafe lstat($0, &status) }
    return result == 0 ? Stamp(status).identity : nil
  }

  /// Takes over a socket that a service manager has made and that already listens.
  ///
  /// - Parameter number: An open descriptor that no other code closes. If this throws, it is closed.
  public init(adopting number: Int32) throws(ListenRefusal) {
    place = nil
    do throws(SystemError) { descriptor = try Self.adopted(number) } catch {
      throw .notListening(number, error)
    }
  }

  private static func adopted(_ number: Int32) throws(SystemError) -> Descriptor {
    let adopted = Descriptor(owning: number)
    guard try option(SO_DOMAIN, of: adopted) == AF_UNIX,
      try option(SO_TYPE, of: adopted) == Int32(SOCK_STREAM.rawValue),
      try option(SO_ACCEPTCONN, of: adopted) == 1
    else { throw SystemError(call: "getsockopt", code: EINVAL) }
    let flags = try checked("fcntl") { fcntl(adopted.number, F_GETFL) }
    try checked("fcntl") { fcntl(adopted.number, F_SETFL, flags | O_NONBLOCK) }
    try checked("fcntl") { fcntl(adopted.number, F_SETFD, FD_CLOEXEC) }
    return adopted
  }

  deinit {
    // Only if the name still belongs to this socket.
    guard let place, Self.identity(place.path) == place.identity else { return }
    try? LineFile.remove(place.path)
  }

  /// The next client; nil if none waits.
  func accept() throws(SystemError) -> Descriptor? {
    do throws(SystemError) {
      let client = Descriptor(
        owning: try checked("accept") { Glibc.accept(descriptor.number, nil, nil) })
      try checked("fcntl") { fcntl(client.number, F_SETFL, O_NONBLOCK) }
      try checked("fcntl") { fcntl(client.number, F_SETFD, FD_CLOEXEC) }
      return client
    } catch {
      // A client that has gone before it was accepted does not count.
      guard error.code == EAGAIN || error.code == ECONNABORTED else { throw error }
      return nil
    }
  }

  private static func open() throws(SystemError) -> Descriptor {
    let kind =
      Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    return Descriptor(owning: try checked("socket") { socket(AF_UNIX, kind, 0) })
  }

  /// Whether `path` is a socket at which no process listens.
  private static func isStale(
    _ path: BytePath, _ address: SocketAddress
  ) throws(SystemError) -> Bool {
    var status = stat()
    try checked("lstat") { unsafe path.withCString { unsafe lstat($0, &status) } }
    guard status.st_mode & S_IFMT == S_IFSOCK else { return false }
    do throws(SystemError) {
      try address.connect(try open())
      return false
    } catch {
      return error.code == ECONNREFUSED
    }
  }

  private static func option(
    _ name: Int32, of socket: borrowing Descriptor
  ) throws(SystemError) -> Int32 {
    var value: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    try checked("getsockopt") {
      unsafe getsockopt(socket.number, SOL_SOCKET, name, &value, &size)
    }
    return value
  }
}

/// Why there is no status socket.
public enum ListenRefusal: Error, Sendable, Hashable {
  /// Another process listens there, or the path is no socket.
  case inUse(BytePath)
  case tooLong(BytePath, most: Int)
  /// The descriptor that was handed over is no Unix stream socket that listens.
  case notListening(Int32, SystemError)
  case system(BytePath, SystemError)
}

extension ListenRefusal {
  /// One line for a person, without its end.
  public var message: [UInt8] {
    switch self {
    case .inUse(let path):
      "cannot make the status socket ".utf8 + path.shown
        + ": another process listens there, or it is no socket; choose another path".utf8
    case .tooLong(let path, let most):
      "cannot make the status socket ".utf8 + path.shown
        + ": its path is longer than the \(most) bytes that the system allows".utf8
    case .notListening(let number, let error):
      Array(
        """
        cannot use descriptor \(number) as the status socket: it is no Unix stream socket that \
        listens (\(error)); see ListenStream= of the socket unit
        """.utf8)
    case .system(let path, let error):
      "cannot make the status socket ".utf8 + path.shown + ": \(error)".utf8
    }
  }
}

extension ListenRefusal: CustomStringConvertible {
  public var description: String { String(decoding: message, as: UTF8.self) }
}
