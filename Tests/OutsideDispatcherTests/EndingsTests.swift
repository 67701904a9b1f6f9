import TaskDispatch
import Testing

@Suite("A batch of endings")
struct EndingsTests {
  private let dispatcher = SteppedDispatcher()
  private let notes = Guarded<[String]>([])

  private func note(_ text: String) { notes.withLock { $0.append(text) } }

  /// How many notifications wait for their group.
  private var held: Int { dispatcher.withState { $0.held.count } }

  private func item(group: WorkGroup? = nil) -> WorkItem {
    WorkItem.make(
      kind: .task, queue: dispatcher.foreground, label: nil,
      site: CallSite(fileID: #fileID, line: #line), group: group
    ) {}
  }

  @Test("has all its outcomes before the first is told")
  func outcomesFirst() throws {
    let items = [item(), item(), item()]
    for item in items {
      item.whenFinished { _ in note("\(items.map { $0.outcome == .cancelled })") }
    }
    var endings = Endings()
    for item in items { endings.end(try #require(item.take()), .cancelled) }
    #expect(notes.withLock { $0 } == [], "nothing is told under the lock")

    endings.tell(for: dispatcher, outsideTasks: false)

    #expect(notes.withLock { $0 } == Array(repeating: "[true, true, true]", count: 3))
  }

  @Test(
    "wakes and resumes what waits, then tells what is the dispatcher's own, then calls observers")
  func order() throws {
    let group = WorkGroup()
    let (first, last) = (item(group: group), item(group: group))
    first.whenFinished { _ in note("observer of the first") }
    group.whenEmpty { note("observer of the group") }
    group.notify(on: dispatcher.foreground) { note("notified") }
    let isWaiting = group.whenEmpty(
      wake: { [self] in note("a thread wakes, with \(held) held") },
      by: dispatcher, checks: false, since: 0)
    #expect(isWaiting)
    #expect(!group.hasEmptied(since: 0))
    var endings = Endings()
    for item in [first, last] { endings.end(try #require(item.take()), .cancelled) }
    #expect(group.count == 0, "it has left the group")
    #expect(group.hasEmptied(since: 0))

    endings.tell(for: dispatcher, outsideTasks: false) { note("own, with \(held) held") }
    dispatcher.runUntilIdle()

    #expect(
      notes.withLock { $0 } == [
        "a thread wakes, with 1 held", "own, with 0 held", "observer of the first",
        "observer of the group", "notified",
      ])
    let waitsAgain = group.whenEmpty(
      wake: {}, by: dispatcher, checks: false, since: 0)
    #expect(!waitsAgain, "it has been empty since")
  }

  @Test("tells in no task, or in that of the calling code", arguments: [false, true])
  func context(isOutside: Bool) throws {
    let item = item()
    let taken = try #require(item.take())
    item.whenFinished { _ in
      note("in \(CurrentTask.label ?? "no task")")
      note("\(TaskContext.deliveries(for: ObjectIdentifier(dispatcher)))")
    }
    dispatcher.background.async(label: "mine") {
      var endings = Endings()
      endings.end(taken, .cancelled)
      endings.tell(for: dispatcher, outsideTasks: isOutside)
    }

    dispatcher.runUntilIdle()

    #expect(notes.withLock { $0 } == ["in \(isOutside ? "no task" : "mine")", "1"])
    #expect(TaskContext.deliveries(for: ObjectIdentifier(dispatcher)) == 0)
  }
}
