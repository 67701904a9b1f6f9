internal import TaskDispatch
internal import TaskDispatchTesting
internal import Testing
internal import XCTest

/// Tells the test framework that a dispatcher was used which should not have been.
func report(unexpectedUse site: CallSite, near place: Place) {
  report(
    "A dispatcher that this test did not expect to be used was used, by \(site). Its policy is "
      + ".unimplemented: hand that code another one, or find out why it runs.",
    isFailure: true, at: place.location(of: site), near: place)
}

/// Tells the test framework what `finish()` threw.
///
/// - Parameter bodyThrew: Then what it left over is a consequence, and no failure that could stand
///   before the cause.
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

/// Tells the framework that runs the test: the one place that decides which it is.
private func report(
  _ message: String, isFailure: Bool, at location: SourceLocation, near place: Place
) {
  record(message, isFailure: isFailure, at: location)
  guard Test.current == nil else { return }
  // Nobody may have heard that. In a run of XCTest the issue went nowhere, without a word; in one of
  // Swift Testing it counts, although this is not the Task of a test, and XCTest says nothing.
  let file = place.file ?? "unknown"
  let isInFile = location.fileID == place.location.fileID
  let line = UInt(isInFile ? location.line : place.location.line)
  if isFailure {
    XCTFail(message, file: file, line: line)
  } else {
    print("\(file):\(line): warning: \(message)")
  }
}

/// Tells Swift Testing.
private func record(_ message: String, isFailure: Bool, at location: SourceLocation) {
  let comment = Comment(rawValue: message)
  #if compiler(>=6.3)
    Issue.record(comment, severity: isFailure ? .error : .warning, sourceLocation: location)
  #else
    // It has no warnings yet.
    if isFailure {
      Issue.record(comment, sourceLocation: location)
    } else if Test.current != nil {
      print("warning at \(location): \(message)")
    }
  #endif
}
