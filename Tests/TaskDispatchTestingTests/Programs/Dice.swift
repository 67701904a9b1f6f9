import TaskDispatch

@testable import TaskDispatchTesting

extension Dice {
  /// Seeds the dice with the number of a test's argument, which may be negative.
  init(seed: Int) { self.init(seed: UInt64(bitPattern: Int64(seed))) }

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
