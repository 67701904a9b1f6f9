/// A number of files, and of the bytes in them.
public struct Amount: Sendable, Hashable {
  public var files = 0
  public var bytes = 0

  public init(files: Int = 0, bytes: Int = 0) {
    self.files = files
    self.bytes = bytes
  }

  mutating func add(_ found: Walk.Found) {
    files += 1
    bytes += Int(found.stamp.size)
  }
}
