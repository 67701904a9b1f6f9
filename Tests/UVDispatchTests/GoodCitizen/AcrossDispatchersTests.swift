import Foundation
import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  /// Bodies of some dispatchers wait for bodies of others, which wait for nothing. Each wait ends, however
  /// small the pool is, and whichever dispatchers are short of threads.
  ///
  /// `ACROSS_ROUNDS=20000` runs that many programs for each size.
  @Suite("Bodies that wait for bodies of other dispatchers, which wait for nothing,")
  struct AcrossDispatchersTests {
    /// One program: its dispatchers, and what the bodies of some of them do.
    private struct Round {
      private let waiters: [UVDispatcher]
      private let awaited: [UVDispatcher]
      private let views: [TaskQueue]
      private let ended: Latch
      private let count: Int
      private let seed: Int

      init(seed: Int) throws {
        var dice = Dice(seed: seed)
        waiters = try (0..<1 + dice.roll(3)).map { _ in try UVDispatcher() }
        awaited = try (0..<1 + dice.roll(4)).map { _ in try UVDispatcher() }
        views = awaited.map { $0.makeQueue(label: "view", width: 1) }
        count = 1 + dice.roll(12)
        ended = Latch(count)
        self.seed = seed
      }

      /// Runs the program, and returns whether every wait has ended.
      func run() -> Bool {
        var dice = Dice(seed: seed &* 31 &+ 7)
        for number in 0..<count {
          let seed = seed &* 1_000 &+ number
          waiters[dice.roll(waiters.count)].background { wait(seed) }
          if dice.once(in: 3) { awaited[dice.roll(awaited.count)].background {} }
          // A dispatcher that has used its background is owed a thread.
          if dice.once(in: 4) { views[dice.roll(views.count)].submitPlain() }
        }
        return ended.wait(patience)
      }

      private func wait(_ seed: Int) {
        var dice = Dice(seed: seed)
        for _ in 0...dice.roll(2) {
          let index = dice.roll(awaited.count)
          switch dice.roll(4) {
          case 0: _ = try? awaited[index].background.submit {}.wait()
          case 1: try? views[index].sync {}
          case 2:
            views[index].submitPlain()
            _ = try? views[index].submit {}.wait(timeout: patience)
          default:
            let group = WorkGroup()
            for _ in 0...dice.roll(4) {
              let member = dice.roll(awaited.count)
              let later = dice.once(in: 3) ? awaited[dice.roll(awaited.count)].background : nil
              (dice.once(in: 2) ? awaited[member].background : views[member]).async(group: group) {
                // Perhaps the first member that its dispatcher has in the group.
                later?.async(group: group) {}
              }
            }
            try? group.wait()
          }
        }
        ended.open()
      }
    }

    @Test("all go on, whatever the size of the pool", arguments: 2...5)
    func oneLink(threads: Int) async {
      let result = await #expect(
        processExitsWith: .success, observing: [\.standardErrorContent]
      ) { [threads] in
        try blocking {
          unsafe setenv("UV_THREADPOOL_SIZE", "\(threads)", 1)
          let rounds = environment("ACROSS_ROUNDS").flatMap { Int($0) }
          for seed in 0..<(rounds ?? (ThisProcess.isSanitized ? 30 : 300)) {
            guard try Round(seed: seed).run() else {
              FileHandle.standardError.write(Data("seed \(seed) hangs\n".utf8))
              _exit(3)
            }
          }
          #expect(!PoolShares.ofProcess.isAwaited)
        }
      }
      if let result, result.said("hangs") {
        Issue.record("\(String(decoding: result.standardErrorContent, as: UTF8.self))")
      }
    }
  }
}

extension TaskQueue {
  fileprivate func submitPlain() { self {} }
}
