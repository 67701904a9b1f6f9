import Oracle
package import TaskDispatch
import TaskDispatchTesting

/// Keeps what a dispatcher tells of one episode: some hundred events, however long the run is that the
/// episode is a round of.
package final class Recorder: TaskObserver {
  private let events = Locked<[TaskEvent]>([])

  package init() {}

  package func observe(_ event: TaskEvent) { events.withLock { $0.append(event) } }

  package var history: [TaskEvent] { events.withLock { $0 } }
}

/// The order of bodies, a name for each.
struct Order: Equatable {
  let names: [String]

  /// - Parameter token: As `scheduleToken(of:)` makes it. Nil for what is no order.
  init?(_ token: String) {
    let prefix = "order1:"
    guard token.hasPrefix(prefix) else { return nil }
    // That a time came is no step: nobody is told of it but by the body that follows. In the fake timers
    // that are due at one time are so at once, and a loop may find them one by one.
    names = token.dropFirst(prefix.count).split(separator: ";").map(String.init).filter {
      !$0.hasSuffix("+time")
    }
  }
}
