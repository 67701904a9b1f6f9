import TaskDispatchTesting
import TestSupport
import Testing

@testable import TaskDispatch
@testable import UVDispatch

@Suite("What an abandoned body has returned")
struct AbandonedResultTests {
  private let bare = BareCore()

  @Test("is released where the lock is free, also if its task is still looked at")
  func released() {
    let isReleased = Flag()
    let task = makeTask { Releasing(isReleased) }
    bare.core.accept(task)
    bare.core.begin(task)
    bare.core.beginShutdown(ShutdownPolicy(drain: .zero, cancel: .zero))
    bare.core.concludeAtDeadline()
    bare.deliver()

    bare.core.finish(task, task.perform())
    #expect(!isReleased.isRaised)
    bare.deliver()

    #expect(isReleased.isRaised)
    #expect(!task.holdsItem)
  }

  private func makeTask(_ body: @escaping @Sendable () -> Releasing) -> QueuedTask {
    let item = ValueItem(
      kind: .task, queue: TaskQueue(dispatcher: RecordingDispatcher(), lane: .background),
      label: nil, site: .here(), body: body)
    bare.core.number(item, parent: nil)
    return bare.core.task(for: item)
  }

  private final class Releasing: Sendable {
    private let flag: Flag

    init(_ flag: Flag) { self.flag = flag }

    deinit { flag.raise() }
  }
}
