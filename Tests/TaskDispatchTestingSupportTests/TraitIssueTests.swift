import TaskDispatch
import TaskDispatchTesting
import TaskDispatchTestingSupport
import Testing

@Suite("After a test, the trait .dispatcher()")
struct TraitIssueTests {
  @Test("says nothing of a test that left nothing")
  func saysNothing() async throws {
    let issues = try await recordedIssues(with: .dispatcher()) {
      Dispatchers.current.background {}
      try RecordingDispatcher.current?.runUntilIdle()
    }

    #expect(issues.isEmpty)
  }

  @Test("fails a test that left work, at the test's line")
  func failsAtTheTest() async throws {
    let issues = try await recordedIssues(with: .dispatcher()) {
      Dispatchers.current.background.async(label: "hash") {}
    }

    let issue = try #require(issues.first)
    #expect(issues.count == 1)
    #expect(issue.isFailure)
    #expect(issue.sourceLocation == Test.current?.sourceLocation)
    #expect(issue.text.mentions(["left over", "#1 \"hash\" on background", #fileID]))
  }

  @Test("names the tasks that led to one that was left")
  func namesTheChain() async throws {
    let issues = try await recordedIssues(with: .dispatcher()) {
      let dispatcher = try #require(RecordingDispatcher.current)
      dispatcher.foreground.async(label: "grandparent") {
        dispatcher.background.async(label: "parent") {
          dispatcher.foreground.async(label: "child") {}
        }
      }
      try dispatcher.runNextForegroundTask()
      try dispatcher.runNextBackgroundTask()
    }

    let text = try #require(issues.first).text
    #expect(
      text.mentions([
        "left over", "#3 \"child\" on foreground", "submitted by #2 \"parent\" on background",
        "submitted by #1 \"grandparent\" on foreground", "What happened:",
      ]))
  }

  @Test("shows the timeline, without what finish() itself cancelled")
  func showsTimeline() async throws {
    let issues = try await recordedIssues(with: .dispatcher()) {
      let dispatcher = try #require(RecordingDispatcher.current)
      dispatcher.background.async(label: "hash") { dispatcher.foreground.async(label: "show") {} }
      try dispatcher.runNextBackgroundTask()
    }

    let text = try #require(issues.first).text
    #expect(
      text.hasSuffix(
        """
        What happened:
        time  foreground   background
        0 s                + #1 "hash"
        0 s                ▶ #1 "hash"
        0 s   + #2 "show"
        0 s                ✓ #1 "hash"
        """))
  }

  @Test("shows only the end of a long timeline")
  func shortensTimeline() async throws {
    let issues = try await recordedIssues(with: .dispatcher()) {
      for _ in 0..<100 { Dispatchers.current.background {} }
      try RecordingDispatcher.current?.runUntilIdle()
      Dispatchers.current.background.async(label: "hash") {}
    }

    let lines = try #require(issues.first).text.split(separator: "\n")
    #expect(lines.contains("(271 earlier events are not shown)"))
    #expect(lines.last?.hasSuffix("+ #101 \"hash\"") == true)
  }

  @Test("shows no timeline of a dispatcher that keeps no history")
  func showsNoTimeline() async throws {
    let issues = try await recordedIssues(with: .dispatcher(.init(recordsHistory: false))) {
      Dispatchers.current.background.async(label: "hash") {}
    }

    let text = try #require(issues.first).text
    #expect(text.contains("left over"))
    #expect(!text.contains("What happened:"))
  }

  @Test("reports what a body threw")
  func reportsThrown() async throws {
    let issues = try await recordedIssues(with: .dispatcher()) {
      Dispatchers.current.background.submit(label: "hash") { throw SomeError() }
      try RecordingDispatcher.current?.runUntilIdle()
    }

    #expect(issues.count == 1)
    #expect(try #require(issues.first).text.mentions(["threw", "\"hash\"", "SomeError()"]))
  }

  @Test("reports both of two nested dispatchers")
  func reportsNested() async throws {
    let test = try #require(Test.current)
    let issues = try await recordedIssues(with: .dispatcher()) {
      Dispatchers.current.background.async(label: "outer") {}
      try await DispatcherTrait.dispatcher().provideScope(for: test, testCase: nil) {
        Dispatchers.current.background.async(label: "inner") {}
      }
      Dispatchers.current.background.async(label: "outer again") {}
    }

    #expect(issues.map { $0.text.contains("\"inner\"") } == [true, false])
    #expect(issues.map { $0.text.contains("\"outer again\"") } == [false, true])
  }

  @Test(
    "makes what was current before current again, also if the test threw", arguments: [false, true])
  func restores(throwing: Bool) async throws {
    let outer = RecordingDispatcher()

    let issues = try await withDispatcher(outer) {
      let issues = try await recordedIssues(with: .dispatcher()) {
        #expect(RecordingDispatcher.current !== outer)
        if throwing { throw SomeError() }
      }
      #expect(RecordingDispatcher.current === outer)
      return issues
    }

    #expect(issues.map { $0.error as? SomeError } == (throwing ? [SomeError()] : []))
  }
}

@Suite("After a test that threw, the trait .dispatcher()")
struct TraitAfterThrowTests {
  @Test("warns of what was left, and leaves the failure to the error")
  func warns() async throws {
    let issues = try await recordedIssues(with: .dispatcher()) {
      Dispatchers.current.background.async(label: "hash") {}
      throw SomeError()
    }

    #expect(issues.map(\.isFailure) == [false, true])
    #expect(
      try #require(issues.first).text.hasPrefix(
        "This test threw before its end: that error is the failure. It left behind:\n1 task was"))
    #expect(issues.last?.error is SomeError)
  }

  @Test("has finished the dispatcher")
  func finishes() async throws {
    let dispatcher = Locked<RecordingDispatcher?>(nil)

    _ = try await recordedIssues(with: .dispatcher()) {
      dispatcher.withLock { $0 = RecordingDispatcher.current }
      throw SomeError()
    }

    let finished = try #require(dispatcher.withLock { $0 })
    #expect(finished.background {} == .refused(.shutDown))
  }

  @Test("says nothing more of a test whose own finish() threw")
  func saysItOnce() async throws {
    let issues = try await recordedIssues(with: .dispatcher()) {
      Dispatchers.current.background.async(label: "hash") {}
      try RecordingDispatcher.current?.finish()
    }

    #expect(issues.count == 1)
    #expect(issues.first?.error is FinishError)
  }
}
