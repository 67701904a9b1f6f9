internal import Glibc

/// Two ends of a pipe, closed when this object is destroyed.
package final class Pipe: Sendable {
  package let readEnd: CInt
  package let writeEnd: CInt

  package init() {
    var ends: (CInt, CInt) = (-1, -1)
    let status = unsafe withUnsafeMutablePointer(to: &ends) { ends in
      unsafe ends.withMemoryRebound(to: CInt.self, capacity: 2) { unsafe pipe($0) }
    }
    precondition(status == 0, "no pipe: \(errno)")
    (readEnd, writeEnd) = ends
    for end in [readEnd, writeEnd] {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
  }

  deinit {
    close(readEnd)
    close(writeEnd)
  }

  package func write(_ count: Int = 1) {
    let bytes = [UInt8](repeating: 7, count: count)
    let written = unsafe Glibc.write(writeEnd, bytes, count)
    precondition(written == count, "a pipe took \(written) bytes: \(errno)")
  }

  /// Reads at most `count` bytes, and returns how many there were; negative if reading failed.
  @discardableResult
  package func read(_ count: Int = 1) -> Int {
    var bytes = [UInt8](repeating: 0, count: count)
    return unsafe Glibc.read(readEnd, &bytes, count)
  }

  package func fill() {
    let bytes = [UInt8](repeating: 7, count: 4096)
    while unsafe Glibc.write(writeEnd, bytes, 4096) > 0 {}
  }
}

/// Two sockets that are connected to each other.
package func socketPair() -> (CInt, CInt) {
  var ends: (CInt, CInt) = (-1, -1)
  let status = unsafe withUnsafeMutablePointer(to: &ends) { ends in
    unsafe ends.withMemoryRebound(to: CInt.self, capacity: 2) {
      unsafe socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, $0)
    }
  }
  precondition(status == 0, "no sockets: \(errno)")
  return ends
}
