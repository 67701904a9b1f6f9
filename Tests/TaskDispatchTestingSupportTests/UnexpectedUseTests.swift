import TaskDispatch
import TaskDispatchTesting
import TaskDispatchTestingSupport
import Testing

@Suite("A use of a dispatcher that a test did not expect to be used")
struct UnexpectedUseTests {
  @Test("fails the test at the caller's file and line")
  func failsAtTheCaller() async throws {
    let line = #line + 2
    let issues = try await recordedIssues(with: .dispatcher(policy: .unimplemented)) {
      Dispatchers.current.background.async(label: "hash") {}
    }

    let issue = try #require(issues.first)
    #expect(issues.count == 1)
    #expect(issue.isFailure)
    #expect(issue.sourceLocation?.fileID == #fileID)
    #expect(issue.sourceLocation?.filePath == #filePath)
    #expect(issue.sourceLocation?.line == line)
    #expect(
      issue.text
        == "A dispatcher that this test did not expect to be used was used, by \(#fileID):\(line). "
        + "Its policy is .unimplemented: hand that code another one, or find out why it runs.")
  }

  @Test("fails it when it happens, before what comes of it")
  func failsAtOnce() async throws {
    let issues = try await recordedIssues(with: .dispatcher(policy: .unimplemented)) {
      Dispatchers.current.background {}
      throw SomeError()
    }

    #expect(issues.map(\.isFailure) == [true, true])
    #expect(issues.last?.error is SomeError)
  }

  @Test("fails it once for each use, also two of one line")
  func failsForEach() async throws {
    let issues = try await recordedIssues(with: .dispatcher(policy: .unimplemented)) {
      for _ in 0..<2 { Dispatchers.current.background {} }
      Dispatchers.current.foreground.after(.seconds(1)) {}
    }

    #expect(issues.count == 3)
  }

  @Test("fails the right test from a Task that is not the test's")
  func isSeenFromElsewhere() async throws {
    let line = #line + 3
    let issues = try await recordedIssues(with: .dispatcher(policy: .unimplemented)) {
      let dispatcher = Dispatchers.current
      await Task.detached { _ = dispatcher.background {} }.value
    }

    #expect(issues.map(\.sourceLocation?.line) == [line])
  }

  @Test(
    "fails it once for each use, also if one line is run here and in a Task that is not the test's")
  func isSeenFromBoth() async throws {
    let issues = try await recordedIssues(with: .dispatcher(policy: .unimplemented)) {
      let use = { @Sendable [dispatcher = Dispatchers.current] in _ = dispatcher.background {} }
      use()
      await Task.detached { use() }.value
    }

    #expect(issues.count == 2)
  }

  @Test("fails it also if the test has set a hook of its own")
  func isSeenWithAnotherHook() async throws {
    let issues = try await recordedIssues(with: .dispatcher(policy: .unimplemented)) {
      RecordingDispatcher.current?.onUnexpectedUse = { _ in }
      Dispatchers.current.background {}
    }

    #expect(issues.count == 1)
  }

  @Test("fails the test that runs a Swift Task on it")
  func isSwiftTask() async throws {
    let issues = try await recordedIssues(with: .dispatcher(policy: .unimplemented)) {
      _ = Task(executorPreference: Dispatchers.current.background.executor) {}
    }

    let issue = try #require(issues.first)
    #expect(issue.sourceLocation == Test.current?.sourceLocation)
    #expect(issue.text.contains("used, by a Swift Task."))
  }

  @Test("is put at the test's line if its own is unknown")
  func hasTheTestsLine() async throws {
    let issues = try await recordedIssues(with: .dispatcher(policy: .unimplemented)) {
      let dispatcher = Dispatchers.current.background.implementation
      for file: StaticString in ["", "unknown", "NoModule.swift", "/", "Module/"] {
        _ = dispatcher.post({}, on: dispatcher.background, at: CallSite(fileID: file, line: 1))
      }
      _ = dispatcher.post({}, on: dispatcher.background, at: CallSite(fileID: "M/F.swift", line: 0))
    }

    #expect(issues.count == 6)
    #expect(issues.allSatisfy { $0.sourceLocation == Test.current?.sourceLocation })
  }
}
