import TestSupport
import Testing

@testable import TaskDispatch

@Suite("The nanoseconds of a duration")
struct ClampedNanosecondsTests {
  @Test("are whole, rounded up, and clamped to 64 bits, around every power of two of attoseconds")
  func aroundPowersOfTwo() {
    for power in 0..<126 {
      for change in -2...2 as ClosedRange<Int128> {
        for sign in [1, -1] as [Int128] {
          let attoseconds = sign * (Int128(1) << Int128(power) + change)
          expectRoundedUp(attoseconds)
          // Also around the multiple of a nanosecond that is near it.
          expectRoundedUp(attoseconds / 1_000_000_000 * 1_000_000_000 + change)
        }
      }
    }
  }

  @Test("are clamped where 64 bits end, and not before")
  func ends() {
    for nanoseconds in -2...2 as ClosedRange<Int128> {
      for change in -2...2 as ClosedRange<Int128> {
        expectRoundedUp((Int128(Int64.max) + nanoseconds) * 1_000_000_000 + change)
        expectRoundedUp((Int128(Int64.min) + nanoseconds) * 1_000_000_000 + change)
      }
    }
    expectRoundedUp(.max)
    expectRoundedUp(.min)
  }

  @Test("are whole, rounded up, and clamped to 64 bits, of any duration", arguments: [1, 2, 3])
  func ofAny(seed: UInt64) {
    var dice = Dice(seed: seed)
    for _ in 0..<20_000 {
      let bits = Int128(dice.roll(1 << 62)) << 66 | Int128(dice.roll(1 << 62)) << 4
      expectRoundedUp(bits >> Int128(dice.roll(127)))
    }
  }

  @Test("added to a moment saturate on both sides")
  func saturate() {
    let late = DispatcherInstant(nanoseconds: .max - 1)
    let early = DispatcherInstant(nanoseconds: .min + 1)
    #expect(late.advanced(by: .nanoseconds(2)).nanoseconds == .max)
    #expect(late.advanced(by: .nanoseconds(1)).nanoseconds == .max)
    #expect(late.advanced(by: .nanoseconds(-1)).nanoseconds == .max - 2)
    #expect(early.advanced(by: .nanoseconds(-2)).nanoseconds == .min)
    #expect(early.advanced(by: .nanoseconds(1)).nanoseconds == .min + 2)
  }

  private func expectRoundedUp(_ attoseconds: Int128, _ here: SourceLocation = #_sourceLocation) {
    let (quotient, remainder) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    let exact = quotient + (remainder > 0 ? 1 : 0)
    let duration = Duration(attoseconds: attoseconds)
    #expect(
      duration.clampedNanoseconds == Int64(clamping: exact), "of \(attoseconds) attoseconds",
      sourceLocation: here)
    #expect(duration.isPositive == (attoseconds > 0), sourceLocation: here)
  }
}
