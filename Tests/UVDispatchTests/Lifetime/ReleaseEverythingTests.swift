import TaskDispatch
import Testing

@testable import UVDispatch

/// What becomes of waiting work when its owner goes away.
@Suite("A core that gives up everything")
struct ReleaseEverythingTests {
  private let bare = BareCore()
  private var core: Core { bare.core }

  @Test(
    "gives up what waits wherever it may",
    arguments: ["a group", "room", "its time", "the late thread"])
  func everywhere(waitsFor: String) {
    switch waitsFor {
    case "a group": core.put(bare.item(.notification))
    case "room": bare.putWithoutRoom(bare.item())
    case "its time": core.put(bare.item(.timer, due: .distantFuture))
    default: core.late.add(bare.task())
    }

    let left = core.releaseEverything()

    #expect(left.count == 1)
    #expect(core.standby.held.isEmpty)
    #expect(core.standby.withoutRoom.isEmpty)
    #expect(core.timers.nextDeadline == nil)
    #expect(core.late.waiting.isEmpty)
  }

  @Test("leaves no queue with a task in it", arguments: [true, false])
  func queues(inView: Bool) {
    bare.queued(on: .background, inView ? bare.view : nil)
    bare.post()

    let left = core.releaseEverything()

    #expect(left.count == 2)
    #expect(core.poolView(inView ? bare.view : nil).queue.ready.count == 0)
  }
}
