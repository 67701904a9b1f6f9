import TaskDispatch
import TaskDispatchTesting
import Testing

/// Documentation/ReplacedDispatcher.md shows the type and the first test.
@Suite("The first idea: a dispatcher replaced in a test's scope")
struct ReplacedDispatcherRecipeTests {
  /// Counts words off the loop. It is made deep inside other code, which has no dispatcher to hand
  /// to it. So it asks for the current one.
  struct WordCounter {
    func count(
      _ text: String, priority: PriorityBand = .medium,
      then show: @escaping @Sendable (Int) -> Void
    ) {
      let dispatcher = Dispatchers.current
      dispatcher.background.async(priority: priority, label: "count") {
        let words = text.split(separator: " ").count
        dispatcher.foreground.async(label: "show") { show(words) }
      }
    }
  }

  @Test("shows a count when the test has stepped both lanes, and not before")
  func showsACountWhenStepped() throws {
    let fake = RecordingDispatcher()
    let shown = Confined([Int](), to: fake.foreground)

    try withDispatcher(fake) {
      WordCounter().count("a replaced dispatcher") { words in shown.withValue { $0 += [words] } }
      try fake.runNextBackgroundTask()
      #expect(shown.withValue { $0 } == [])
      try fake.runNextForegroundTask()
    }

    #expect(shown.withValue { $0 } == [3])
    try fake.finish()
  }

  @Test("throws when a step finds nothing queued, and names what is queued elsewhere")
  func throwsWhenNothingIsQueued() throws {
    let fake = RecordingDispatcher()

    withDispatcher(fake) { WordCounter().count("one") { _ in } }

    let error = #expect(throws: StepError.self) { try fake.runNextForegroundTask() }
    guard case .nothingQueued(_, let elsewhere, nil) = error else {
      Issue.record("another error: \(String(describing: error))")
      return
    }
    #expect(elsewhere.map(\.task.label) == ["count"])
    try fake.runUntilIdle()
    try fake.finish()
  }

  @Test("gives the scope around it back when a body throws")
  func restoresOnAThrow() throws {
    struct Stopped: Error {}
    let outer = RecordingDispatcher()
    let inner = RecordingDispatcher()

    withDispatcher(outer) {
      #expect(throws: Stopped.self) {
        try withDispatcher(inner) {
          #expect(RecordingDispatcher.current === inner)
          throw Stopped()
        }
      }
      #expect(RecordingDispatcher.current === outer)
    }

    #expect(RecordingDispatcher.current == nil)
  }

  @Test("makes the fake current inside the bodies that it runs, also outside the scope")
  func isCurrentInsideBodies() throws {
    let fake = RecordingDispatcher()
    let shown = Confined([Int](), to: fake.foreground)

    fake.background {
      WordCounter().count("inside bodies") { words in shown.withValue { $0 += [words] } }
    }
    try fake.runUntilIdle()

    #expect(shown.withValue { $0 } == [2])
    try fake.finish()
  }

  @Test("runs the urgent count first, although it was submitted last")
  func runsTheUrgentFirst() throws {
    let fake = RecordingDispatcher()
    let shown = Confined([Int](), to: fake.foreground)

    try withDispatcher(fake) {
      for (text, priority) in [("one", PriorityBand.low), ("a b", .medium), ("a b c", .high)] {
        WordCounter().count(text, priority: priority) { words in shown.withValue { $0 += [words] } }
      }
      try fake.runUntilIdle()
    }

    #expect(shown.withValue { $0 } == [3, 2, 1])
    try fake.finish()
  }

  @Test("needs no steps in automatic mode, and still never runs a body inside another")
  func runsByItself() throws {
    let fake = RecordingDispatcher(.init(policy: .automatic))
    let shown = Confined([Int](), to: fake.foreground)

    withDispatcher(fake) {
      WordCounter().count("it runs by itself") { words in shown.withValue { $0 += [words] } }
    }

    #expect(shown.withValue { $0 } == [4])
    let bodies = fake.history.filter { $0.kind == .started || $0.kind == .finished(.completed) }
    #expect(bodies.map(\.task.label) == ["count", "count", "show", "show"])
    try fake.finish()
  }
}
