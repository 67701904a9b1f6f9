import TaskDispatch
import Testing

@testable import UVDispatch

/// The search for members, asked of a core in which one body stands on the loop, and waits.
@Suite("A body that waits for a group, while nothing else goes on,")
struct GroupMemberTests {
  private let bare = BareCore()
  private let group = WorkGroup()

  init() {
    bare.core.loopRuns = true
    bare.running(on: .foreground).beginWait(for: nil)
  }

  private var isStuck: Bool { bare.core.isStuck(waitingFor: .group(group)) }

  /// Puts a task of `group` behind the body.
  private func queueMember(of group: WorkGroup) {
    bare.core.put(bare.item(on: .foreground, group: group))
  }

  @Test("is stuck if a task of it waits for that body")
  func queued() {
    #expect(!isStuck)
    queueMember(of: group)
    #expect(isStuck)
    _ = bare.core.releaseEverything()
  }

  @Test("is not stuck for a task of another group")
  func anothers() {
    queueMember(of: WorkGroup())
    #expect(!isStuck)
    _ = bare.core.releaseEverything()
  }

  @Test("is stuck if a task of it waits for room")
  func withoutRoom() {
    bare.putWithoutRoom(bare.item(on: .foreground, group: group))
    #expect(isStuck)
    _ = bare.core.releaseEverything()
  }

  @Test("is stuck if a task of it runs and waits as well, but not if a shutdown has abandoned that")
  func running() {
    let item = bare.item(group: group)
    let task = bare.core.task(for: item)
    bare.core.begin(task)
    task.beginWait(for: nil)
    #expect(isStuck)

    task.abandon()
    #expect(!isStuck)
    bare.core.forget(item)
  }

  @Test("is not stuck if its tasks stand in a suspended view, which somebody may resume")
  func suspended() {
    bare.core.pool.suspend(bare.core.poolView(bare.view), now: { 0 })
    bare.core.put(bare.item(.task, on: .background, bare.view, group: group))

    #expect(!isStuck)
    _ = bare.core.releaseEverything()
  }
}
