/// Durations as people write them: `100ms`, `1.5s`, `2min`, `1h`.
public enum DurationText {
  private static let units: [(name: String, nanoseconds: Int64)] = [
    ("ms", 1_000_000), ("s", 1_000_000_000), ("min", 60_000_000_000), ("h", 3_600_000_000_000),
  ]

  /// What a duration must look like, for messages.
  static let form = "a number and ms, s, min or h, such as 100ms or 1.5s"

  /// Nil unless `text` is such a duration, of at most a year, to the nanosecond.
  static func duration(_ text: String) -> Duration? {
    let digits = text.utf8.prefix {
      UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || $0 == UInt8(ascii: ".")
    }
    guard let unit = units.first(where: { $0.name == String(text.dropFirst(digits.count)) }) else {
      return nil
    }
    let parts = digits.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), let whole = Int64(String(parts[0])!),
      whole <= 366 * 24 * 3_600_000
    else { return nil }
    var nanoseconds = Duration.nanoseconds(unit.nanoseconds) * whole
    guard parts.count == 2 else { return nanoseconds <= .seconds(366 * 86_400) ? nanoseconds : nil }
    guard !parts[1].isEmpty, parts[1].count <= 9 else { return nil }
    var weight = unit.nanoseconds
    for digit in parts[1] {
      weight /= 10
      nanoseconds += .nanoseconds(Int64(digit - UInt8(ascii: "0")) * weight)
    }
    return nanoseconds <= .seconds(366 * 86_400) ? nanoseconds : nil
  }

  /// The text in the largest unit of which the duration is a whole number.
  static func text(of duration: Duration) -> String {
    let nanoseconds =
      duration.components.seconds * 1_000_000_000
      + duration.components.attoseconds / 1_000_000_000
    let unit = units.last { nanoseconds % $0.nanoseconds == 0 } ?? units[0]
    if nanoseconds == 0 { return "0s" }
    return nanoseconds % unit.nanoseconds == 0
      ? "\(nanoseconds / unit.nanoseconds)\(unit.name)"
      : "\((Double(nanoseconds) / 1e6).rounded(to: 3))ms"
  }
}
