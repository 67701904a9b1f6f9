import TaskDispatch
import TaskDispatchTesting
import Testing

@Suite("A reply")
struct ReplyTests {
  @Sendable private static func measure() throws -> Int { 12 }

  @Test("takes functions, and not closures alone")
  func functions() throws {
    let dispatcher = RecordingDispatcher()
    let shown = Slot<Int>()
    let show: @Sendable (Result<Int, any Error>) -> Void = { shown.value = try? $0.get() }

    dispatcher.background.async(Self.measure, then: show)
    try dispatcher.runNextBackgroundTask()
    #expect(shown.value == nil)
    try dispatcher.runNextForegroundTask()

    #expect(shown.value == 12)
    try dispatcher.finish()
  }

  @Test("has the label of its body and its place in the source, and follows it by its band")
  func options() throws {
    let dispatcher = RecordingDispatcher()
    let shown = Log()
    @Sendable func show(_ name: String) { shown.note(name) }
    let background = dispatcher.background

    background.async(priority: .low, label: "low", Self.measure, then: { _ in show("low") })
    background.async({ 1 }, then: { _ in show("medium") })
    let line: UInt = #line + 1
    background.async(priority: .high, label: "high", { Opened() }, then: { _ in show("high") })
    let last = try #require(dispatcher.pendingTasks.last?.task)
    #expect(last.label == "high")
    #expect(last.site.line == UInt32(line))
    try dispatcher.runNextBackgroundTask()

    let reply = try #require(dispatcher.pendingTasks.map(\.task).first { $0.lane == .foreground })
    #expect(reply.label == "high")
    #expect(reply.site.line == UInt32(line))
    #expect(reply.site.fileID == #fileID)
    try dispatcher.runUntilIdle()
    #expect(shown.all == ["high", "medium", "low"])
    try dispatcher.finish()
  }

  @Test("hands over what only one may have, or the error", arguments: [false, true])
  func handsOver(fails: Bool) throws {
    struct Torn: Error {}
    let dispatcher = RecordingDispatcher()
    let seen = Slot<String>()

    dispatcher.background.async(label: "open") { () throws -> sending Opened in
      if fails { throw Torn() }
      return Opened()
    } then: { (result: sending Result<Opened, any Error>) in
      do {
        let opened = try result.get()
        opened.uses += 1
        seen.value = "\(opened.uses)"
      } catch {
        seen.value = "\(error)"
      }
    }
    try dispatcher.runUntilIdle()

    #expect(seen.value == (fails ? "Torn()" : "1"))
    try dispatcher.finish()
  }

  @Test("alone has what it is handed", arguments: [nil, "labelled"])
  func alone(label: String?) throws {
    let dispatcher = RecordingDispatcher()
    let isGone = Slot<Bool>()

    dispatcher.background.async(label: label) { () throws -> sending Opened in
      Opened()
    } then: { (result: sending Result<Opened, any Error>) in
      weak var opened: Opened?
      func letGo(_ result: consuming Result<Opened, any Error>) { opened = try? result.get() }
      letGo(consume result)
      isGone.value = opened == nil
    }
    try dispatcher.runUntilIdle()

    #expect(isGone.value == true)
    try dispatcher.finish()
  }

  @Test("that has run holds nothing of it any more")
  func letsGo() throws {
    final class Made: Sendable {}
    let dispatcher = RecordingDispatcher(.init(recordsHistory: false))
    let held = Weak<Made>()

    dispatcher.background.async({ Made() }, then: { held.object = try? $0.get() })
    try dispatcher.runNextBackgroundTask()
    try dispatcher.runNextForegroundTask()

    #expect(held.object == nil)
    try dispatcher.finish()
  }
}

/// Not Sendable: no two threads may share it.
private final class Opened {
  var uses = 0
}

private final class Weak<Object: AnyObject & Sendable>: Sendable {
  private let reference = Locked<Reference>(Reference())
  private struct Reference { weak var object: Object? }

  var object: Object? {
    get { reference.withLock { $0.object } }
    set { reference.withLock { $0.object = newValue } }
  }
}
