import TaskDispatch
import TaskDispatchTesting
import Testing

@Suite("A fake that is let go of before it is finished")
struct DroppedFakeTests {
  @Test("gives what has not run its outcome, and tells of it")
  func tells() {
    let empty = Box(0)
    let groups = (0..<5).map { _ in WorkGroup() }
    for group in groups { group.enter() }
    let held = WorkGroup()
    held.enter()
    do {
      let dispatcher = RecordingDispatcher()
      let view = dispatcher.makeQueue(label: "held", width: 1)
      view.suspend()
      dispatcher.foreground.async(group: groups[0]) {}
      dispatcher.background.async(group: groups[1]) {}
      view.async(group: groups[2]) {}
      view.barrier.async(group: groups[3]) {}
      dispatcher.background.after(.seconds(1), group: groups[4]) {}
      let released = Releasing(empty)
      held.notify(on: view) { withExtendedLifetime(released) {} }
      for group in groups {
        group.whenEmpty { empty.increment() }
        group.leave()
      }
      #expect(empty.value == 0)
    }
    #expect(empty.value == 6)
    #expect(groups.allSatisfy { $0.count == 0 })
  }

  @Test("has given all of it its outcome before the first is told")
  func allBeforeTheFirst() {
    let (first, second) = (WorkGroup(), WorkGroup())
    let counts = Box([Int]())
    do {
      let dispatcher = RecordingDispatcher()
      dispatcher.foreground.async(group: first) {}
      dispatcher.background.async(group: second) {}
      for (one, other) in [(first, second), (second, first)] {
        one.whenEmpty { counts.change { $0.append(other.count) } }
      }
    }
    #expect(counts.value == [0, 0])
  }

  @Test("lets a Task go on that has a job there, or that awaits a group")
  func tasksGoOn() async {
    let group = WorkGroup()
    let (task, awaiter): (Task<Int, Never>, Task<Void, Never>)
    do {
      let dispatcher = RecordingDispatcher()
      dispatcher.background.async(group: group) {}
      awaiter = Task.immediate { await group.wait() }
      task = Task(executorPreference: dispatcher.background.executor) { 12 }
    }
    #expect(await task.value == 12)
    await awaiter.value
  }

  /// Counts how often it is destroyed.
  private final class Releasing: Sendable {
    private let count: Box<Int>

    init(_ count: Box<Int>) { self.count = count }

    deinit { count.increment() }
  }
}
