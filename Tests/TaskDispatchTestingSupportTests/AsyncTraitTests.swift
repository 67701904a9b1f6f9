import TaskDispatch
import TaskDispatchTesting
import TaskDispatchTestingSupport
import Testing

@Suite("An asynchronous test with the trait .dispatcher()", .dispatcher())
struct AsyncTraitTests {
  let dispatcher = RecordingDispatcher.current!

  @Test("drives a Task that sleeps, in virtual time")
  func drivesSleep() async throws {
    let task = Task(executorPreference: dispatcher.background.executor) {
      try await dispatcher.clock.sleep(for: .seconds(3600))
      return dispatcher.now
    }

    try dispatcher.advanceTime(by: .seconds(3600))

    #expect(try await task.value == DispatcherInstant(nanoseconds: 3_600_000_000_000))
  }

  // Many cases, because Swift decides on which thread the test continues.
  @Test(
    "may resume a Task of its dispatcher after it has itself moved to another thread",
    arguments: 0..<50)
  func movesToAnotherThread(number: Int) async throws {
    let waiting = Locked<CheckedContinuation<Int, Never>?>(nil)
    let task = Task(executorPreference: dispatcher.background.executor) {
      await withCheckedContinuation { continuation in waiting.withLock { $0 = continuation } }
    }
    try dispatcher.runUntilIdle()
    await Task.detached { await Task { @MainActor in }.value }.value

    waiting.withLock { $0 }?.resume(returning: number)
    try dispatcher.runUntilIdle()

    #expect(await task.value == number)
  }
}
