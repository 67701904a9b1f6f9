public import TaskDispatchTesting

/// Runs `body` with a ``RecordingDispatcher`` of its own that is current there, and finishes it: the
/// trait `.dispatcher()` for an `XCTestCase`, or for a part of any test.
///
/// ```swift
/// func testCounts() throws {
///   try withRecordingDispatcher { dispatcher in
///     …
///   }
/// }
/// ```
///
/// What `finish()` throws is a failure of the test at the line of this call, with the end of the
/// timeline in it; a use of a dispatcher whose policy is `.unimplemented` is one too, and names the
/// caller. If `body` throws, what it leaves over is told and is no failure by itself. Which of the
/// two frameworks runs is found out when there is something to tell.
///
/// - Parameters:
///   - configuration: A width, a step limit or a limit below 1 traps.
///   - body: Runs at once, on this thread.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws, after the dispatcher is finished. What `finish()` throws goes to
///   the test framework and not to the caller.
/// - Note: Any thread, any number at a time. From a thread or a detached Task that is not the
///   test's, Swift Testing counts the failure for the run and cannot say which test it belongs to.
@discardableResult
public func withRecordingDispatcher<Result, Failure: Error>(
  _ configuration: RecordingDispatcher.Configuration = RecordingDispatcher.Configuration(),
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
  column: UInt = #column, _ body: (RecordingDispatcher) throws(Failure) -> Result
) throws(Failure) -> Result {
  let place = Place(fileID: fileID, filePath: filePath, line: line, column: column)
  return try RecordingScope(configuration, at: place).run(body)
}

/// As the synchronous form, for a `body` that suspends.
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
