import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@Suite("A body for the main actor")
struct OnMainTests {
  @Test("runs as a foreground task where the test steps on the main actor")
  @MainActor
  func onMain() throws {
    let dispatcher = RecordingDispatcher()
    let notes = MainNotes()
    dispatcher.foreground.async(label: "before") {}
    dispatcher.foreground.onMain {
      notes.all.append("main, foreground: \(dispatcher.isForeground)")
    }
    #expect(notes.all.isEmpty)

    try dispatcher.runUntilIdle()

    #expect(notes.all == ["main, foreground: true"])
    try dispatcher.finish()
  }

  @Test("traps when the test steps it on another thread")
  func elsewhere() async {
    let result = await #expect(processExitsWith: .failure) {
      let dispatcher = RecordingDispatcher()
      dispatcher.foreground.onMain {}
      onAnotherThread { _ = try? dispatcher.runUntilIdle() }
    }
    #expect(result != nil)
  }

  @Test("traps on any queue but the foreground")
  func onBackground() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      RecordingDispatcher().makeQueue(label: "disk", width: 1).onMain {}
    }
    #expect(result?.said("onMain needs the foreground, not disk") == true)
  }

  @Test("is refused as any other once shutdown has begun")
  func refused() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.beginShutdown()

    #expect(dispatcher.foreground.onMain {} == .refused(.shutDown))

    try dispatcher.finish()
  }

  @MainActor
  private final class MainNotes {
    var all: [String] = []
  }
}
