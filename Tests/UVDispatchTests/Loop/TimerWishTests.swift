import TaskDispatch
import Testing

@testable import UVDispatch

@Suite("A timer")
struct TimerWishTests {
  @Test("asks for an iteration of the loop if that would not look in time by itself")
  func wished() {
    #expect(wishes(due: 2, loopLooksAt: .max))
    #expect(wishes(due: 2, loopLooksAt: 3))
    #expect(!wishes(due: 3, loopLooksAt: 3))
    #expect(!wishes(due: 4, loopLooksAt: 3))
  }

  @Test("asks for none that comes anyway: it looks at the timers in the end")
  func comesAnyway() {
    #expect(!wishes(due: 2, loopLooksAt: 3, turnIsDue: true))
  }

  /// Whether a timer with this due time makes the core ask for an iteration of the loop.
  private func wishes(due: Int64, loopLooksAt: Int64, turnIsDue: Bool = false) -> Bool {
    let bare = BareCore()
    bare.core.loop.timerIsSetFor = loopLooksAt
    if turnIsDue { _ = bare.core.loop.beginIteration() }
    bare.core.schedule(bare.item(.timer), at: DispatcherInstant(nanoseconds: due))
    return bare.core.loop.isWanted
  }
}
