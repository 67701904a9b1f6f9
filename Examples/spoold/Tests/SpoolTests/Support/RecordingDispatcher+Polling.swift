import Glibc
import TaskDispatch
import TaskDispatchTesting

extension RecordingDispatcher {
  /// Runs what can run, and makes descriptors ready as a loop would, until nothing more can run. No
  /// time passes.
  ///
  /// - Parameter rounds: How often it looks. A descriptor whose cause is not removed is ready again
  ///   each time.
  func runWithDescriptors(rounds: Int = 10_000) throws {
    try runUntilIdle()
    for _ in 0..<rounds {
      let ready = awaitedEvents.compactMap(Awaited.init).filter(\.isReady)
      guard !ready.isEmpty else { return }
      for awaited in ready where awaitedEvents.contains(awaited.name) {
        try makeReady(awaited.number, awaited.readiness)
        try runUntilIdle()
      }
    }
  }

  /// The name of a registration: `descriptor 5 (readable)`.
  private struct Awaited {
    let name: String
    let number: Int32
    let readiness: Readiness

    init?(_ name: String) {
      let parts = name.split(separator: " ")
      guard parts.first == "descriptor", let number = Int32(parts[1]) else { return nil }
      self.name = name
      self.number = number
      readiness = name.contains("writable") ? .writable : .readable
    }

    var isReady: Bool {
      let event = Int16(readiness == .readable ? POLLIN : POLLOUT)
      var poll = pollfd(fd: number, events: event, revents: 0)
      return unsafe Glibc.poll(&poll, 1, 0) > 0
    }
  }
}
