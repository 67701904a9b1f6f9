import TaskDispatch
import Testing

@testable import UVDispatch

@Suite("A caller of sync")
struct LimitExemptionTests {
  @Test("finds room in a full queue, and takes none", arguments: [true, false])
  func caller(onView: Bool) {
    let bare = BareCore(overflow: .reject(limit: 1))
    let view = onView ? bare.view : nil
    let caller = bare.caller(on: view)
    #expect(!bare.core.isFull(caller))

    bare.core.accept(caller)
    bare.core.enqueue(caller)

    #expect(!bare.core.isFull(bare.task(on: .background, view)))
    bare.queued(view)
    #expect(bare.core.isFull(bare.task(on: .background, view)))
    #expect(!bare.core.isFull(bare.caller(on: view)))
    _ = bare.core.releaseEverything()
  }
}

extension BareCore {
  fileprivate func queued(_ view: UVView?) { queued(on: .background, view) }
}
