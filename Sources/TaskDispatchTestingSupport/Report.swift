internal import TaskDispatch
internal import TaskDispatchTesting
internal import Testing
internal import XCTest

/// Reports to the test framework that a dispatcher was used that should not have been.
func report(unexpectedUse site: CallSite, near place: Place) {
  report(
    "A dispatcher that this test did not expect to be used was used, by \(site). Its policy is "
      + ".unimplemented: hand that code another one, or find out why it runs.",
    isFailure: true, at: place.location(of: site), near: place)
}

/// Reports to the test framework what `finish()` threw.
///
/// - Parameter bodyThrew: Whether the test threw. What it left over is then a consequence, and is reported as a
///   warning: no failure must stand before its cause.
func report(_ error: FinishError, _ story: Story, bodyThrew: Bool, at place: Place) {
  var message = error.description
  if bodyThrew {
    message =
      "This test threw before its end: that error is the failure. It left behind:\n\(message)"
  }
  if let end = story.end { message += "\nWhat happened:\n\(end)" }
  if let whole = story.whole, Test.current != nil {
    Attachment.record(whole, named: "timeline.txt", sourceLocation: place.location)
  }
  report(message, isFailure: !bodyThrew, at: place.location, near: place)
}

/// Reports to the framework that runs the test. No other code decides which framework that is.
private func report(
  _ message: String, isFailure: Bool, at location: SourceLocation, near place: Place
) {
  record(message, isFailure: isFailure, at: location)
  guard Test.current == nil else { return }
  // That report may be lost, because this is not the Task of a test. In a run of XCTest, the issue is dropped
  // silently. In a run of Swift Testing it counts, and XCTest reports nothing.
  let file = place.file ?? "unknown"
  let isInFile = location.fileID == place.location.fileID
  let line = UInt(isInFile ? location.line : place.location.line)
  if isFailure {
    XCTFail(message, file: file, line: line)
  } else {
    print("\(file):\(line): warning: \(message)")
  }
}

/// Records an issue with Swift Testing.
private func record(_ message: String, isFailure: Bool, at location: SourceLocation) {
  let comment = Comment(rawValue: message)
  #if compiler(>=6.3)
    Issue.record(comment, severity: isFailure ? .error : .warning, sourceLocation: location)
  #else
    // This version has no warnings.
    if isFailure {
      Issue.record(comment, sourceLocation: location)
    } else if Test.current != nil {
      print("warning at \(location): \(message)")
    }
  #endif
}
