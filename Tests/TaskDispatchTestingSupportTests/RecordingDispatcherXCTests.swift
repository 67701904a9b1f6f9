import TaskDispatch
import TaskDispatchTesting
import TaskDispatchTestingSupport
import XCTest

/// XCTest tests of `withRecordingDispatcher`: each test calls it.
final class RecordingDispatcherXCTests: XCTestCase {
  func testMakesItsDispatcherCurrentForTheBody() throws {
    try withRecordingDispatcher { dispatcher in
      Dispatchers.current.background {}
      XCTAssertEqual(dispatcher.pendingTasks.count, 1)
      try dispatcher.runNextBackgroundTask()
    }

    XCTAssertNil(RecordingDispatcher.current)
  }

  func testMakesTheDispatcherWithTheConfiguration() {
    withRecordingDispatcher(.init(width: 7)) { dispatcher in
      XCTAssertEqual(dispatcher.configuration.width, 7)
    }
  }

  func testReturnsWhatTheBodyReturns() async {
    let value = await withRecordingDispatcher { dispatcher in
      await Task { RecordingDispatcher.current === dispatcher }.value
    }

    XCTAssertTrue(value)
  }

  func testThrowsWhatTheBodyThrowsAndRestoresWhatWasCurrent() {
    let outer = RecordingDispatcher()

    withDispatcher(outer) { () throws(Never) in
      XCTAssertThrowsError(try withRecordingDispatcher { _ in throw SomeError() })
      XCTAssertIdentical(RecordingDispatcher.current, outer)
    }
  }

  func testDrivesATaskThatSleepsInVirtualTime() async throws {
    try await withRecordingDispatcher { dispatcher in
      let task = Task(executorPreference: dispatcher.background.executor) {
        try await dispatcher.clock.sleep(for: .seconds(3600))
        return dispatcher.now
      }
      try dispatcher.advanceTime(by: .seconds(3600))

      let end = try await task.value
      XCTAssertEqual(end, DispatcherInstant(nanoseconds: 3_600_000_000_000))
    }
  }
}

/// XCTest tests of a class that calls `withRecordingDispatcher` in `invokeTest`: `setUp` and the test find that
/// dispatcher as the current one.
final class RecordingDispatcherForAClassXCTests: XCTestCase {
  private static let seen = Locked<[RecordingDispatcher]>([])
  private var dispatcher: RecordingDispatcher!

  override func invokeTest() {
    withRecordingDispatcher { _ in super.invokeTest() }
  }

  override func setUp() {
    dispatcher = RecordingDispatcher.current
  }

  func testIsCurrentInATest() throws {
    try assertIsMineAlone()

    Dispatchers.current.background {}
    try dispatcher.runNextBackgroundTask()
  }

  func testIsCurrentInAnAsynchronousTest() async throws {
    try assertIsMineAlone()

    let task = Task(executorPreference: dispatcher.foreground.executor) { 1 }
    try dispatcher.runUntilIdle()
    let value = await task.value
    XCTAssertEqual(value, 1)
  }

  private func assertIsMineAlone() throws {
    let dispatcher = try XCTUnwrap(dispatcher)
    XCTAssertIdentical(RecordingDispatcher.current, dispatcher)
    let isNew = Self.seen.withLock { seen in
      defer { seen.append(dispatcher) }
      return !seen.contains { $0 === dispatcher }
    }
    XCTAssertTrue(isNew)
  }
}
