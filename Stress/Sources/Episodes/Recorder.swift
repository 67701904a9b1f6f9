import Oracle
package import TaskDispatch
import TaskDispatchTesting

/// Keeps the events of one episode. An episode is one round, so these are some hundred events, however
/// long the run is.
package final class Recorder: TaskObserver {
  private let events = Locked<[TaskEvent]>([])

  package init() {}

  package func observe(_ event: TaskEvent) { events.withLock { $0.append(event) } }

  package var history: [TaskEvent] { events.withLock { $0 } }
}

/// The order of the bodies, by name.
struct Order: Equatable {
  let names: [String]

  /// - Parameter token: An order as `scheduleToken(of:)` makes it. The result is nil for any other
  ///   text.
  init?(_ token: String) {
    let prefix = "order1:"
    guard token.hasPrefix(prefix) else { return nil }
    // A passing time is no step: the dispatcher tells of it only by the body that follows. Timers that
    // are due at one time are due together in the fake, and a loop may find them one by one.
    names = token.dropFirst(prefix.count).split(separator: ";").map(String.init).filter {
      !$0.hasSuffix("+time")
    }
  }
}
