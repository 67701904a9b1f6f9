/// Stops one thread until another lets it go on. Used once.
package final class Parker: @unchecked Sendable {
  private let bench = Bench()
  // Under the lock of the bench.
  private var isOpen = false

  package init() {}

  /// Lets the thread go on, now or when it comes to wait. Any thread.
  package func open() {
    bench.lock()
    isOpen = true
    bench.wakeAll()
    bench.unlock()
  }

  /// Lets ``wait(nanoseconds:)`` wait again. The thread that waits.
  package func close() {
    bench.lock()
    isOpen = false
    bench.unlock()
  }

  /// Waits until ``open()`` was called. Returns false if `nanoseconds` passed first.
  ///
  /// - Parameter nanoseconds: How long to wait at most; for ever if nil.
  package func wait(nanoseconds: Int64? = nil) -> Bool {
    let deadline = nanoseconds.map { monotonicNanoseconds().addingClamped(max(0, $0)) }
    bench.lock()
    defer { bench.unlock() }
    while !isOpen {
      if let deadline, monotonicNanoseconds() >= deadline { return false }
      bench.sleep(until: deadline)
    }
    return true
  }
}
