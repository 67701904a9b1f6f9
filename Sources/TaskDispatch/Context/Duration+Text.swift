extension Duration {
  /// The duration as people write it in a sentence: `20 s`, `1.2 ms`, `2 min 5 s`, `3 d 4 h`.
  ///
  /// Below ten of a unit it is rounded to two digits. From there on it is rounded to whole units, and from
  /// two minutes on to the smaller of two units. `us` stands for microseconds.
  package var shortText: String {
    (attoseconds < 0 ? "-" : "") + Self.shortText(attoseconds.magnitude)
  }

  /// The exact duration, in the largest unit of which it is at least one: `1.5 s`, `1.000000001 s`, `250 us`.
  package var exactText: String {
    (attoseconds < 0 ? "-" : "") + Self.exactText(attoseconds.magnitude)
  }

  private static let units: [(name: String, attoseconds: UInt128)] = [
    ("ns", 1_000_000_000), ("us", 1_000_000_000_000), ("ms", 1_000_000_000_000_000),
    ("s", 1_000_000_000_000_000_000),
  ]

  private static func shortText(_ attoseconds: UInt128) -> String {
    if attoseconds == 0 { return "0 s" }
    for (name, unit) in units {
      let whole = (attoseconds + unit / 2) / unit
      guard whole < (name == "s" ? 120 : 1_000) else { continue }
      let tenths = (attoseconds * 10 + unit / 2) / unit
      let hasTenths = name != "ns" && tenths < 100 && tenths % 10 != 0
      return hasTenths ? "\(tenths / 10).\(tenths % 10) \(name)" : "\(whole) \(name)"
    }
    let second = units[3].attoseconds
    let seconds = (attoseconds + second / 2) / second
    if seconds < 7_200 { return pair(seconds, 60, "min", "s") }
    let minutes = (seconds + 30) / 60
    if minutes < 48 * 60 { return pair(minutes, 60, "h", "min") }
    return pair((minutes + 30) / 60, 24, "d", "h")
  }

  private static func pair(
    _ count: UInt128, _ size: UInt128, _ large: String, _ small: String
  ) -> String {
    let rest = count % size
    return "\(count / size) \(large)" + (rest == 0 ? "" : " \(rest) \(small)")
  }

  private static func exactText(_ attoseconds: UInt128) -> String {
    if attoseconds == 0 { return "0 s" }
    let (name, unit) = units.last { $0.attoseconds <= attoseconds } ?? units[0]
    var rest = attoseconds % unit
    var digits = ""
    var place = unit / 10
    while rest > 0 {
      digits += "\(rest / place)"
      rest %= place
      place /= 10
    }
    return "\(attoseconds / unit)\(digits.isEmpty ? "" : ".")\(digits) \(name)"
  }
}
