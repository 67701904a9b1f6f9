internal import UVDispatch

/// What was sent over a connection, and the closures that wait for an answer to it.
///
/// It belongs to the loop's thread. hiredis calls it there outside any task. So it only records what
/// has arrived, and its ``Teller`` calls the closures.
final class Exchange {
  private struct Subscription {
    let channel: [UInt8]
    let perform: @Sendable (RedisSubscription) -> Void
    var isEnding = false
  }

  private let address: RedisAddress
  private let hiredis = HiredisContext()
  private let teller: Teller
  /// Nil from the end on, since this closure may hold what holds this object.
  private var onEnd: (@Sendable (RedisError?) -> Void)?
  /// The closures that wait for a reply, by the number that hiredis has for each. Numbers grow.
  private var waiting: [UInt: @Sendable (Result<RedisReply, RedisError>) -> Void] = [:]
  private var subscriptions: [UInt: Subscription] = [:]
  private var lastNumber: UInt = 0
  /// Why the waiting closures get no answer, unless hiredis tells an error.
  private var reason: RedisError?
  private(set) var hasEnded = false
  /// What the owner was told of the end.
  private var ending: RedisError?
  /// Cancelled at the end.
  var watch: Task<Void, Never>?

  init(_ address: RedisAddress, _ teller: Teller, onEnd: @escaping @Sendable (RedisError?) -> Void)
  {
    self.address = address
    self.teller = teller
    self.onEnd = onEnd
  }

  /// hiredis holds this object from here until the end.
  func connect(on dispatcher: UVDispatcher) {
    let error = unsafe dispatcher.withLoop { loop in
      unsafe hiredis.connect(
        to: address, on: loop,
        onReply: { number, reply in self.answered(number, reply) },
        onEnd: { error in self.ended(error) })
    }
    if let error { ended(error) }
  }

  // MARK: Sending

  func send(
    _ command: RedisCommand, then: @escaping @Sendable (Result<RedisReply, RedisError>) -> Void
  ) {
    lastNumber += 1
    if hiredis.send(command, number: lastNumber) {
      waiting[lastNumber] = then
    } else {
      teller.tell { [error = ending ?? .closed] in then(.failure(error)) }
    }
  }

  var isSubscribed: Bool { !subscriptions.isEmpty }

  func isSubscribed(to channel: [UInt8]) -> Bool {
    subscriptions.values.contains { $0.channel == channel }
  }

  func subscribe(to channel: [UInt8], perform: @escaping @Sendable (RedisSubscription) -> Void) {
    lastNumber += 1
    let command = RedisCommand([Array("SUBSCRIBE".utf8), channel])
    if hiredis.send(command, number: lastNumber) {
      subscriptions[lastNumber] = Subscription(channel: channel, perform: perform)
    } else {
      teller.tell { [error = ending ?? .closed] in perform(.ended(error)) }
    }
  }

  func unsubscribe(from channel: [UInt8]) {
    // Only once: hiredis aborts if the server confirms the end of a subscription that it does not know.
    for (number, subscription) in subscriptions
    where subscription.channel == channel && !subscription.isEnding {
      subscriptions[number]?.isEnding = true
      hiredis.sendWithoutReply(RedisCommand([Array("UNSUBSCRIBE".utf8), channel]))
    }
  }

  // MARK: Being answered

  private func answered(_ number: UInt, _ reply: RedisReply) {
    if let then = waiting.removeValue(forKey: number) {
      teller.tell { then(.success(reply)) }
    } else if let perform = subscriptions[number]?.perform, let news = RedisSubscription(reply) {
      if news == .ended(nil) { subscriptions[number] = nil }
      teller.tell { perform(news) }
    }
  }

  private func ended(_ error: String?) {
    hasEnded = true
    watch?.cancel()
    let lost = error.map { RedisError.lost(address, $0) }
    ending = lost ?? (reason == .cut ? nil : reason)
    for (_, then) in waiting.sorted(by: { $0.key < $1.key }) {
      teller.tell { [error = lost ?? reason ?? .closed] in then(.failure(error)) }
    }
    for (_, subscription) in subscriptions.sorted(by: { $0.key < $1.key }) {
      teller.tell { [ending] in subscription.perform(.ended(ending)) }
    }
    waiting = [:]
    subscriptions = [:]
    if let onEnd = onEnd.take() { teller.tell { [ending] in onEnd(ending) } }
  }

  // MARK: The end

  /// Takes no more commands, and ends once all are answered.
  func close() { hiredis.disconnect() }

  /// Ends now.
  func cut(_ reason: RedisError) {
    self.reason = reason
    hiredis.cut()
  }
}
