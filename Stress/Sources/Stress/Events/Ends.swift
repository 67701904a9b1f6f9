import Glibc
import Oracle

/// The two ends of a descriptor that the system can watch. In a fake they are only a number of bytes.
struct Ends {
  enum Kind: CaseIterable {
    case pipe
    case socket
    /// An eventfd, which has one end.
    case counter
    /// No real descriptor, for a fake dispatcher: the program tells it when something is ready.
    case none
  }

  let kind: Kind
  /// The end that is read, and the end that is written to.
  let (here, there): (CInt, CInt)
  private(set) var hereIsOpen = true
  private(set) var thereIsOpen = true
  private var level = 0

  /// Nil if the system has no descriptors left.
  init?(_ kind: Kind) {
    self.kind = kind
    var ends: [CInt] = [-1, -1]
    switch kind {
    case .pipe:
      guard pipe(&ends) == 0 else { return nil }
      for end in ends {
        _ = fcntl(end, F_SETFL, O_NONBLOCK)
        _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      }
    case .socket:
      let type = CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
      guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { return nil }
    case .counter:
      ends[0] = SystemCalls.eventfd()
      ends[1] = ends[0]
      guard ends[0] >= 0 else { return nil }
    case .none: ends[0] = Self.numbers.withLock { $0.next() }
    }
    (here, there) = (ends[0], ends[1])
  }

  /// Numbers that no open descriptor has.
  private struct Numbers {
    var last: CInt = 1 << 20
    mutating func next() -> CInt {
      last += 1
      return last
    }
  }
  private static let numbers = Locked(Numbers())

  /// Whether the writing end can be closed before the reading end.
  var hasOther: Bool { kind != .counter }

  /// Returns how many bytes there was room for; nil if the reading end is closed.
  mutating func write(_ count: Int) -> Int? {
    if kind == .none {
      level += count
      return count
    }
    var written: Int
    if kind == .counter {
      var amount = UInt64(count)
      written = Glibc.write(there, &amount, 8) == 8 ? count : -1
    } else {
      written = withUnsafeTemporaryAllocation(byteCount: count, alignment: 1) {
        $0.initializeMemory(as: UInt8.self, repeating: 1)
        return Glibc.write(there, $0.baseAddress!, count)
      }
    }
    if written >= 0 { return written }
    return errno == EPIPE ? nil : 0
  }

  mutating func read(_ most: Int) -> Flow.Found {
    if kind == .none {
      let taken = min(level, most)
      level -= taken
      return taken > 0 ? .bytes(taken) : thereIsOpen ? .nothing : .end
    }
    if kind == .counter {
      var amount: UInt64 = 0
      return Glibc.read(here, &amount, 8) == 8 ? .bytes(Int(amount)) : .nothing
    }
    let found = withUnsafeTemporaryAllocation(byteCount: most, alignment: 1) {
      Glibc.read(here, $0.baseAddress!, most)
    }
    // A broken connection has an end, too: a socket breaks if its other side closes with unread bytes.
    return found > 0 ? .bytes(found) : found < 0 && errno == EAGAIN ? .nothing : .end
  }

  mutating func closeHere() {
    guard hereIsOpen else { return }
    hereIsOpen = false
    if kind == .counter { thereIsOpen = false }
    if kind != .none { close(here) }
  }

  mutating func closeThere() {
    guard thereIsOpen, hasOther else { return }
    thereIsOpen = false
    if kind != .none { close(there) }
  }
}
