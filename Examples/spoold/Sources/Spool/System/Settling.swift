internal import Glibc

/// How long a file must have been left alone before its stamp proves anything.
///
/// File systems do not take the time for each write: they use a clock that ticks, every few
/// milliseconds on most. A file that is written twice within a tick has the same stamp after both.
/// So a stamp can be trusted only once its time of change is longer ago than a tick: then any later
/// write gives another. A time in whole seconds is that of a file system which counts in those.
public struct Settling: Sendable, Hashable {
  /// For a file system that counts in fractions of a second. The kernel's slowest clock ticks every
  /// 10 milliseconds.
  public var fine: Duration
  /// For one that counts in seconds; the slowest in pairs of them.
  public var coarse: Duration

  public init(fine: Duration = .milliseconds(20), coarse: Duration = .seconds(2)) {
    self.fine = fine
    self.coarse = coarse
  }

  func time(for stamp: Stamp) -> Duration { stamp.changed.nanoseconds == 0 ? coarse : fine }

  /// Whether `stamp` is old enough, by the clock of the day. If not, it is too young, or that clock
  /// and the file system's differ, and seeing the same stamp again that much later is the proof.
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
