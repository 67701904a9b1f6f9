/// A command with its arguments, which are bytes: `["SET", "greeting", "hello"]`.
public struct RedisCommand: Sendable, Hashable, ExpressibleByArrayLiteral {
  /// All arguments, one behind the other.
  let bytes: [UInt8]
  /// How many bytes each of the arguments has.
  let lengths: [Int]

  /// Traps if there is no argument: the first is the name of the command.
  public init(_ arguments: some Sequence<some Sequence<UInt8>>) {
    var (bytes, lengths) = ([UInt8](), [Int]())
    for argument in arguments {
      let before = bytes.count
      bytes.append(contentsOf: argument)
      lengths.append(bytes.count - before)
    }
    precondition(!lengths.isEmpty, "a command has at least a name")
    (self.bytes, self.lengths) = (bytes, lengths)
  }

  public init(arrayLiteral arguments: String...) { self.init(arguments.map(\.utf8)) }

  /// The name of the command, in upper case.
  var name: String { String(decoding: bytes[..<lengths[0]], as: UTF8.self).uppercased() }
}
