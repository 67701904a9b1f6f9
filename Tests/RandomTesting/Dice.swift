/// Pseudo-random numbers that depend on nothing but the seed (SplitMix64).
package struct Dice: Sendable {
  private var state: UInt64

  /// Takes the seed's lowest 64 bits.
  package init(seed: some BinaryInteger) {
    state = UInt64(truncatingIfNeeded: seed)
  }

  private mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number from 0 up to `sides`, which must be positive.
  package mutating func roll(_ sides: Int) -> Int {
    Int(next() % UInt64(sides))
  }

  /// True once in `sides` rolls.
  package mutating func once(in sides: Int) -> Bool {
    roll(sides) == 0
  }

  /// New dice for one actor: what it rolls does not depend on when other actors roll.
  package mutating func split() -> Dice {
    Dice(seed: roll(1 << 40))
  }
}
