import TaskDispatch
import TaskDispatchTesting
import Testing

/// Documentation/LaneNesting.md shows the type, the hooks and the first test.
@Suite("The fourth idea: offload, main and after, and hooks that show the nesting of lanes")
struct LaneNestingRecipeTests {
  /// What most code needs of a dispatcher, in three verbs.
  struct Work {
    let dispatcher: any TaskDispatcher

    /// Off the loop, to a worker.
    func offload(
      fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable () -> Void
    ) {
      dispatcher.background(fileID: fileID, line: line, body)
    }

    /// Onto the loop's thread.
    func main(
      fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable () -> Void
    ) {
      dispatcher.foreground(fileID: fileID, line: line, body)
    }

    /// Onto the loop's thread, later.
    @discardableResult
    func after(
      _ delay: Duration, fileID: StaticString = #fileID, line: UInt = #line,
      _ body: @escaping @Sendable () -> Void
    ) -> TimerHandle {
      dispatcher.foreground.after(delay, fileID: fileID, line: line, body)
    }
  }

  /// Writes down each body that a fake enters and leaves, indented by what is around it.
  func traceLanes(of fake: RecordingDispatcher, into note: @escaping @Sendable (String) -> Void) {
    // Weak: the fake keeps its hooks, so a hook that kept the fake would keep both for ever.
    let margin: @Sendable () -> String = { [weak fake] in
      String(repeating: "  ", count: (fake?.runningTasks.count ?? 1) - 1)
    }
    fake.onEnter = { note(margin() + "\($0.lane) {") }
    fake.onExit = { _ in note(margin() + "}") }
  }

  /// A job that goes to a worker, comes back, and is heard of once more a second later.
  func importFile(_ work: Work) {
    work.offload {
      work.main {
        work.after(.seconds(1)) {}
      }
    }
  }

  @Test("runs each body inside the one that submitted it when the fake runs inline")
  func nestsInline() throws {
    let inline = RecordingDispatcher(.init(policy: .inline))
    let trace = Trace()
    traceLanes(of: inline) { trace.note($0) }

    importFile(Work(dispatcher: inline))
    #expect(trace.lines == ["background {", "  foreground {", "  }", "}"])
    trace.clear()
    try inline.advanceTime(by: .seconds(1))

    #expect(trace.lines == ["foreground {", "}"])
    try inline.finish()
  }

  @Test("runs no body inside another when the test steps, as on threads")
  func doesNotNestInSteps() throws {
    let fake = RecordingDispatcher()
    let trace = Trace()
    traceLanes(of: fake) { trace.note($0) }

    importFile(Work(dispatcher: fake))
    #expect(trace.lines == [])
    try fake.advanceTime(by: .seconds(1))

    #expect(trace.lines == ["background {", "}", "foreground {", "}", "foreground {", "}"])
    try fake.finish()
  }

  @Test("shows a sync body inside the body that waits for it")
  func nestsInSync() throws {
    let fake = RecordingDispatcher()
    let trace = Trace()
    traceLanes(of: fake) { trace.note($0) }
    let store = fake.makeQueue(label: "store", width: 1)

    fake.foreground {
      let isHere = try? store.sync { store.isCurrent }
      #expect(isHere == true)
    }
    try fake.runNextForegroundTask()

    #expect(trace.lines == ["foreground {", "  background {", "  }", "}"])
    try fake.finish()
  }

  @Test("names the line that used the facade, not the line inside it")
  func namesTheCaller() throws {
    let fake = RecordingDispatcher()
    let work = Work(dispatcher: fake)

    let here = CallSite(fileID: #fileID, line: #line + 1)
    work.offload {}

    #expect(fake.pendingTasks.map(\.task.site) == [here])
    try fake.runUntilIdle()
    try fake.finish()
  }

  @Test("lets the fake go, although the fake keeps the hooks")
  func letsTheFakeGo() throws {
    weak var released: RecordingDispatcher?

    do {
      let fake = RecordingDispatcher()
      traceLanes(of: fake) { _ in }
      released = fake
      try fake.finish()
    }

    #expect(released == nil)
  }
}

/// The lines that a hook wrote down. Hooks may be called on any thread, and each test reads its own lines.
private final class Trace: Sendable {
  private let recorded = Locked([String]())
  func note(_ line: String) { recorded.withLock { $0.append(line) } }
  func clear() { recorded.withLock { $0 = [] } }
  var lines: [String] { recorded.withLock { $0 } }
}
