import TaskDispatch
import TaskDispatchTesting
import Testing

@Suite("A reply")
struct ReplyOfFunctionTests {
  @Sendable private static func measure() throws -> Int { 12 }

  @Test("takes functions, and not closures alone")
  func functions() throws {
    let dispatcher = RecordingDispatcher()
    let shown = Slot<Int>()
    let show: @Sendable (Result<Int, any Error>) -> Void = { shown.value = try? $0.get() }

    dispatcher.background(Self.measure, then: show)
    try dispatcher.runNextBackgroundTask()
    #expect(shown.value == nil)
    try dispatcher.runNextForegroundTask()

    #expect(shown.value == 12)
    try dispatcher.finish()
  }
}
