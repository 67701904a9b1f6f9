import TaskDispatch
import TaskDispatchTesting
import TaskDispatchTestingSupport
import Testing
import XCTest

// Tests that pass, and that fail where an environment variable says so. They fail in a `ProcessOfItsOwn`, whose
// output other tests compare. The lines that those tests expect are noted here, next to the code that stands on
// them.

@Suite("A test that fails where it is told to")
struct FailingFixture {
  static let leavesWorkLine = #line + 1
  @Test(.dispatcher())
  func leavesWork() throws {
    let dispatcher = try #require(RecordingDispatcher.current)
    dispatcher.background.async(label: "hash") { dispatcher.foreground.async(label: "show") {} }
    try dispatcher.runNextBackgroundTask()
    if !ProcessOfItsOwn.isThis { try dispatcher.runNextForegroundTask() }
  }

  static let throwsErrorLine = #line + 1
  @Test(.dispatcher())
  func throwsError() throws {
    let dispatcher = try #require(RecordingDispatcher.current)
    dispatcher.background.async(label: "hash") {}
    if ProcessOfItsOwn.isThis { throw SomeError() }
    try dispatcher.runNextBackgroundTask()
  }

  static let usesDispatcherLine = #line + 3
  @Test(.dispatcher(policy: .unimplemented))
  func usesDispatcher() {
    if ProcessOfItsOwn.isThis { Dispatchers.current.background {} }
  }

  static let detachedLine = #line + 4
  @Test
  func detached() async {
    await Task.detached {
      withRecordingDispatcher { dispatcher in
        if ProcessOfItsOwn.isThis { dispatcher.background.async(label: "hash") {} }
      }
    }.value
  }
}

final class FailingXCTestFixture: XCTestCase {
  static let leavesWorkLine = #line + 2
  func testLeavesWork() throws {
    try withRecordingDispatcher { dispatcher in
      dispatcher.background.async(label: "hash") { dispatcher.foreground.async(label: "show") {} }
      try dispatcher.runNextBackgroundTask()
      if !ProcessOfItsOwn.isThis { try dispatcher.runNextForegroundTask() }
    }
  }

  static let leavesWorkInTaskLine = #line + 2
  func testLeavesWorkInTask() async throws {
    try await withRecordingDispatcher { dispatcher in
      await Task { _ = dispatcher.background.async(label: "hash") {} }.value
      if !ProcessOfItsOwn.isThis { try dispatcher.runNextBackgroundTask() }
    }
  }

  static let throwsErrorLine = #line + 2
  func testThrowsError() throws {
    try withRecordingDispatcher { dispatcher in
      dispatcher.background.async(label: "hash") {}
      if ProcessOfItsOwn.isThis { throw SomeError() }
      try dispatcher.runNextBackgroundTask()
    }
  }

  static let usesDispatcherLine = #line + 3
  func testUsesDispatcher() {
    withRecordingDispatcher(.init(policy: .unimplemented)) { dispatcher in
      if ProcessOfItsOwn.isThis { dispatcher.background {} }
    }
  }
}
