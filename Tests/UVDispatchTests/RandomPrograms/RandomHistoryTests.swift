import RandomTesting
import TaskDispatchTesting
import TestSupport
import Testing

extension OnePool {
  @Suite("The history of a random program")
  struct RandomHistoryTests {
    static let blockSize = ThisProcess.isSanitized ? 12 : 60

    @Test("on threads is one that the rules allow", arguments: 0..<10)
    func onThreads(block: Int) async throws {
      try await onOtherThread {
        for seed in block * Self.blockSize..<(block + 1) * Self.blockSize {
          let ended = try RandomProgram.observedOnThreads(seed: seed)

          let (trial, history) = try #require(ended, "program \(seed) does not end")
          #expect(HistoryChecker.violations(in: history) == [], "program \(seed)")
          #expect(SubmissionChecker.violations(in: trial) == [], "program \(seed)")
        }
      }
    }

    @Test("on the fake is one that the rules allow, and no two bodies overlap", arguments: 0..<10)
    func inSteps(block: Int) {
      for seed in block * Self.blockSize..<(block + 1) * Self.blockSize {
        let (trial, history) = RandomProgram.inSteps(seed: seed)

        #expect(HistoryChecker.violations(in: history) == [], "program \(seed)")
        #expect(overlaps(in: trial) == [], "program \(seed)")
      }
    }
  }
}

/// Runs that began in the middle of another run which did not wait then, in `sync` or for room.
private func overlaps(in trial: Trial) -> [String] {
  let runs = trial.submissions.flatMap { submission in submission.runs.map { (submission, $0) } }
    .sorted { $0.1.began < $1.1.began }
  var found: [String] = []
  for (index, (outer, run)) in runs.enumerated() {
    for (inner, next) in runs[(index + 1)...] where next.began < run.ended ?? .max {
      let waits = trial.submissions.contains {
        ($0.form == .sync || $0.called != inner.called) && $0.parent == outer.called
          && $0.called < next.began
          && next.ended ?? .max < $0.returned
      }
      if !waits { found.append("\(inner) ran inside \(outer)") }
    }
  }
  return found
}
