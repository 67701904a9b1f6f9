#if Daemon
  internal import TaskDispatch

  extension ServiceManager {
    /// What a daemon tells its service manager: an assignment of `sd_notify(3)`.
    public enum Notification: Sendable, Hashable {
      /// It is up; or up again, after a reload.
      case ready
      /// It takes in its configuration anew, since that time of the monotonic clock.
      case reloading(sinceMicroseconds: Int64)
      /// As ``reloading(sinceMicroseconds:)``, since now.
      public static var reloading: Self {
        .reloading(sinceMicroseconds: monotonicNanoseconds() / 1_000)
      }
      /// It is about to end.
      case stopping
      /// One line for people who ask how it is. Ends of lines and zeros become spaces, and after 4000 bytes it is cut.
      case status(String)
      /// It needs this long for what it is at: starting, stopping or reloading.
      case extendTimeout(Duration)
      /// It is alive.
      case watchdog

      /// In bytes. A service manager takes 4096 in one datagram, and drops what is longer.
      private static var longestStatus: Int { 4000 }

      /// The variable that it assigns to.
      var name: Substring { assignment.prefix { $0 != "=" } }

      /// Without the end of its line.
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
    /// Its first characters, and an ellipsis, if it has more than so many bytes.
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
    /// Rounded up, since whatever asks for time needs all of it. Zero if it is negative; at most what
    /// 64 bits hold.
    fileprivate var microseconds: Int64 {
      let (whole, rest) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000_000)
      return Int64(clamping: max(0, whole + (rest > 0 ? 1 : 0)))
    }
  }
#endif
