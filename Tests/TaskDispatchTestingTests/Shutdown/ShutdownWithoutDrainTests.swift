import TaskDispatch
import TaskDispatchTesting
import Testing

@Suite("A shutdown without time to drain, begun in a body")
struct ShutdownWithoutDrainTests {
  @Test(
    "lets nothing more start, however the fake is driven",
    arguments: [
      "step by step", "until idle", "until a condition", "the foreground until idle",
    ])
  func letsNothingStart(driven: String) throws {
    let dispatcher = RecordingDispatcher()
    let ran = Confined(0, to: dispatcher.foreground)
    for _ in 0..<5 {
      dispatcher.foreground {
        ran.withValue { $0 += 1 }
        dispatcher.beginShutdown(ShutdownPolicy(drain: .zero, cancel: .zero))
      }
    }

    switch driven {
    case "step by step":
      try dispatcher.runNextForegroundTask()
      #expect(throws: StepError.self) { try dispatcher.runNextForegroundTask() }
    case "until idle": try dispatcher.runUntilIdle()
    case "until a condition": try dispatcher.run(until: { dispatcher.report != nil })
    default: try dispatcher.runForegroundUntilIdle()
    }

    #expect(ran.withValue { $0 } == 1)
    #expect(dispatcher.report?.ledger.cancelled == 4)
  }
}
