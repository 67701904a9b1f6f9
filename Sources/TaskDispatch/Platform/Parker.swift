/// Blocks one thread until another thread opens it.
package final class Parker: @unchecked Sendable {
  private let bench = Bench()
  // Guarded by the lock of the bench.
  private var isOpen = false

  package init() {}

  /// Lets the waiting thread go on: now, or as soon as it waits. Any thread.
  package func open() {
    bench.lock()
    isOpen = true
    bench.wakeAll()
    bench.unlock()
  }

  /// Makes the next ``wait(nanoseconds:)`` wait again. Only the waiting thread calls this.
  package func close() {
    bench.lock()
    isOpen = false
    bench.unlock()
  }

  /// Blocks the calling thread until ``open()`` was called. Returns false if `nanoseconds` passed first.
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
