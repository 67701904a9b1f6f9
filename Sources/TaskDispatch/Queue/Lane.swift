/// One of the two kinds of place where a task can run.
@frozen public enum Lane: UInt8, Sendable, Hashable, CaseIterable {
  /// The event loop's thread: one task at a time, in strict order.
  case foreground
  /// The thread pool: at most as many tasks at a time as the background's width.
  case background
}

extension Lane: CustomStringConvertible {
  public var description: String { self == .foreground ? "foreground" : "background" }
}

/// Encoded as its name.
extension Lane: Codable {
  public init(from decoder: any Decoder) throws {
    let name = try decoder.singleValueContainer().decode(String.self)
    guard let lane = Lane.allCases.first(where: { $0.description == name }) else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "no lane is called \"\(name)\""))
    }
    self = lane
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
