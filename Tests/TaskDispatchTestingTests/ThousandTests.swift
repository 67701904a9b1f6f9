import TaskDispatch
import TaskDispatchTesting
import Testing

/// Swift Testing runs the cases beside each other in one process. Each case has a fake of its own, finds it as
/// the current one, and sees nothing of the other 999.
@Suite("A thousand tests on fakes")
struct ThousandTests {
  @Test("step their own fake, in their own time, and see their own history", arguments: 0..<1000)
  func ownWorld(number: Int) throws {
    let dispatcher = RecordingDispatcher()
    try withDispatcher(dispatcher) {
      try Scene(number).play(on: dispatcher)
      #expect(Dispatchers.current === dispatcher)
    }
    try dispatcher.finish()
  }

  @Test("keep their own fake over suspensions, on whatever thread they go on", arguments: 0..<1000)
  func ownWorldAsync(number: Int) async throws {
    let dispatcher = RecordingDispatcher()
    try await withDispatcher(dispatcher) {
      await Task { #expect(Dispatchers.current === dispatcher) }.value
      try Scene(number).play(on: dispatcher)
      await Task.detached { #expect(RecordingDispatcher.current == nil) }.value
      #expect(Dispatchers.current === dispatcher)
    }
    try dispatcher.finish()
  }

  /// A little work on both lanes and a timer. It finds its dispatcher as the current one.
  private struct Scene {
    private let number: Int
    private let log = Log()

    init(_ number: Int) {
      self.number = number
    }

    func play(on dispatcher: RecordingDispatcher) throws {
      let label = "test \(number)"
      let delay = Duration.milliseconds(number + 1)
      let log = log
      Dispatchers.current.background.async(label: label) {
        #expect(Dispatchers.current === dispatcher)
        Dispatchers.current.foreground.async(label: label) { log.note("foreground") }
      }
      Dispatchers.current.foreground.after(delay, label: label) { log.note("timer") }

      try dispatcher.runNextBackgroundTask()
      #expect(log.all.isEmpty)
      try dispatcher.runNextForegroundTask()
      #expect(log.all == ["foreground"])
      try dispatcher.advanceToNextDeadline()

      #expect(log.all == ["foreground", "timer"])
      #expect(dispatcher.now.sinceStart == delay)
      #expect(dispatcher.history.count == 10)
      #expect(dispatcher.history.allSatisfy { $0.task.label == label })
      #expect(dispatcher.ran == [label, label, label])
    }
  }
}
