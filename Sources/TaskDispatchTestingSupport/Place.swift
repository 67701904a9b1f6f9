internal import TaskDispatch
internal import Testing

/// A place in the source of a test, in the form that each test framework needs.
struct Place: Sendable {
  let location: SourceLocation
  /// The path, for XCTest, which takes only a literal. Nil for a place that came from Swift Testing.
  let file: StaticString?

  /// Makes the place of a caller that may not import Testing: there, `#_sourceLocation` would not expand.
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

  /// The place of a submission, or this place if that one is not known.
  func location(of site: CallSite) -> SourceLocation {
    let fileID = site.fileID
    // `SourceLocation` traps if the identifier is not `Module/File.swift`, or if there is no line.
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
