import Dispatch
import Synchronization
import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@Suite("While a test steps, another thread")
struct RunningTasksOnAnotherThreadTests {
  /// ThreadSanitizer finds the race that this test alone would find once in a thousand runs.
  @Test("may ask what runs: it sees tasks that have begun, whole")
  func runningTasks() throws {
    let dispatcher = RecordingDispatcher()
    let (isOver, looked) = (Flag(), Flag())
    let end = OtherThread {
      while !isOver.isRaised {
        for task in dispatcher.runningTasks { precondition(task.queue == "background") }
        looked.raise()
      }
    }
    while !looked.isRaised {}
    for _ in 0..<2_000 {
      let captured = Log()
      dispatcher.background { captured.note("ran") }
      try dispatcher.runNextBackgroundTask()
      #expect(captured.all == ["ran"])
    }
    isOver.raise()
    #expect(end.join())
    try dispatcher.finish()
  }
}
