#if Daemon
  import Glibc
  import TaskDispatch

  @testable import UVDaemon

  /// The socket at which a service manager listens.
  final class ManagerSocket: Sendable {
    let address: String
    let descriptor: CInt

    /// At a path of its own in /tmp, or in the abstract namespace.
    init(abstract: Bool = false) {
      let name = "uvdaemon-\(getpid())-\(UInt64.random(in: 0...(.max)))"
      address = abstract ? "@\(name)" : "/tmp/\(name)"
      descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
      var at = sockaddr_un()
      at.sun_family = sa_family_t(AF_UNIX)
      let bytes = [UInt8](address.utf8)
      unsafe withUnsafeMutableBytes(of: &at.sun_path) { path in
        unsafe path.copyBytes(from: abstract ? [0] + bytes.dropFirst() : bytes)
      }
      let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path)!
      let length = socklen_t(offset + bytes.count)
      let status = unsafe withUnsafePointer(to: &at) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe bind(descriptor, $0, length)
        }
      }
      precondition(descriptor >= 0 && status == 0, "cannot listen at \(address)")
    }

    deinit {
      close(descriptor)
      unsafe unlink(address)
    }

    /// The service manager as a process sees it that was given the address of this socket.
    func manager(_ more: [String: String] = [:]) throws(EnvironmentError) -> ServiceManager {
      let variables = more.merging(["NOTIFY_SOCKET": address]) { $1 }
      return try ServiceManager(process: getpid()) { variables[$0] }
    }

    /// The datagrams that have come since the last call.
    func received() -> [String] {
      var all: [String] = []
      var buffer = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = unsafe recv(
          descriptor, &buffer, buffer.count, CInt(MSG_DONTWAIT))
        if count < 0 { return all }
        all.append(String(decoding: buffer.prefix(count), as: UTF8.self))
      }
    }

    /// Makes ``datagrams()`` tell which process has sent each datagram.
    func wantsCredentials() {
      var yes: CInt = 1
      let size = socklen_t(MemoryLayout<CInt>.size)
      let status = unsafe setsockopt(descriptor, SOL_SOCKET, SO_PASSCRED, &yes, size)
      precondition(status == 0, "the kernel does not say which process sends")
    }

    struct Datagram {
      let process: pid_t
      /// The size that was sent; ``text`` has the first 4096 bytes.
      let size: Int
      let text: String
    }

    /// The datagrams that have come since the last call. To be called after ``wantsCredentials()``.
    func datagrams() -> [Datagram] {
      var all: [Datagram] = []
      var bytes = [UInt8](repeating: 0, count: 4096)
      // The header of a control message and its content: process, user, group.
      var control = [UInt64](repeating: 0, count: 8)
      while true {
        let size = unsafe bytes.withUnsafeMutableBytes { bytes in
          unsafe control.withUnsafeMutableBytes { control in
            var part = unsafe iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
            return unsafe withUnsafeMutablePointer(to: &part) { part in
              var message = unsafe msghdr()
              unsafe message.msg_iov = part
              unsafe message.msg_iovlen = 1
              unsafe message.msg_control = control.baseAddress
              unsafe message.msg_controllen = control.count
              let flags = CInt(MSG_DONTWAIT) | CInt(MSG_TRUNC)
              return unsafe recvmsg(descriptor, &message, flags)
            }
          }
        }
        if size < 0 { return all }
        let header = MemoryLayout<cmsghdr>.size
        let process = unsafe control.withUnsafeBytes {
          unsafe $0.load(fromByteOffset: header, as: pid_t.self)
        }
        let text = String(decoding: bytes.prefix(size), as: UTF8.self)
        all.append(Datagram(process: process, size: size, text: text))
      }
    }
  }
#endif
