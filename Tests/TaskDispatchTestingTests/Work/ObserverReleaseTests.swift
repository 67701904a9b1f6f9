import Glibc
import TaskDispatch
import TaskDispatchTesting
import Testing

/// A case hangs if a lock of the item is held while its observer is released.
@Suite("What the observer of an item holds")
struct ObserverReleaseTests {
  @Test("may ask for items and groups while it goes, if the item never ended")
  func neverEnded() async {
    await #expect(processExitsWith: .success) {
      // A process that hangs must not outlive its test.
      alarm(20)
      let dispatcher = RecordingDispatcher()
      // Items and groups share few locks, so that among many one has the lock of the item.
      let items = (0..<2_000).map { _ in Self.makeItem(on: dispatcher.background) }
      let groups = (0..<2_000).map { _ in WorkGroup() }
      let isReleased = Box(false)
      do {
        let item = Self.makeItem(on: dispatcher.background)
        let held = AtEnd {
          for other in items { other.whenFinished { _ in } }
          for group in groups { group.enter() }
          isReleased.value = true
        }
        item.whenFinished { _ in withExtendedLifetime(held) {} }
      }
      for group in groups { group.leave() }
      exit(isReleased.value ? 0 : 1)
    }
  }

  private static func makeItem(on queue: TaskQueue) -> WorkItem {
    let site = CallSite(fileID: #fileID, line: #line)
    return WorkItem.make(kind: .task, queue: queue, label: nil, site: site) {}
  }
}
