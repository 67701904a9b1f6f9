internal import Glibc

/// How long a file must not have been touched before its stamp proves anything.
///
/// File systems do not read the time for each write. They use a clock that ticks, every few
/// milliseconds on most systems. A file that is written twice within a tick has the same stamp after
/// both writes. So a stamp can be trusted only when its time of change is longer ago than a tick: any
/// later write then gives another stamp. If a time is in whole seconds, the file system counts in
/// seconds.
public struct Settling: Sendable, Hashable {
  /// For a file system that counts in fractions of a second. The kernel's slowest clock ticks every 10
  /// milliseconds.
  public var fine: Duration
  /// For a file system that counts in seconds; the slowest ones count in pairs of seconds.
  public var coarse: Duration

  public init(fine: Duration = .milliseconds(20), coarse: Duration = .seconds(2)) {
    self.fine = fine
    self.coarse = coarse
  }

  func time(for stamp: Stamp) -> Duration { stamp.changed.nanoseconds == 0 ? coarse : fine }

  /// Whether `stamp` is old enough, by the system's real-time clock. If not, the stamp is too young, or
  /// that clock and the file system's differ. Then the same stamp, seen again that much later, is the
  /// proof.
  func isOver(for stamp: Stamp) -> Bool {
    let time = time(for: stamp)
    guard time > .zero else { return true }
    var now = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    let age =
      Duration.seconds(Int64(now.tv_sec)) + .nanoseconds(Int64(now.tv_nsec))
      - .seconds(stamp.changed.seconds) - .nanoseconds(stamp.changed.nanoseconds)
    return age > time
  }
}
