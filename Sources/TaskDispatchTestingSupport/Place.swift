internal import TaskDispatch
internal import Testing

/// A place in the source of a test, as each of the frameworks wants to have it.
struct Place: Sendable {
  let location: SourceLocation
  /// The path, for XCTest, which takes a literal only. Nil for a place that Swift Testing gave us.
  let file: StaticString?

  /// Of a caller that may not import Testing, where `#_sourceLocation` would not expand.
  init(fileID: StaticString, filePath: StaticString, line: UInt, column: UInt) {
    location = SourceLocation(
      fileID: fileID.description, filePath: filePath.description, line: Int(line),
      column: Int(column))
    file = filePath
  }

  init(_ location: SourceLocation) {
    self.location = location
    file = nil
  }

  /// The place of a submission; this one if its own is not known.
  func location(of site: CallSite) -> SourceLocation {
    let fileID = site.fileID
    // What is no `Module/File.swift` or has no line makes `SourceLocation` trap.
    guard site.line > 0, fileID.dropFirst().dropLast().contains("/") else { return location }
    guard fileID == location.fileID else {
      // A call site has no path. Reporters print the name; only an editor that jumps needs more.
      return SourceLocation(fileID: fileID, filePath: fileID, line: Int(site.line), column: 1)
    }
    var location = location
    location.line = Int(site.line)
    location.column = 1
    return location
  }
}
