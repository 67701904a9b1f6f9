import TaskDispatch
import TaskDispatchTesting

/// Pseudo-random numbers that depend on nothing but the seed (SplitMix64).
struct Dice {
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
}

/// Chooses any of the legal moves, by the seed.
final class RandomChooser: MoveChooser {
  private let dice: Locked<Dice>

  init(seed: Int) {
    dice = Locked(Dice(seed: seed))
  }

  func choose(among moves: [Move]) -> Int { dice.withLock { $0.roll(moves.count) } }
}
