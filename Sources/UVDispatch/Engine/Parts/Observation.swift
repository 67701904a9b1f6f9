internal import TaskDispatch

/// The observer, and the watchdog that works for it. A value under the dispatcher's lock.
struct Observation {
  /// Nil without an observer. It stays the same until the dispatcher ends.
  private(set) var observer: (any TaskObserver)?
  let isOn: Bool
  /// Wakes the watchdog; nil if there is none.
  private var wakeWatchdog: (() -> Void)?
  /// The watchdog sleeps until a body starts.
  private(set) var watchdogIsParked = false

  init(_ observer: (any TaskObserver)?) {
    self.observer = observer
    isOn = observer != nil
  }

  /// Takes out the observer, at the end of the dispatcher.
  mutating func takeObserver() -> (any TaskObserver)? { observer.take() }

  mutating func setWatchdog(wake: @escaping () -> Void) { wakeWatchdog = wake }

  /// Nothing runs: the watchdog sleeps until a body starts.
  mutating func parkWatchdog() { watchdogIsParked = true }

  /// A body starts.
  ///
  /// - Returns: What wakes the watchdog, if it is parked. To be called without the lock.
  mutating func unparkWatchdog() -> (() -> Void)? {
    guard watchdogIsParked, let wakeWatchdog else { return nil }
    watchdogIsParked = false
    return wakeWatchdog
  }
}
