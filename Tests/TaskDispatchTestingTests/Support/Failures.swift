import TaskDispatch
import TaskDispatchTesting
import Testing

/// The step error that `body` throws. Records an issue if it throws none.
func stepError(
  sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) -> StepError? {
  #expect(throws: StepError.self, sourceLocation: sourceLocation) { try body() }
}

/// The refusal that `body` throws. Records an issue if it throws none.
func waitRefusal(
  sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) -> WaitRefusal? {
  #expect(throws: WaitRefusal.self, sourceLocation: sourceLocation) { try body() }
}

/// The error that `finish()` throws. Records an issue if it throws none.
func finishError(
  _ dispatcher: RecordingDispatcher, sourceLocation: SourceLocation = #_sourceLocation
) -> FinishError? {
  #expect(throws: FinishError.self, sourceLocation: sourceLocation) { try dispatcher.finish() }
}

extension [PendingTask] {
  /// The labels by which messages name the tasks; `nil` for a task without one.
  var labels: [String?] { map(\.task.label) }
}
