import TaskDispatch
import TaskDispatchTesting
import TaskDispatchTestingSupport
import Testing

@Suite("withRecordingDispatcher in a test of Swift Testing")
struct WithRecordingDispatcherTests {
  @Test("makes its dispatcher current, and hands it to the body")
  func isCurrent() {
    withRecordingDispatcher { dispatcher in
      #expect(RecordingDispatcher.current === dispatcher)
    }

    #expect(RecordingDispatcher.current == nil)
  }

  @Test("makes the dispatcher with the configuration")
  func takesConfiguration() {
    withRecordingDispatcher(.init(width: 7)) { #expect($0.configuration.width == 7) }
  }

  @Test("returns what the body returns")
  func returnsValue() async {
    let value = withRecordingDispatcher { _ in 1 }
    let awaited = await withRecordingDispatcher { _ in await Task { 2 }.value }

    #expect([value, awaited] == [1, 2])
  }

  @Test("throws what the body throws, and restores what was current")
  func throwsTyped() {
    let outer = RecordingDispatcher()

    withDispatcher(outer) { () throws(Never) in
      do throws(SomeError) {
        try withRecordingDispatcher { _ throws(SomeError) in throw SomeError() }
        Issue.record("it threw nothing")
      } catch {
        #expect(RecordingDispatcher.current === outer)
      }
    }
  }

  @Test(
    "has finished the dispatcher when it returns, and when it throws", arguments: [false, true])
  func finishes(throwing: Bool) async {
    var dispatcher: RecordingDispatcher?

    try? withRecordingDispatcher {
      dispatcher = $0
      if throwing { throw SomeError() }
    }

    #expect(dispatcher?.background {} == .refused(.shutDown))
  }

  @Test("stays on the actor that calls it")
  func staysOnActor() async {
    await Task { @MainActor in
      var visits = 0  // Not Sendable, and isolated to the main actor.
      await withRecordingDispatcher { _ in
        MainActor.assertIsolated()
        await Task { @MainActor in }.value
        visits += 1
      }
      #expect(visits == 1)
    }.value
  }

  @Test("of two, the inner one is current")
  func nests() {
    withRecordingDispatcher { outer in
      withRecordingDispatcher { inner in
        #expect(RecordingDispatcher.current === inner)
      }
      #expect(RecordingDispatcher.current === outer)
    }
  }

  @Test("fails the test at the caller's line for what was left")
  func failsAtTheCaller() async throws {
    let issues = await recordedIssues {
      withRecordingDispatcher { dispatcher in _ = dispatcher.background.async(label: "hash") {} }
    }

    let issue = try #require(issues.first)
    #expect(issues.count == 1)
    #expect(issue.isFailure)
    #expect(issue.sourceLocation?.fileID == #fileID)
    #expect(issue.sourceLocation?.filePath == #filePath)
    #expect(issue.sourceLocation?.line == #line - 8)
    #expect(issue.text.mentions(["left over", "#1 \"hash\" on background", #fileID]))
  }

  @Test("fails the test at the caller's line in its asynchronous form too")
  func asyncFailsAtTheCaller() async throws {
    let issues = await recordedIssues {
      await withRecordingDispatcher { dispatcher in
        await Task { _ = dispatcher.background.async(label: "hash") {} }.value
      }
    }

    #expect(issues.map(\.sourceLocation?.line) == [#line - 5])
  }

  @Test("only warns of what was left by a body that threw")
  func warnsAfterThrow() async {
    let issues = await recordedIssues {
      try withRecordingDispatcher { dispatcher in
        dispatcher.background.async(label: "hash") {}
        throw SomeError()
      }
    }

    #expect(issues.map(\.isFailure) == [false, true])
    #expect(issues.last?.error is SomeError)
  }

  @Test("only warns of it in its asynchronous form too")
  func asyncWarnsAfterThrow() async {
    let issues = await recordedIssues {
      try await withRecordingDispatcher { dispatcher in
        await Task { _ = dispatcher.background.async(label: "hash") {} }.value
        throw SomeError()
      }
    }

    #expect(issues.map(\.isFailure) == [false, true])
    #expect(issues.last?.error is SomeError)
  }
}
