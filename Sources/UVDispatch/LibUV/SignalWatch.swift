internal import CSignals
internal import Glibc
internal import TaskDispatch

/// Wakes a loop whenever a signal is delivered to the process, until ``end()``.
@safe final class SignalWatch {
  private let signal: Signal
  private var watch: OpaquePointer?
  /// How many deliveries have been told of.
  private var told: UInt64

  /// - Parameter descriptor: An eventfd.
  init(_ signal: Signal, waking descriptor: CInt) throws(UVError) {
    // Before the watch: what comes in between is one too many, and not one too few.
    told = csignals_deliveries(signal.rawValue)
    guard let watch = unsafe csignals_watch(signal.rawValue, descriptor) else {
      throw UVError(call: "sigaction", status: -errno)
    }
    self.signal = signal
    unsafe self.watch = watch
  }

  /// The eventfd may be closed after this. Waits for handlers that run just now, which takes them a
  /// system call.
  func end() {
    if let watch = unsafe watch { unsafe csignals_unwatch(watch) }
    unsafe watch = nil
  }

  /// How many have come since the last time that this was asked.
  func takeDeliveries() -> Int {
    let all = csignals_deliveries(signal.rawValue)
    defer { told = all }
    return Int(all - told)
  }
}
