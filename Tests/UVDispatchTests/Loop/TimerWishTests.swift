import TaskDispatch
import Testing

@testable import UVDispatch

/// ``LoopWakeupsTests`` has the cases.
@Suite("A timer")
struct TimerWishTests {
  @Test("asks for an iteration of the loop if that would not look in time by itself")
  func wished() {
    #expect(wishes(due: 2, loopLooksAt: 3))
    #expect(!wishes(due: 3, loopLooksAt: 3))
  }

  /// Whether a timer with this due time makes the core ask for an iteration of the loop.
  private func wishes(due: Int64, loopLooksAt: Int64) -> Bool {
    let bare = BareCore()
    bare.core.loop.timerIsSetFor = loopLooksAt
    bare.core.schedule(bare.item(.timer), at: DispatcherInstant(nanoseconds: due))
    return bare.core.loop.isWanted
  }
}
