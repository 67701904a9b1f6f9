import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

@Suite("The time slice of a worker run")
struct TimeSliceTests {
  private static let start: Int64 = 1_000_000
  private static let asks = start + TimeSlice.asksAfter
  private static let over = start + TimeSlice.quantum

  private var term = TimeSlice(from: start)

  /// What the time slice says at `now`, if the pool last had a thread to spare at `answer`.
  private mutating func end(
    at now: Int64, answer: Int64 = .min, isAwaited: Bool = false
  ) -> TimeSlice.End {
    term.end(at: now, isAwaited: isAwaited) { $0 <= answer }
  }

  /// The instant at which the clock says that the time budget is used up.
  private mutating func usedUp() -> Int64 {
    var now = Self.start
    while !term.budget.isUsedUp(now: { now }) { now += 50_000 }
    return now
  }

  @Test("asks after half of its quantum, and is over at its end without an answer")
  mutating func noAnswer() {
    #expect(usedUp() == Self.asks)
    #expect(end(at: Self.asks) == .asks)
    #expect(usedUp() == Self.over)
    #expect(end(at: Self.over) == .isOver)
  }

  @Test("begins anew with an answer, and asks again for the next")
  mutating func answer() {
    #expect(end(at: Self.asks) == .asks)
    #expect(end(at: Self.over, answer: Self.asks) == .goesOn)
    #expect(usedUp() == Self.over + TimeSlice.asksAfter)
    #expect(end(at: Self.over + TimeSlice.asksAfter, answer: Self.asks) == .asks)
    #expect(end(at: Self.over + TimeSlice.quantum, answer: Self.asks) == .isOver)
  }

  @Test("is over at the end of its quantum while another dispatcher waits, whatever the answer is")
  mutating func awaited() {
    #expect(end(at: Self.asks, answer: Self.asks, isAwaited: true) == .asks)
    #expect(end(at: Self.over, answer: Self.over, isAwaited: true) == .isOver)
  }

  @Test("takes the answer to another's question, if that came when its own would have been due")
  mutating func answerToAnother() {
    #expect(end(at: Self.asks + 10, answer: Self.asks) == .goesOn)
  }

  @Test("takes no answer from before that: another user of the pool may have come since")
  mutating func oldAnswer() {
    #expect(end(at: Self.asks + 10, answer: Self.asks - 1) == .asks)
    #expect(end(at: Self.over, answer: Self.asks - 1) == .isOver)
  }

  @Test(
    "is over when a body has taken all of the quantum, unless another's answer came as it ran")
  mutating func longBody() {
    #expect(end(at: Self.over) == .isOver)
    #expect(end(at: Self.over, answer: Self.over - 1) == .goesOn)
  }
}

extension OnePool {
  @Suite("A question to the pool")
  struct QuestionTests {
    @Test("is answered once a thread has nothing else to do, again and again")
    func answered() throws {
      try WorkerRuns.prepare()
      let threads = try ThreadPool.threads()
      for _ in 0..<3 {
        let gates = (0..<threads).map { _ in Latch() }
        let (held, behind) = (Latch(threads), Latch())
        for gate in gates {
          WorkerRuns.start {
            held.open()
            gate.hold(patience)
          }
        }
        #expect(held.wait(patience))
        let asked = monotonicNanoseconds()

        WorkerRuns.askForThreadToSpare()
        WorkerRuns.askForThreadToSpare()
        WorkerRuns.start { behind.open() }

        #expect(!WorkerRuns.hadThreadToSpare(since: asked))
        gates[0].open()
        // This run stands behind the question in libuv's queue.
        #expect(behind.wait(patience))
        #expect(WorkerRuns.hadThreadToSpare(since: asked))
        #expect(!WorkerRuns.hadThreadToSpare(since: monotonicNanoseconds() + 1))
        for gate in gates { gate.open() }
      }
    }
  }
}
