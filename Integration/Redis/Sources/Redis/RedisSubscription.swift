/// What happens to a subscription, in this order: it begins, brings messages, and ends once.
public enum RedisSubscription: Sendable, Hashable {
  /// Messages that are published from now on are received.
  case began
  case message([UInt8])
  /// The subscription has ended: nil if that was asked for.
  case ended(RedisError?)

  /// Reads a reply of the server: what happens, to which channel, and the message.
  init?(_ reply: RedisReply) {
    guard case .array(let parts) = reply, parts.count == 3, case .bytes(let kind) = parts[0] else {
      return nil
    }
    switch (String(decoding: kind, as: UTF8.self), parts[2]) {
    case ("subscribe", _): self = .began
    case ("message", .bytes(let bytes)): self = .message(bytes)
    case ("unsubscribe", _): self = .ended(nil)
    default: return nil
    }
  }
}
