public import TaskDispatchTesting

/// Runs `body` with a ``RecordingDispatcher`` of its own, which is current there, and finishes the dispatcher.
///
/// It does what the trait `.dispatcher()` does, for an `XCTestCase` or for a part of any test.
///
/// ```swift
/// func testCounts() throws {
///   try withRecordingDispatcher { dispatcher in
///     …
///   }
/// }
/// ```
///
/// An error of `finish()` is a failure of the test at the line of this call, and shows the end of the timeline. A use
/// of a dispatcher whose policy is `.unimplemented` is a failure as well, and names the caller. If `body` throws, what
/// it leaves over is reported and is no failure by itself. The call finds out which of the two frameworks runs when
/// there is something to report.
///
/// - Parameters:
///   - configuration: How the dispatcher is made. A width, a step limit or a limit below 1 traps.
///   - body: Runs at once, on this thread.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws, after the dispatcher is finished. An error of `finish()` goes to the test framework,
///   and not to the caller.
/// - Note: Any thread, any number of calls at a time. On a thread or in a detached Task that is not the test's, Swift
///   Testing counts a failure for the run, and cannot say which test it belongs to.
@discardableResult
public func withRecordingDispatcher<Result, Failure: Error>(
  _ configuration: RecordingDispatcher.Configuration = RecordingDispatcher.Configuration(),
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
  column: UInt = #column, _ body: (RecordingDispatcher) throws(Failure) -> Result
) throws(Failure) -> Result {
  let place = Place(fileID: fileID, filePath: filePath, line: line, column: column)
  return try RecordingScope(configuration, at: place).run(body)
}

/// Runs a `body` that suspends with a ``RecordingDispatcher`` of its own, and finishes the dispatcher: otherwise like
/// the synchronous form.
@discardableResult
nonisolated(nonsending) public func withRecordingDispatcher<Result>(
  _ configuration: RecordingDispatcher.Configuration = RecordingDispatcher.Configuration(),
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
  column: UInt = #column,
  _ body: nonisolated(nonsending) (RecordingDispatcher) async throws -> Result
) async rethrows -> Result {
  let place = Place(fileID: fileID, filePath: filePath, line: line, column: column)
  return try await RecordingScope(configuration, at: place).run(body)
}
