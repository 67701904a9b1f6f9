import Synchronization
import UVDispatch

/// Work that keeps the workers busy until it is ended.
final class Hashing: Sendable {
  private let hasEnded = Atomic(false)
  private let rightRounds = Atomic(0)
  private let wrongRounds = Atomic(0)

  /// How many hashes came out right so far.
  var right: Int { rightRounds.load(ordering: .relaxed) }
  var wrong: Int { wrongRounds.load(ordering: .relaxed) }

  /// Keeps every worker busy until ``end()``.
  func begin(on dispatcher: UVDispatcher) {
    for _ in 0..<dispatcher.effectiveBackgroundWidth { goOn(dispatcher.background) }
  }

  func end() { hasEnded.store(true, ordering: .relaxed) }

  private func goOn(_ queue: TaskQueue) {
    queue {
      if Self.hash() == 0x88d6_ce57_89d3_5325 {
        self.rightRounds.add(1, ordering: .relaxed)
      } else {
        self.wrongRounds.add(1, ordering: .relaxed)
      }
      if !self.hasEnded.load(ordering: .relaxed) { self.goOn(queue) }
    }
  }

  /// FNV-1a of 64 bits, of the bytes 0 to 255, sixteen times.
  private static func hash() -> UInt64 {
    (0..<4096).reduce(0xcbf2_9ce4_8422_2325) { hash, number in
      (hash ^ UInt64(number & 0xff)) &* 0x0000_0100_0000_01b3
    }
  }
}
