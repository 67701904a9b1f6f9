/// Pseudo-random numbers that depend on nothing but the seed (SplitMix64).
struct Dice: Sendable {
  private var state: UInt64

  init(seed: Int) {
    state = UInt64(seed)
  }

  private mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number from 0 up to `sides`, which must be positive.
  mutating func roll(_ sides: Int) -> Int {
    Int(next() % UInt64(sides))
  }

  /// True once in `sides` rolls.
  mutating func once(in sides: Int) -> Bool {
    roll(sides) == 0
  }

  /// Dice of their own, for an actor whose rolls must not depend on when others roll.
  mutating func split() -> Dice {
    Dice(seed: roll(1 << 40))
  }
}
