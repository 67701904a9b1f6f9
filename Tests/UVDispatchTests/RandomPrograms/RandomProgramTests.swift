import RandomTesting
import TaskDispatchTesting
import TestSupport
import Testing

extension OnePool {
  @Suite("A random program on threads")
  struct RandomProgramTests {
    /// A program under a sanitizer takes many times as long.
    static let blockSize = ThisProcess.isSanitized ? 12 : 60

    @Test("keeps the rules, by what its calls and bodies see", arguments: 0..<10)
    func keepsTheRules(block: Int) async throws {
      try await onOtherThread {
        for seed in block * Self.blockSize..<(block + 1) * Self.blockSize {
          let trial = try RandomProgram.onThreads(seed: seed)

          let violations = try #require(
            trial.map(SubmissionChecker.violations), "program \(seed) does not end")
          #expect(violations == [], "program \(seed)")
        }
      }
    }
  }
}
