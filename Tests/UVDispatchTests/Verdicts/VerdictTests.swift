import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

extension OnePool {
  /// Random programs whose bodies wait for each other, and an independent checker.
  ///
  /// `VERDICT_PROGRAMS=10000` runs that many, `VERDICT_FROM=500` begins with that seed, `VERDICT_SEED=7` runs
  /// one alone. `VERDICT_KINDS=hang,false refusal` looks for those kinds of findings only, `VERDICT_ALL=1` goes
  /// on after a finding and prints one line for each, `VERDICT_STRICT=1` asks the checker for what the rule
  /// leaves open, and `VERDICT_STORY=1` prints each program and what happened in it.
  @Suite("A program whose bodies wait for each other")
  struct VerdictTests {
    private static func number(_ name: String) -> Int? { environment(name).flatMap { Int($0) } }

    /// Programs that once showed a fault, of the dispatcher or of the checker.
    private static let known = [
      927, 1163, 1219, 1810, 1956, 2608, 3165, 3346, 3907, 20115, 24150, 26756, 27127, 27247, 27260,
      40493, 44290, 55428, 59921, 62339, 74758,
    ]

    private static var seeds: [Int] {
      if let seed = number("VERDICT_SEED") { return [seed] }
      let from = number("VERDICT_FROM") ?? 0
      let count = number("VERDICT_PROGRAMS") ?? (ThisProcess.isSanitized ? 50 : 300)
      return known + Array(from..<from + count)
    }

    private static let kinds: Set<Finding.Kind> = Set(
      environment("VERDICT_KINDS").map { text in
        text.split(separator: ",").compactMap { Finding.Kind(rawValue: String($0)) }
      } ?? Finding.Kind.allCases)

    private static let limit = Duration.seconds(number("VERDICT_LIMIT") ?? 20)

    @Test("is refused the waits that nothing could end, and only those")
    func isRefusedWhatNothingCouldEnd() async throws {
      try await onOtherThread {
        for seed in Self.seeds {
          let program = WaitProgram(seed: seed)
          var driver = try StageDriver(program, limit: Self.limit)
          driver.run()
          let (findings, story) = driver.stage.change { ($0.findings, $0.story) }
          if environment("VERDICT_STORY") != nil {
            print(([program.description] + story).joined(separator: "\n"))
          }
          guard let finding = findings.first(where: { Self.kinds.contains($0.kind) }) else {
            continue
          }
          if environment("VERDICT_ALL") != nil {
            print("VERDICT \(seed) [\(finding.kind.rawValue)]: \(finding.text)")
            continue
          }
          print("VERDICT_SEED=\(seed): \(finding)\nshrinking …")
          let shrinker = VerdictShrinker(
            kind: finding.kind, patience: .seconds(20), limit: .seconds(2))
          let smallest = try shrinker.shrink(program)
          let shown = smallest ?? (program, finding)
          Issue.record(
            """
            VERDICT_SEED=\(seed) shows it again\(smallest == nil ? ", not every time" : "").
            \(shown.program)
            \(shown.finding)
            """)
          return
        }
      }
    }
  }
}
