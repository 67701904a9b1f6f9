/// Where in the source a task was submitted.
///
/// It is as small as a queued task needs it. It stores the address of the file's name and not the name, so
/// that a slot with a closure, its file and its line is 28 bytes.
@frozen @safe public struct CallSite: Sendable {
  /// Address of the `#fileID` literal, which lives as long as the process. 0 if there is none.
  @usableFromInline let fileAddress: UInt
  /// The line in that file, counted from 1. 0 if unknown.
  public let line: UInt32

  /// - Parameters:
  ///   - fileID: A `#fileID`.
  ///   - line: A `#line`. A number greater than `UInt32` holds is clamped.
  @inlinable public init(fileID: StaticString, line: UInt) {
    fileAddress =
      fileID.hasPointerRepresentation ? unsafe UInt(bitPattern: fileID.utf8Start) : 0
    self.line = UInt32(clamping: line)
  }

  /// The address of the file's name, for a record that is as small as this. 0 if there is none.
  @inlinable package var addressOfFile: UInt { fileAddress }

  /// - Parameter address: ``addressOfFile`` of a call site of this process.
  package init(addressOfFile address: UInt, line: UInt32) {
    fileAddress = address
    self.line = line
  }

  /// The file as `Module/File.swift`. O(its length).
  public var fileID: String {
    guard let start = unsafe UnsafePointer<CChar>(bitPattern: fileAddress) else { return "unknown" }
    return unsafe String(cString: start)
  }
}

extension CallSite: Hashable {
  public static func == (lhs: CallSite, rhs: CallSite) -> Bool {
    // The same literal may have one address in each module that was compiled with it.
    lhs.line == rhs.line
      && (lhs.fileAddress == rhs.fileAddress || lhs.fileID == rhs.fileID)
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(line) }
}

extension CallSite: CustomStringConvertible {
  /// `Module/File.swift:42`; without the line if it is unknown.
  public var description: String { line == 0 ? fileID : "\(fileID):\(line)" }
}
