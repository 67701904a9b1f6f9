import Synchronization
import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  /// A lost wake-up needs a post at the moment in which a thread stops looking. So each round pauses for
  /// another length of time before it posts again.
  @Suite("A post into a dispatcher that is just going idle")
  struct WakingTests {
    private static var rounds: Int { ThisProcess.isSanitized ? 3_000 : 20_000 }

    @Test(
      "is run, whatever the gap before it was",
      arguments: [(Lane.foreground, 1), (.background, 1), (.background, 3)])
    func isRun(lane: Lane, width: Int) throws {
      let dispatcher = try UVDispatcher(.init(backgroundWidth: width))
      try dispatcher.start()
      let queue = lane == .foreground ? dispatcher.foreground : dispatcher.background
      var lost = 0

      for round in 0..<Self.rounds where lost == 0 {
        let ran = Countdown(1 + round % 3)
        for number in 0..<(1 + round % 3) {
          // A plain body comes in by another way than one with options.
          if (round / 8 + number).isMultiple(of: 4) {
            queue.async(label: "labelled") { ran.count() }
          } else {
            queue { ran.count() }
          }
        }
        if !ran.waitForAll() { lost += 1 }
        pause(round &* 7_919 % 997)
      }

      #expect(lost == 0)
      dispatcher.end()
    }

    @Test("from many threads at once is run")
    func fromManyThreads() throws {
      let dispatcher = try UVDispatcher()
      try dispatcher.start()
      let lost = Box(0)

      let ended = race(
        (0..<4).map { thread in
          {
            for round in 0..<(Self.rounds / 8) where lost.value == 0 {
              let queue =
                (round + thread).isMultiple(of: 2) ? dispatcher.foreground : dispatcher.background
              let ran = Countdown(2)
              queue { ran.count() }
              queue.async(priority: .high) { ran.count() }
              if !ran.waitForAll() { lost.increment() }
              pause((round &* 7_919 &+ thread &* 131) % 499)
            }
          }
        })

      #expect(ended)
      #expect(lost.value == 0)
      dispatcher.end()
    }
  }
}

/// Lets a few hundred nanoseconds pass without giving the processor away.
private func pause(_ rounds: Int) {
  let counter = Atomic(0)
  for _ in 0..<rounds { counter.add(1, ordering: .relaxed) }
}

/// Counts the bodies that have not run yet.
private final class Countdown: Sendable {
  private let left: Atomic<Int>
  private let all = Latch()

  init(_ count: Int) { left = Atomic(count) }

  func count() {
    if left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { all.open() }
  }

  /// Looks for a moment before it blocks, so that the next post comes soon enough to meet a thread that is
  /// about to go idle. False if the bodies do not run.
  func waitForAll() -> Bool {
    for _ in 0..<2_000 where left.load(ordering: .acquiring) == 0 { return true }
    return all.wait(patience)
  }
}
