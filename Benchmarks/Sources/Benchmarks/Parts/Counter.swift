import CPeers
import Glibc

/// How many bodies of one producer have run.
///
/// It is memory of C, so that a body in C and a body in Swift do the same work, and so that a closure
/// that captures it counts no references.
struct Counter: @unchecked Sendable {
  // Only atomic operations of C touch it, on any thread.
  let pointer: UnsafeMutablePointer<cpeers_counter>

  init() { pointer = cpeers_counter_make() }

  func free() { cpeers_counter_free(pointer) }

  @inline(__always) func advance() { cpeers_counter_advance(pointer) }
  @inline(__always) var count: Int { cpeers_counter_read(pointer) }

  /// Polls for a while, and then yields the processor between two looks. Returns the last count that it
  /// saw.
  @discardableResult
  func wait(for count: Int) -> Int {
    var looks = 0
    while true {
      let seen = self.count
      if seen >= count { return seen }
      looks += 1
      if looks % 64 == 0 { sched_yield() }
    }
  }

  /// Looks only now and then. For waits so long that polling would disturb what is measured.
  func waitAsleep(for count: Int) {
    while self.count < count { usleep(50) }
  }
}

func nanoseconds() -> Int64 { cpeers_nanoseconds() }

/// The nanoseconds that `body` takes.
func timed(_ body: () throws -> Void) rethrows -> Double {
  let began = nanoseconds()
  try body()
  return Double(nanoseconds() - began)
}
