internal import Glibc

/// The name of a Unix socket, as the system takes it.
struct SocketAddress {
  private var address = sockaddr_un()
  private static let nameOffset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path)!

  init(_ path: BytePath) throws(ListenRefusal) {
    // A zero byte must follow the name.
    let most = MemoryLayout<sockaddr_un>.size - Self.nameOffset - 1
    guard path.bytes.count <= most else { throw .tooLong(path, most: most) }
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address) { bytes in
      for (index, byte) in path.bytes.enumerated() { unsafe bytes[Self.nameOffset + index] = byte }
    }
  }

  func bind(_ socket: borrowing Descriptor) throws(SystemError) {
    try checked("bind") { unsafe withAddress { unsafe Glibc.bind(socket.number, $0, $1) } }
  }

  func connect(_ socket: borrowing Descriptor) throws(SystemError) {
    try checked("connect") { unsafe withAddress { unsafe Glibc.connect(socket.number, $0, $1) } }
  }

  private func withAddress(
    _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    unsafe withUnsafeBytes(of: address) { bytes in
      unsafe body(
        bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
    }
  }
}
