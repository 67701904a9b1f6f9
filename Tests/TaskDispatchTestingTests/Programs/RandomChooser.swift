import TaskDispatch
import TaskDispatchTesting
import TestSupport

/// Chooses any of the legal moves, by the seed.
final class RandomChooser: MoveChooser {
  private let dice: Locked<Dice>

  init(seed: Int) {
    dice = Locked(Dice(seed: seed))
  }

  func choose(among moves: [Move]) -> Int { dice.withLock { $0.roll(moves.count) } }
}
