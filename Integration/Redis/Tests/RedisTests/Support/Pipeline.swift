import Redis
import UVDispatch

/// Commands over one connection with a bounded number in flight: the next is sent when one was
/// answered, until one fails.
final class Pipeline: Sendable {
  struct Counts {
    var sent = 0
    var answered = 0
    var mostInFlight = 0
    var hasFailed = false
  }

  typealias Reply = Result<RedisReply, RedisError>

  private let total: Int
  private let window: Int
  private let counts: Confined<Counts>
  private let command: @Sendable (Int) -> RedisCommand

  init(
    _ total: Int, window: Int, on dispatcher: UVDispatcher,
    _ command: @escaping @Sendable (Int) -> RedisCommand
  ) {
    self.total = total
    self.window = window
    self.command = command
    counts = Confined(Counts(), to: dispatcher.foreground)
  }

  /// Begins to send.
  ///
  /// - Parameter then: Called on the foreground with the number of each command that was sent, and with
  ///   what became of it.
  func start(_ connection: RedisConnection, then: @escaping @Sendable (Int, Reply) -> Void) {
    while let number = next() {
      connection.send(command(number)) { reply in
        self.counts.withValue { counts in
          counts.answered += 1
          if case .failure = reply { counts.hasFailed = true }
        }
        then(number, reply)
        self.start(connection, then: then)
      }
    }
  }

  /// The final counts. Call it after the report.
  func takeCounts() -> Counts { counts.takeValue() }

  private func next() -> Int? {
    counts.withValue { counts in
      let inFlight = counts.sent - counts.answered
      guard counts.sent < total, inFlight < window, !counts.hasFailed else { return nil }
      counts.sent += 1
      counts.mostInFlight = max(counts.mostInFlight, inFlight + 1)
      return counts.sent - 1
    }
  }
}
