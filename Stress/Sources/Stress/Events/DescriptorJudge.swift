import Oracle

/// Watches that no dispatcher leaves a descriptor behind.
struct DescriptorJudge {
  /// The fewest that were ever open between two rounds.
  private var fewest = Int.max
  /// The system's libraries may open some once.
  private static let tolerance = 8

  /// Nothing is at work. What was closed may take a moment: threads that leave do that by themselves.
  mutating func judge(_ court: Court) {
    let look = Gate()
    var count = Process.openDescriptors
    var looks = 0
    while fewest < .max, count > fewest + Self.tolerance, looks < 2_000 {
      look.wait(seconds: 0.001)
      count = Process.openDescriptors
      looks += 1
    }
    if fewest < .max, count > fewest + Self.tolerance {
      court.report(
        .events, nil, "\(count) descriptors are open between two rounds, and \(fewest) were before")
    }
    fewest = min(fewest, count)
  }
}
