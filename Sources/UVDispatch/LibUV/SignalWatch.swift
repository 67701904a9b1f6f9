internal import CSignals
internal import Glibc
internal import TaskDispatch

/// Wakes a loop whenever a signal is delivered to the process, until ``end()``.
@safe final class SignalWatch {
  let signal: Signal
  private var watch: OpaquePointer?
  /// How many deliveries ``takeDeliveries()`` has returned, and those before the watch.
  private var told: UInt64

  /// Begins to watch. From now on each delivery writes to `descriptor`.
  ///
  /// - Parameter descriptor: An eventfd.
  /// - Throws: ``UVError`` if the system refuses to install a handler. Nothing has changed then.
  init(_ signal: Signal, waking descriptor: CInt) throws(UVError) {
    // Read before the watch begins: a delivery between the two is then counted once too often, and not missed.
    told = csignals_deliveries(signal.rawValue)
    guard let watch = unsafe csignals_watch(signal.rawValue, descriptor) else {
      throw UVError(call: "sigaction", status: -errno)
    }
    self.signal = signal
    unsafe self.watch = watch
  }

  /// Ends the watch. The eventfd may be closed after this. Waits for handlers that run just now; each takes a system
  /// call or so.
  func end() {
    if let watch = unsafe watch { unsafe csignals_unwatch(watch) }
    unsafe watch = nil
  }

  /// How many deliveries there were since the last call, or since the watch began.
  func takeDeliveries() -> Int {
    let all = csignals_deliveries(signal.rawValue)
    defer { told = all }
    return Int(all - told)
  }
}
