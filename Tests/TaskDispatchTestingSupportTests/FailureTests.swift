import Testing

@Suite("In a process of its own, a test of Swift Testing")
struct SwiftTestingFailureTests {
  @Test(
    "passes if it leaves nothing",
    arguments: ["leavesWork", "throwsError", "usesDispatcher", "detached"])
  func passes(test: String) async throws {
    let run = try await ProcessOfItsOwn(.swiftTesting, "FailingFixture/\(test)", failing: false)

    #expect(run.status == 0, "\(run.output)")
    #expect(run.says("Test run with 1 test", "passed"), "\(run.output)")
  }

  @Test("fails at its line if it leaves work, and shows the chain and the timeline")
  func leavesWork() async throws {
    let run = try await ProcessOfItsOwn(.swiftTesting, "FailingFixture/leavesWork", failing: true)

    let place = "FailingFixtures.swift:\(FailingFixture.leavesWorkLine):"
    #expect(run.status == 1, "\(run.output)")
    #expect(run.says("Test leavesWork() recorded an issue at \(place)"), "\(run.output)")
    #expect(run.says("1 task was left over"), "\(run.output)")
    #expect(run.says("#2 \"show\" on foreground", "FailingFixtures.swift:"), "\(run.output)")
    #expect(run.says("submitted by #1 \"hash\" on background"), "\(run.output)")
    #expect(run.says("0 s   + #2 \"show\""), "\(run.output)")
    #expect(run.says("Attached 'timeline.txt' to leavesWork()"), "\(run.output)")
    #expect(run.says("Test run with 1 test", "failed", "with 1 issue."), "\(run.output)")
  }

  @Test("fails for its own error alone if it throws, and warns of what it left")
  func throwsError() async throws {
    let run = try await ProcessOfItsOwn(.swiftTesting, "FailingFixture/throwsError", failing: true)

    let place = "FailingFixtures.swift:\(FailingFixture.throwsErrorLine):"
    #expect(run.status == 1, "\(run.output)")
    #expect(run.says("recorded a warning at \(place)"), "\(run.output)")
    #expect(run.says("recorded an issue at \(place)", "SomeError()"), "\(run.output)")
    #expect(run.says("failed", "with 2 issues (including 1 warning)."), "\(run.output)")
  }

  @Test("fails at the line of a use that it did not expect")
  func usesDispatcher() async throws {
    let run = try await ProcessOfItsOwn(
      .swiftTesting, "FailingFixture/usesDispatcher", failing: true)

    let place = "FailingFixtures.swift:\(FailingFixture.usesDispatcherLine)"
    #expect(run.status == 1, "\(run.output)")
    #expect(run.says("usesDispatcher() recorded an issue at \(place):"), "\(run.output)")
    #expect(run.says("did not expect to be used was used, by ", "/\(place)."), "\(run.output)")
  }

  @Test("fails its run also from a Task that belongs to no test")
  func detached() async throws {
    let run = try await ProcessOfItsOwn(.swiftTesting, "FailingFixture/detached", failing: true)

    let place = "FailingFixtures.swift:\(FailingFixture.detachedLine):"
    #expect(run.status == 1, "\(run.output)")
    #expect(run.says("recorded an issue at \(place)"), "\(run.output)")
    #expect(run.says("1 task was left over"), "\(run.output)")
  }
}

@Suite("In a process of its own, a test of XCTest")
struct XCTestFailureTests {
  @Test(
    "passes if it leaves nothing",
    arguments: [
      "testLeavesWork", "testLeavesWorkInTask", "testThrowsError", "testUsesDispatcher",
    ])
  func passes(test: String) async throws {
    let run = try await ProcessOfItsOwn(.xctest, "FailingXCTestFixture/\(test)", failing: false)

    #expect(run.status == 0, "\(run.output)")
    #expect(run.says("Executed 1 test, with 0 failures"), "\(run.output)")
  }

  @Test("fails at the caller's line if it leaves work, and shows the chain and the timeline")
  func leavesWork() async throws {
    let run = try await ProcessOfItsOwn(
      .xctest, "FailingXCTestFixture/testLeavesWork", failing: true)

    let place = "FailingFixtures.swift:\(FailingXCTestFixture.leavesWorkLine)"
    let name = "FailingXCTestFixture.testLeavesWork"
    #expect(run.status == 1, "\(run.output)")
    #expect(
      run.says("/\(place): error: \(name) : failed - 1 task was left over"), "\(run.output)")
    #expect(run.says("#2 \"show\" on foreground", "FailingFixtures.swift:"), "\(run.output)")
    #expect(run.says("submitted by #1 \"hash\" on background"), "\(run.output)")
    #expect(run.says("0 s   + #2 \"show\""), "\(run.output)")
    #expect(run.says("Executed 1 test, with 1 failure (0 unexpected)"), "\(run.output)")
  }

  @Test("fails at the caller's line in an asynchronous test too")
  func leavesWorkInTask() async throws {
    let run = try await ProcessOfItsOwn(
      .xctest, "FailingXCTestFixture/testLeavesWorkInTask", failing: true)

    let place = "FailingFixtures.swift:\(FailingXCTestFixture.leavesWorkInTaskLine)"
    #expect(run.status == 1, "\(run.output)")
    #expect(run.says("/\(place): error: ", "1 task was left over"), "\(run.output)")
    #expect(run.says("Executed 1 test, with 1 failure (0 unexpected)"), "\(run.output)")
  }

  @Test("fails for its own error alone if it throws, and warns of what it left")
  func throwsError() async throws {
    let run = try await ProcessOfItsOwn(
      .xctest, "FailingXCTestFixture/testThrowsError", failing: true)

    let place = "FailingFixtures.swift:\(FailingXCTestFixture.throwsErrorLine)"
    #expect(run.status == 1, "\(run.output)")
    #expect(
      run.says("/\(place): warning: This test threw before its end: that error is the failure."),
      "\(run.output)")
    #expect(run.says("error: ", "threw error \"SomeError()\""), "\(run.output)")
    #expect(run.says("Executed 1 test, with 1 failure (1 unexpected)"), "\(run.output)")
  }

  @Test("fails at the line of a use that it did not expect")
  func usesDispatcher() async throws {
    let run = try await ProcessOfItsOwn(
      .xctest, "FailingXCTestFixture/testUsesDispatcher", failing: true)

    let place = "FailingFixtures.swift:\(FailingXCTestFixture.usesDispatcherLine)"
    #expect(run.status == 1, "\(run.output)")
    #expect(
      run.says("/\(place): error: ", "did not expect to be used was used, by "),
      "\(run.output)")
  }
}
