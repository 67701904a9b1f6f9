import TaskDispatch
import TestSupport

/// Makes a program that goes wrong smaller, while it still goes wrong in the same way.
struct VerdictShrinker {
  let kind: Finding.Kind
  /// How long the whole search may take.
  let patience: Duration
  /// How long a dispatcher may take for what it owes.
  let limit: Duration

  /// - Returns: The smallest program that was found, and what is wrong in it. Nil if not even the first one
  ///   goes wrong again.
  func shrink(_ program: WaitProgram) throws -> (program: WaitProgram, finding: Finding)? {
    let end = ContinuousClock.now + patience
    guard let first = try finding(in: program) else { return nil }
    var smallest = (program: program, finding: first)
    var hasShrunk = true
    while hasShrunk {
      hasShrunk = false
      for candidate in smallest.program.smaller {
        if ContinuousClock.now > end { return smallest }
        guard let finding = try finding(in: candidate) else { continue }
        smallest = (candidate, finding)
        hasShrunk = true
        break
      }
    }
    return smallest
  }

  private func finding(in program: WaitProgram) throws -> Finding? {
    try StageDriver.findings(in: program, limit: limit).first { $0.kind == kind }
  }
}
