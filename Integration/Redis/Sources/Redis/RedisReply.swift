/// What a server answered.
public enum RedisReply: Sendable, Hashable {
  /// A word such as `OK`.
  case status(String)
  case bytes([UInt8])
  case integer(Int64)
  /// There is nothing under that key.
  case null
  case array([RedisReply])
  /// The server refused the command, and says why.
  case refusal(String)

  /// Bytes that are text.
  public static func text(_ text: String) -> RedisReply { .bytes(Array(text.utf8)) }
}
