public import UVDispatch

/// A connection to a Redis server, through hiredis, on the loop of a dispatcher.
///
/// Make it and call it on the foreground; it traps elsewhere. It calls its closures on the foreground
/// as well, always after the call that asked for the answer has returned.
///
/// It closes what it has on the loop when it is told to, when the connection is lost, and when the
/// dispatcher is shut down. In each case every closure that waits for a reply is called exactly once,
/// before the dispatcher's report. A program that wants the replies closes the connection first, and
/// shuts down in its `onEnd`. Releasing a connection does not close it.
public final class RedisConnection: Sendable {
  private let exchange: Confined<Exchange>

  /// Begins to connect. Commands may be sent at once.
  ///
  /// - Parameter onEnd: Called once, after the closures of all that was sent before the end, also if
  ///   there never was a connection: nil if the end was asked for, else the reason.
  public init(
    to address: RedisAddress, on dispatcher: UVDispatcher,
    onEnd: @escaping @Sendable (RedisError?) -> Void
  ) {
    exchange = Confined(
      Exchange(address, Teller(on: dispatcher.foreground), onEnd: onEnd), to: dispatcher.foreground)
    exchange.withValue { $0.connect(on: dispatcher) }
    cutAtShutdown(of: dispatcher)
  }

  /// Closes what is on the loop when the dispatcher shuts down: a shutdown waits for accepted tasks,
  /// and knows nothing of what a C library waits for. A shutdown cancels at once each Task that sleeps
  /// on the dispatcher's clock, and waits for the job that this Task has then.
  private func cutAtShutdown(of dispatcher: UVDispatcher) {
    let watch = Task(executorPreference: dispatcher.foreground.executor) { [exchange] in
      try? await dispatcher.clock.sleep(for: .seconds(Int64.max))
      exchange.withValue { $0.cut(.shutDown) }
    }
    exchange.withValue { exchange in
      exchange.watch = watch
      if exchange.hasEnded { watch.cancel() }
    }
  }

  /// Sends a command, and calls `then` once with the server's reply or the reason why there is none.
  /// Replies come in the order of the commands.
  ///
  /// Traps for commands that change what a connection is: see ``subscribe(to:perform:)``.
  public func send(
    _ command: RedisCommand, then: @escaping @Sendable (Result<RedisReply, RedisError>) -> Void
  ) {
    let name = command.name
    precondition(
      !Self.modes.contains(name), "\(name) has not one reply: use subscribe(to:) for channels")
    exchange.withValue { exchange in
      precondition(
        !exchange.isSubscribed,
        "a connection with a subscription takes no other command, and \(name) was sent; make another"
      )
      exchange.send(command, then: then)
    }
  }

  private static let modes: Set = [
    "SUBSCRIBE", "PSUBSCRIBE", "SSUBSCRIBE", "UNSUBSCRIBE", "PUNSUBSCRIBE", "SUNSUBSCRIBE",
    "MONITOR",
  ]

  /// Sends a command from a Task of the foreground, and returns the server's reply.
  nonisolated(nonsending) public func reply(
    to command: RedisCommand
  ) async throws(RedisError) -> RedisReply {
    try await withCheckedContinuation { continuation in
      send(command) { continuation.resume(returning: $0) }
    }.get()
  }

  /// Calls `perform` with what is published in a channel. Traps if the connection subscribes to that
  /// channel already.
  public func subscribe(
    to channel: String, perform: @escaping @Sendable (RedisSubscription) -> Void
  ) {
    exchange.withValue { exchange in
      precondition(
        !exchange.isSubscribed(to: Array(channel.utf8)), "\(channel) is subscribed to already")
      exchange.subscribe(to: Array(channel.utf8), perform: perform)
    }
  }

  /// Ends the subscription to a channel, once the server has confirmed that.
  public func unsubscribe(from channel: String) {
    exchange.withValue { $0.unsubscribe(from: Array(channel.utf8)) }
  }

  /// Takes no more commands, waits for the replies to those that were sent, and ends. Subscriptions end
  /// at once.
  public func close() { exchange.withValue { $0.close() } }

  /// Ends now: commands without an answer fail with ``RedisError/cut``.
  public func cut() { exchange.withValue { $0.cut(.cut) } }
}
