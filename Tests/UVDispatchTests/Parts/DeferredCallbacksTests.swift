import TaskDispatchTesting
import Testing

@testable import TaskDispatch
@testable import UVDispatch

@Suite("What is done once the lock is free, as a value")
struct DeferredCallbacksTests {
  private let work = LooseWork()
  private let done = Box<[String]>([])

  private func note(_ what: String) -> @Sendable () -> Void {
    { [done] in done.change { $0.append(what) } }
  }

  /// Does what the thread that has freed the lock does, in its order.
  private func deliver(_ contents: consuming DeferredCallbacks.Contents) {
    switch contents {
    case .one(let note):
      note.wake()
      note.resume()
      note.deliver()
    case .several(let notes):
      for note in notes { note.wake() }
      for note in notes { note.resume() }
      for note in notes { note.deliver() }
    }
  }

  /// Notes in the order in which a section of the lock makes them: `c` defers a callback, `w` the wake of a thread, `r`
  /// a resumption of a Task, and `p` one that goes before all that are deferred by then.
  @Test(
    "threads are woken first, then Tasks are resumed, then callbacks are made, each in their order",
    arguments: [
      ("c1", "c1"), ("w1", "w1"), ("r1", "r1"), ("p1", "p1"),
      ("c1 c2", "c1 c2"), ("c1 w2", "w2 c1"), ("c1 r2", "r2 c1"), ("r1 w2", "w2 r1"),
      ("c1 r2 w3 c4 r5 w6", "w3 w6 r2 r5 c1 c4"),
      ("r1 p2", "p2 r1"), ("r1 p2 r3 p4", "p4 p2 r1 r3"), ("c1 p2 w3", "w3 p2 c1"),
    ])
  func order(notes: String, order: String) {
    var callbacks = DeferredCallbacks()
    for name in notes.split(separator: " ").map(String.init) {
      switch name.first {
      case "c": callbacks.append(note(name))
      case "w": callbacks.appendWake(note(name))
      case "r": callbacks.appendResume(note(name))
      default: callbacks.prependResume(note(name))
      }
    }
    #expect(done.value.isEmpty, "nothing is done under the lock")

    deliver(callbacks.take())

    #expect(done.value.joined(separator: " ") == order)
    #expect(callbacks.isEmpty)
  }

  @Test(
    "what was taken out is not taken out again, whether it was one note or several",
    arguments: 1...3)
  func once(count: Int) {
    var callbacks = DeferredCallbacks()
    for round in 1...3 {
      #expect(callbacks.isEmpty)
      for _ in 0..<count { callbacks.append(note("\(round)")) }
      #expect(!callbacks.isEmpty)
      deliver(callbacks.take())
    }

    let expected = ["1", "2", "3"].flatMap { Array(repeating: $0, count: count) }
    #expect(done.value == expected)
  }

  @Test("a dispatcher that goes away makes the callbacks alone, in their order")
  func callbacksAlone() {
    for notes in [["c1"], ["c1", "w2", "r3", "c4"]] {
      var callbacks = DeferredCallbacks()
      for name in notes {
        switch name.first {
        case "c": callbacks.append(note(name))
        case "w": callbacks.appendWake(note(name))
        default: callbacks.appendResume(note(name))
        }
      }

      callbacks.take().deliver()

      #expect(done.value == notes.filter { $0.hasPrefix("c") })
      done.value = []
    }
  }

  /// Says when it is released.
  private final class Stone: Sendable {
    private let fall: @Sendable () -> Void

    init(_ fall: @escaping @Sendable () -> Void) { self.fall = fall }

    deinit { fall() }
  }

  @Test(
    """
    of an item that has ended, threads that wait for its group are woken first, then Tasks are \
    resumed, and its body is released before its observers are called
    """)
  func endOfItem() throws {
    let group = WorkGroup()
    let item = work.item(group: group, body: held("released"))
    let waiter = Stone {}
    item.whenFinished { [done] outcome in done.change { $0.append("observer: \(outcome)") } }
    item.resumeWhenFinished { [done] _ in done.change { $0.append("Task") } }
    group.whenEmpty(note("observer of the group"))
    let waits = group.whenEmpty(
      wake: note("thread"), by: waiter, checks: false, since: 0)
    #expect(waits)
    var callbacks = DeferredCallbacks()
    callbacks.append(note("before"))
    let telling = try #require(item.setOutcome(.cancelled))
    callbacks.append(.end(item, .cancelled, telling, nil))
    callbacks.append(note("after"))

    deliver(callbacks.take())

    #expect(
      done.value == [
        "thread", "Task", "before", "released", "observer: \(Outcome.cancelled)",
        "observer of the group", "after",
      ])
  }

  @Test("a body that no thread will run is released with its note, when the lock is free")
  func letGo() {
    var callbacks = DeferredCallbacks()
    callbacks.append(.letGo(.plain(held("released"))))
    callbacks.append(note("callback"))
    let contents = callbacks.take()
    #expect(callbacks.isEmpty && done.value.isEmpty)

    deliver(consume contents)

    #expect(Set(done.value) == ["released", "callback"])
  }

  /// A body that says when it is released. It never runs.
  private func held(_ what: String) -> @Sendable () -> Void {
    let stone = Stone(note(what))
    return { withExtendedLifetime(stone) {} }
  }
}
