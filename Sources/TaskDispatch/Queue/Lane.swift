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
