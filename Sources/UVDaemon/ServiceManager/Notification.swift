#if Daemon
  internal import TaskDispatch

  extension ServiceManager {
    /// What a daemon tells its service manager: an assignment of `sd_notify(3)`.
    public enum Notification: Sendable, Hashable {
      /// The daemon is up, or up again after a reload.
      case ready
      /// The daemon reloads its configuration, since that time of the monotonic clock, in microseconds.
      case reloading(sinceMicroseconds: Int64)
      /// The daemon reloads its configuration, since now.
      public static var reloading: Self {
        .reloading(sinceMicroseconds: monotonicNanoseconds() / 1_000)
      }
      /// The daemon is about to end.
      case stopping
      /// One line for people that ask how the daemon is. Ends of lines and zeros become spaces, and after 4000 bytes
      /// it is cut.
      case status(String)
      /// The daemon needs this long for what it is doing: starting, stopping or reloading.
      case extendTimeout(Duration)
      /// The daemon is alive.
      case watchdog

      /// In bytes. A service manager reads at most 4096 bytes of a datagram, and drops a longer one.
      private static var longestStatus: Int { 4000 }

      /// The variable that the notification assigns to.
      var name: Substring { assignment.prefix { $0 != "=" } }

      /// The assignment that is sent, without an end of line.
      public var assignment: String {
        switch self {
        case .ready: "READY=1"
        case .reloading(let time): "RELOADING=1\nMONOTONIC_USEC=\(time)"
        case .stopping: "STOPPING=1"
        case .status(let text): "STATUS=\(text.onOneLine.cut(to: Self.longestStatus))"
        case .extendTimeout(let time): "EXTEND_TIMEOUT_USEC=\(time.microseconds)"
        case .watchdog: "WATCHDOG=1"
        }
      }
    }
  }

  extension String {
    /// The string, or if it has more than `bytes` bytes, its first characters and an ellipsis.
    fileprivate func cut(to bytes: Int) -> String {
      if utf8.count <= bytes { return self }
      let ellipsis = "…"
      var end = utf8.index(utf8.startIndex, offsetBy: bytes - ellipsis.utf8.count)
      // Not in the middle of a character.
      while end.samePosition(in: self) == nil { utf8.formIndex(before: &end) }
      return String(self[..<end]) + ellipsis
    }

    fileprivate var onOneLine: String {
      String(
        String.UnicodeScalarView(
          unicodeScalars.map { $0 == "\n" || $0 == "\r" || $0 == "\0" ? " " : $0 }))
    }
  }

  extension Duration {
    /// In microseconds, rounded up, since a process that asks for time needs all of it. Zero if negative; at most
    /// what 64 bits hold.
    fileprivate var microseconds: Int64 {
      let (whole, rest) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000_000)
      return Int64(clamping: max(0, whole + (rest > 0 ? 1 : 0)))
    }
  }
#endif
