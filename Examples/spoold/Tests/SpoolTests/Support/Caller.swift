import Glibc

@testable import Spool

/// A client of a status socket that never blocks.
struct Caller: ~Copyable {
  let socket: Descriptor

  init(_ path: BytePath) throws {
    let kind =
      Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    socket = Descriptor(owning: Glibc.socket(AF_UNIX, kind, 0))
    try SocketAddress(path).connect(socket)
  }

  deinit {
    // A child process may have the socket open as well, so closing it alone would not end the
    // connection.
    shutdown(socket.number, Int32(SHUT_RDWR))
  }

  /// Sends as much of `bytes` as the socket takes.
  @discardableResult
  func send(_ bytes: some Sequence<UInt8>) -> Int {
    let bytes = Array(bytes)
    return unsafe bytes.withUnsafeBytes {
      unsafe Glibc.send(socket.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
  }

  @discardableResult
  func send(_ text: String) -> Int { send(text.utf8) }

  /// Sends nothing more.
  func finish() { shutdown(socket.number, Int32(SHUT_WR)) }

  /// What has arrived by now.
  func received() -> (text: String, isOver: Bool) {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe recv(socket.number, &chunk, chunk.count, 0)
      guard count > 0 else {
        // The other side has gone, perhaps without having read everything.
        let isOver = count == 0 || errno == ECONNRESET
        return (String(decoding: bytes, as: UTF8.self), isOver)
      }
      bytes += chunk[..<count]
    }
  }

  /// The lines that have arrived by now.
  func lines() -> [Substring] { received().text.split(separator: "\n") }
}
