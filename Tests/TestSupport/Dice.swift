internal import TaskDispatchTesting

/// Pseudo-random numbers that depend on nothing but the seed.
package struct Dice: Sendable {
  private var numbers: SplitMix64

  /// Takes the seed's lowest 64 bits.
  package init(seed: some BinaryInteger) {
    numbers = SplitMix64(seed: UInt64(truncatingIfNeeded: seed))
  }

  /// A number from 0 up to `sides`, which must be positive.
  package mutating func roll(_ sides: Int) -> Int { Int(numbers.next() % UInt64(sides)) }

  /// True once in `sides` rolls.
  package mutating func once(in sides: Int) -> Bool { roll(sides) == 0 }

  /// New dice for one actor: what it rolls does not depend on when other actors roll.
  package mutating func split() -> Dice { Dice(seed: roll(1 << 40)) }
}
