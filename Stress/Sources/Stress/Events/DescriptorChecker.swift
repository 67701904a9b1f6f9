import Oracle

/// Checks that no dispatcher leaves a descriptor open.
struct DescriptorChecker {
  /// The fewest descriptors that were ever open between two rounds.
  private var fewest = Int.max
  /// The system's libraries may open some descriptors once.
  private static let tolerance = 8

  /// Checks the number of open descriptors between two rounds. It may take a moment to fall, since a
  /// thread that ends closes its descriptors only then.
  mutating func check(_ violations: ViolationLog) {
    let look = Gate()
    var count = Process.openDescriptors
    var looks = 0
    while fewest < .max, count > fewest + Self.tolerance, looks < 2_000 {
      look.wait(seconds: 0.001)
      count = Process.openDescriptors
      looks += 1
    }
    if fewest < .max, count > fewest + Self.tolerance {
      violations.report(
        .events, nil, "\(count) descriptors are open between two rounds, and \(fewest) were before")
    }
    fewest = min(fewest, count)
  }
}
