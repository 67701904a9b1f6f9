/// What happens to a subscription, in this order: it begins, brings messages, and ends once.
public enum RedisSubscription: Sendable, Hashable {
  /// What is published from now on comes here.
  case began
  case message([UInt8])
  /// Nothing more comes: nil if that was asked for.
  case ended(RedisError?)

  /// As the server tells it: what happens, to which channel, and what of it.
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
